//! Layer 2: processes without Lua. Scheduler, process table, mailboxes, timers, links, monitors,
//! LOCAL names.
//!
//! One [`Worker`] thread per core owns the processes placed on it; a process never moves. What
//! happens between processes of one worker is a function call; between workers it is an envelope
//! in the other's inbox. [`Runtime`] is the same world for every other thread.
//!
//! A process is a [`Process`] (address, mailbox, relations) with a [`Body`], which the layer above
//! makes and which runs in slices. Time slices are not timed: `pacer` notices from outside when
//! one takes too long and has it cut.

mod cell;
mod delivery;
mod envelope;
/// What the events of `process.events()` are made of.
pub mod events;
mod exit;
mod feed;
mod hosts;
mod inbox;
mod mailbox;
mod message;
mod names;
mod outcome;
mod pacer;
mod relations;
mod runtime;
mod serial;
mod signals;
mod slots;
mod spawn;
mod timers;
mod worker;

pub use cell::{Body, Process, Step};
use envelope::Envelope;
pub use envelope::{Child, Completion, Signal, SpawnReply, SpawnRequest, Ticket, Ties};
pub use feed::{Feed, Taken};
pub use hosts::{Host, HostCounters, HostLimits, Hosts, TooManyHosts};
pub use mailbox::{Mailbox, Subscription};
pub use message::{Address, Deliver, Delivery, Message, Source, Undelivered};
pub use names::Names;
pub use outcome::Outcome;
pub use relations::Watcher;
pub use runtime::{ExitHook, Remote, Runtime, StartError};
pub use serial::{MAX_WORKERS, Place};
pub use signals::{TieError, no_process};
pub use spawn::Spawned;
pub use timers::TimerKey;
pub use worker::{BodyFactory, Due, Worker};
