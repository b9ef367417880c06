use std::fmt;

/// Why a connection was closed, as the application code of the QUIC close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum CloseCode {
    /// The node leaves the cluster on purpose.
    Shutdown = 0,
    /// Something that cannot be part of the protocol.
    Protocol = 1,
    /// The other side speaks another protocol version.
    Version = 2,
    /// The other side belongs to another cluster.
    Cluster = 3,
    /// The certificate, or the dialler, expects another node name.
    Name = 4,
    /// The other side does not know the cluster secret.
    Secret = 5,
    /// A later run of the same node is known.
    Stale = 6,
    /// Another live node has the same name.
    NameTaken = 7,
    /// The node has reached itself.
    Itself = 8,
    /// The hello did not come in time.
    HelloTimeout = 9,
    /// Another connection between the two nodes is in use.
    Duplicate = 10,
    /// The other side did not take any data for too long.
    Stalled = 11,
    /// Too many frames could not be read.
    DecodeErrors = 12,
    /// A frame is larger than the limit of the hello.
    Oversized = 13,
    /// Too many unfinished handshakes.
    Busy = 14,
    /// Membership has declared the node failed.
    Failed = 15,
    /// The other side has said that it leaves, and all it sent has been handled.
    Goodbye = 16,
}

/// When it makes sense to try again after a close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAdvice {
    /// With the ordinary back-off.
    Soon,
    /// Only somebody's action can help: with the longest back-off.
    Slow,
    /// Never at this address.
    Never,
}

impl CloseCode {
    const ALL: [CloseCode; 17] = [
        CloseCode::Shutdown,
        CloseCode::Protocol,
        CloseCode::Version,
        CloseCode::Cluster,
        CloseCode::Name,
        CloseCode::Secret,
        CloseCode::Stale,
        CloseCode::NameTaken,
        CloseCode::Itself,
        CloseCode::HelloTimeout,
        CloseCode::Duplicate,
        CloseCode::Stalled,
        CloseCode::DecodeErrors,
        CloseCode::Oversized,
        CloseCode::Busy,
        CloseCode::Failed,
        CloseCode::Goodbye,
    ];

    /// The number on the wire.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The code with this number.
    pub fn from_number(number: u64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|index| Self::ALL.get(index)).copied()
    }

    /// What the closed side should do about it.
    pub fn advice(self) -> RetryAdvice {
        match self {
            CloseCode::Itself => RetryAdvice::Never,
            CloseCode::Protocol
            | CloseCode::Version
            | CloseCode::Cluster
            | CloseCode::Name
            | CloseCode::Secret
            | CloseCode::Stale
            | CloseCode::NameTaken => RetryAdvice::Slow,
            _ => RetryAdvice::Soon,
        }
    }

    /// A short name, for logs and metric labels.
    pub fn as_str(self) -> &'static str {
        match self {
            CloseCode::Shutdown => "shutdown",
            CloseCode::Protocol => "protocol error",
            CloseCode::Version => "protocol version",
            CloseCode::Cluster => "other cluster",
            CloseCode::Name => "node name mismatch",
            CloseCode::Secret => "cluster secret",
            CloseCode::Stale => "stale incarnation",
            CloseCode::NameTaken => "node name taken",
            CloseCode::Itself => "own address",
            CloseCode::HelloTimeout => "hello timeout",
            CloseCode::Duplicate => "duplicate connection",
            CloseCode::Stalled => "no write progress",
            CloseCode::DecodeErrors => "too many decode errors",
            CloseCode::Oversized => "oversized frame",
            CloseCode::Busy => "too many handshakes",
            CloseCode::Failed => "declared failed",
            CloseCode::Goodbye => "goodbye",
        }
    }
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A connection that is not to be: the code for the machine and the reason for the reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct Refusal {
    /// What kind of refusal.
    pub code: CloseCode,
    /// What was compared with what, for a person.
    pub reason: String,
}

/// Longest reason that is sent, in bytes.
const MAX_REASON_BYTES: usize = 256;

impl Refusal {
    /// A refusal with its reason.
    pub fn new(code: CloseCode, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }

    /// The refusal that a peer sent; `None` for a code that this version does not know, and for a
    /// connection that was merely dropped, which QUIC reports as zero without a reason.
    pub fn from_wire(number: u64, reason: &[u8]) -> Option<Self> {
        let code = CloseCode::from_number(number)?;
        if code == CloseCode::Shutdown && reason.is_empty() {
            return None;
        }
        let shown = reason.get(..MAX_REASON_BYTES).unwrap_or(reason);
        let text: String =
            String::from_utf8_lossy(shown).chars().filter(|c| !c.is_control()).collect();
        Some(Self { code, reason: text })
    }

    /// The reason as it goes on the wire.
    pub fn reason_bytes(&self) -> &[u8] {
        let bytes = self.reason.as_bytes();
        bytes.get(..MAX_REASON_BYTES).unwrap_or(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for (index, code) in CloseCode::ALL.into_iter().enumerate() {
            assert_eq!(code.number() as usize, index);
            assert_eq!(CloseCode::from_number(index as u64), Some(code));
        }
        assert_eq!(CloseCode::from_number(17), None);
        assert_eq!(CloseCode::from_number(u64::MAX), None);
    }

    #[test]
    fn foreign_reasons_are_tamed() {
        let long = [b'x'; 1000];
        assert_eq!(Refusal::from_wire(3, &long).unwrap().reason.len(), MAX_REASON_BYTES);
        let odd = Refusal::from_wire(3, b"a\x1b[31m\xff\nb").unwrap();
        assert_eq!(odd.reason, "a[31m\u{fffd}b");
        assert_eq!(odd.to_string(), "other cluster: a[31m\u{fffd}b");
        assert_eq!(Refusal::from_wire(99, b""), None);
        assert_eq!(Refusal::from_wire(0, b""), None, "dropped, not left");
    }
}
