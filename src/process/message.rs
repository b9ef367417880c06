use std::sync::Arc;

use smol_str::SmolStr;

use crate::id::{Pid, Serial};
use crate::value::Values;

/// A process as a message's sender, a watcher or a link's other end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A process of this runtime.
    Local(Serial),
    /// A process of another node, or of an earlier run of this one.
    Remote(Arc<Pid>),
}

/// Where a message comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The host itself; scripts see an empty sender.
    System,
    /// A process.
    Process(Address),
}

impl From<Serial> for Source {
    fn from(serial: Serial) -> Self {
        Self::Process(Address::Local(serial))
    }
}

/// One message on its way to, or in, a mailbox (process.md section 5).
#[derive(Clone, Debug)]
pub struct Message {
    /// The sender.
    pub source: Source,
    /// The topic; system topics start with `@`.
    pub topic: SmolStr,
    /// Zero or more payload values.
    pub values: Values,
}

/// Why a message was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// No such process, or no longer.
    #[error("process not found")]
    NotFound,
    /// The process is ending.
    #[error("process closed")]
    Closed,
    /// The mailbox holds as many messages or bytes as its host allows. Worth retrying.
    #[error("mailbox full")]
    MailboxFull,
    /// The process's node cannot be reached.
    #[error("node unreachable")]
    Unreachable,
    /// The queue to the process's node is full. Worth retrying.
    #[error("overloaded")]
    Overloaded,
    /// The values are too large for one frame between nodes.
    #[error("message too large")]
    TooLarge,
}

/// What became of one message sent to many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Messages queued.
    pub delivered: u64,
    /// Messages refused because the mailbox was full.
    pub full: u64,
    /// Recipients that no longer exist.
    pub gone: u64,
}

impl Delivery {
    /// Adds one attempt's result.
    pub fn count(&mut self, result: Result<(), Undelivered>) {
        match result {
            Ok(()) => self.delivered += 1,
            Err(Undelivered::MailboxFull | Undelivered::Overloaded) => self.full += 1,
            Err(_) => self.gone += 1,
        }
    }
}

/// Sending to processes of this node: by the runtime from any thread, or by a worker for the
/// process that it runs, which saves the way through the inbox.
pub trait Deliver {
    /// Queues `message` for `to`. Never waits. Messages from one sender to one receiver keep
    /// their order, whichever implementation carries them on that sender's thread.
    ///
    /// # Errors
    /// [`Undelivered`] if nothing was queued.
    fn deliver(&self, to: Serial, message: Message) -> Result<(), Undelivered>;

    /// Queues `message` for each recipient, as many times as its count says. Never waits.
    fn deliver_many(
        &self,
        to: &mut dyn Iterator<Item = (Serial, u32)>,
        message: &Message,
    ) -> Delivery;
}
