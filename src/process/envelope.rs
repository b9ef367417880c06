use std::any::Any;
use std::rc::Rc;

use smol_str::SmolStr;

use super::{Address, Message, Outcome, Watcher, Worker};
use crate::id::{EntryId, HostIndex, Serial};
use crate::value::{ErrorValue, Values};

/// Names one wait of one coroutine of a process. A coroutine that has gone on has another ticket,
/// so a late answer finds nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The coroutine, by its place in the process.
    pub coroutine: u32,
    /// Counts the waits of all coroutines of the process.
    pub wait: u32,
}

/// What a waiting coroutine goes on with.
pub enum Completion {
    /// A timer fired.
    Elapsed,
    /// A spawn ended: the child, or why there is none.
    Spawned(Result<Child, ErrorValue>, Ties),
    /// An operation or a call ended.
    Done(Result<Values, ErrorValue>),
}

/// A process to be started.
pub struct SpawnRequest {
    /// The entry whose code runs.
    pub entry: EntryId,
    /// The host it runs on.
    pub host: HostIndex,
    /// What the body factory makes the body from.
    pub seed: Box<dyn Any + Send>,
    /// A LOCAL name; if it is taken, nothing is started, `messages` go to its owner and the
    /// owner is the answer ("spawn or signal").
    pub name: Option<SmolStr>,
    /// Queued before anything else.
    pub messages: Vec<Message>,
    /// Told when the process ends.
    pub watcher: Option<Watcher>,
    /// The spawning process.
    pub parent: Option<Serial>,
    /// How the parent is tied to the process from the start.
    pub ties: Ties,
}

/// What ties a parent to its child.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    /// The parent monitors the child.
    pub monitor: bool,
    /// Both are linked.
    pub link: bool,
}

/// The process that a spawn led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// A new one.
    New(Serial),
    /// The owner of the wanted name, which was signalled instead.
    Owner(Serial),
}

impl Child {
    /// Whichever it is.
    pub fn serial(self) -> Serial {
        match self {
            Self::New(serial) | Self::Owner(serial) => serial,
        }
    }
}

/// Where the answer to a spawn goes.
pub enum SpawnReply {
    /// To a waiting coroutine, as [`Completion::Spawned`].
    Ticket(Serial, Ticket),
    /// To a function, on the worker thread.
    Callback(Box<dyn FnOnce(Result<Child, ErrorValue>) + Send>),
}

/// What one process does to another, beyond messages.
#[derive(Debug, Clone)]
pub enum Signal {
    /// Ask to stop.
    Cancel {
        /// PID text of the canceller, or [`super::events::NOBODY`].
        from: String,
        /// Why; may be empty.
        reason: String,
    },
    /// Force the end.
    Terminate,
    /// `watcher` wants to know of the end.
    Monitor(Address),
    /// `watcher` no longer does.
    Demonitor(Address),
    /// Tie to the process.
    Link(Address),
    /// Untie.
    Unlink(Address),
    /// A linked process ended with an error.
    LinkDown(Address, ErrorValue),
    /// A linked process ended without one: the tie is gone.
    LinkGone(Address),
    /// A monitored process has ended.
    Exit(Address, Outcome),
    /// The process has been given a LOCAL name.
    OwnsName(SmolStr),
    /// The process is to be cleaned up after by the exit hooks.
    HookExit,
    /// A process has been started to run a call for this one.
    CallStarted(Serial),
    /// The process's code has changed.
    Outdated(Vec<String>),
}

/// Something to be run on a worker thread.
pub(super) type Call = Box<dyn FnOnce(&Rc<Worker>) + Send>;

/// What arrives at a worker from other threads.
pub(super) enum Envelope {
    Deliver(Serial, Message),
    DeliverMany(Vec<(Serial, u32)>, Message),
    Spawn(Box<SpawnRequest>, SpawnReply),
    Complete(Serial, Ticket, Completion),
    Wake(Serial),
    Signal(Serial, Signal),
    Call(Call),
    Stop,
}
