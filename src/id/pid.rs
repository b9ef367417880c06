use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{EntryId, Incarnation, NodeName, Origin};

/// The number of a process within one incarnation of its node; never given out twice in it.
///
/// The top ten bits are the [`HostIndex`] of the host that the process runs on, so a node's
/// membership lists need eight bytes a process. The rest is the process table's own business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Serial(pub u64);

/// The place of a process host in its node's host table, 0 to [`HostIndex::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostIndex(pub u16);

impl HostIndex {
    /// The last index that fits a [`Serial`].
    pub const MAX: HostIndex = HostIndex(1023);
}

impl Serial {
    /// Bits below the host index.
    pub const HOST_SHIFT: u32 = 54;

    /// The host that the process runs on.
    pub fn host_index(self) -> HostIndex {
        HostIndex((self.0 >> Self::HOST_SHIFT) as u16)
    }
}

impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// The address of a process, in text `{node@host|incarnation.serial}` with hexadecimal numbers;
/// the node part is left out for the node name `local` (process.md section 1, cluster.md section 1).
///
/// A PID names one process for ever: after its node restarts, the incarnation differs.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pid {
    /// The node, in the run that started the process.
    pub origin: Arc<Origin>,
    /// The `process.host` entry that the process runs on.
    pub host: EntryId,
    /// Which process of that run.
    pub serial: Serial,
}

/// Why a text is not a PID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PidError {
    /// No surrounding braces.
    #[error("invalid pid format: missing braces")]
    Braces,
    /// No `|` between host and number.
    #[error("invalid pid format: missing pipe")]
    Pipe,
    /// The node name, host id or number is not valid.
    #[error("invalid pid format: {0}")]
    Part(String),
}

impl FromStr for Pid {
    type Err = PidError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() < 3 {
            return Err(PidError::Braces);
        }
        let inner =
            text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or(PidError::Braces)?;
        let (place, rest) = inner.split_once('|').ok_or(PidError::Pipe)?;
        let unique = rest.rsplit('|').next().unwrap_or(rest);
        let part = |e: &dyn fmt::Display| PidError::Part(e.to_string());
        let (node, host) = match place.split_once('@') {
            Some((node, host)) => (node.parse::<NodeName>().map_err(|e| part(&e))?, host),
            None => (NodeName::local(), place),
        };
        let host = host.parse::<EntryId>().map_err(|e| part(&e))?;
        let number = |digits: &str| {
            u64::from_str_radix(digits, 16)
                .map_err(|_| PidError::Part(format!("{unique:?} is not a process number")))
        };
        let (incarnation, serial) = unique
            .split_once('.')
            .ok_or_else(|| PidError::Part(format!("{unique:?} is not a process number")))?;
        let incarnation = Incarnation(number(incarnation)?);
        let serial = Serial(number(serial)?);
        Ok(Self { origin: Arc::new(Origin { node, incarnation }), host, serial })
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { node, incarnation } = &*self.origin;
        if node.is_local() {
            write!(f, "{{{}|{incarnation}.{}}}", self.host, self.serial)
        } else {
            write!(f, "{{{node}@{}|{incarnation}.{}}}", self.host, self.serial)
        }
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pids_round_trip() {
        for text in ["{n1@app:procs|5f.1a}", "{app:procs|5f.1a}"] {
            assert_eq!(text.parse::<Pid>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_pids_say_what_is_missing() {
        assert_eq!("{}".parse::<Pid>(), Err(PidError::Braces));
        assert_eq!("a:b|1.1".parse::<Pid>(), Err(PidError::Braces));
        assert_eq!("{a:b}".parse::<Pid>(), Err(PidError::Pipe));
        for bad in ["{a:b|1}", "{a:b|x.1}", "{a|1.1}", "{a b@a:b|1.1}", "{a:b|1.1g}"] {
            assert!(matches!(bad.parse::<Pid>(), Err(PidError::Part(_))), "{bad}");
        }
        assert_eq!("{a:b|zz|1.2}".parse::<Pid>().unwrap().serial, Serial(2));
    }
}
