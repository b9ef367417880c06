use std::fmt::Write;
use std::sync::Arc;

use super::host::Host;
use super::raw::Stack;
use crate::id::{Pid, Serial};
use crate::process::Address;
use crate::value::{ErrorValue, kind};

impl Host {
    /// The text of a PID of this runtime.
    pub fn pid_text(&self, serial: Serial) -> String {
        let mut text = String::with_capacity(64);
        let origin = self.runtime().origin();
        text.push('{');
        if !origin.node.is_local() {
            text.push_str(origin.node.as_str());
            text.push('@');
        }
        self.runtime().hosts().with(serial.host_index(), |host| text.push_str(host.id.as_str()));
        let _ = write!(text, "|{}.{serial}}}", origin.incarnation);
        text
    }

    /// Pushes the text of a PID of this runtime.
    pub fn push_pid(&self, stack: Stack<'_>, serial: Serial) {
        stack.push_str(self.pid_text(serial));
    }

    /// The text of any address.
    pub fn address_text(&self, address: &Address) -> String {
        match address {
            Address::Local(serial) => self.pid_text(*serial),
            Address::Remote(pid) => pid.to_string(),
        }
    }

    /// What a destination given by a script means: a PID, else a name (process.md section 3).
    ///
    /// # Errors
    /// `NotFound` with the destination as given.
    pub fn resolve(&self, destination: &[u8]) -> Result<Address, ErrorValue> {
        if let Some(serial) = self.parse_own_pid(destination) {
            return Ok(Address::Local(serial));
        }
        let text = std::str::from_utf8(destination).unwrap_or_default();
        if let Ok(pid) = text.parse::<Pid>() {
            return Ok(self.runtime().address(pid));
        }
        self.lookup_name(text).ok_or_else(|| {
            let given = String::from_utf8_lossy(destination);
            let text = format!("could not resolve '{given}' as PID or registered name");
            ErrorValue::new(kind::NOT_FOUND, text)
        })
    }

    /// Who has a name: cluster-wide names first, then those of this node.
    pub fn lookup_name(&self, name: &str) -> Option<Address> {
        if let Some(pid) = self.services().cluster_names().and_then(|names| names.lookup(name)) {
            return Some(self.runtime().address(Pid::clone(&pid)));
        }
        self.runtime().names().lookup(name).map(Address::Local)
    }

    /// The commonest destination, without any allocation: a PID of this very run.
    fn parse_own_pid(&self, text: &[u8]) -> Option<Serial> {
        let origin = self.runtime().origin();
        let inner = text.strip_prefix(b"{")?.strip_suffix(b"}")?;
        let host_and_number = if origin.node.is_local() {
            inner
        } else {
            inner.strip_prefix(origin.node.as_str().as_bytes())?.strip_prefix(b"@")?
        };
        let bar = host_and_number.iter().position(|byte| *byte == b'|')?;
        let (host, number) = (&host_and_number[..bar], &host_and_number[bar + 1..]);
        let dot = number.iter().position(|byte| *byte == b'.')?;
        if hex(&number[..dot])? != origin.incarnation.0 {
            return None;
        }
        let serial = Serial(hex(&number[dot + 1..])?);
        let is_host = self
            .runtime()
            .hosts()
            .with(serial.host_index(), |known| known.id.as_str().as_bytes() == host)?;
        is_host.then_some(serial)
    }
}

fn hex(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |number: u64, digit| {
        let digit = (*digit as char).to_digit(16)?;
        Some(number << 4 | u64::from(digit))
    })
}

/// Names that a whole cluster knows (process.md section 8, `EVENTUAL`).
pub trait ClusterNames: Send + Sync {
    /// Who has the name.
    fn lookup(&self, name: &str) -> Option<Arc<Pid>>;

    /// Claims a name for a local process.
    ///
    /// # Errors
    /// `AlreadyExists` if a live process is known to have it.
    fn register(&self, name: &str, owner: Serial) -> Result<(), ErrorValue>;

    /// Gives a name of this node back; false if it had none.
    fn unregister(&self, name: &str) -> bool;
}
