//! Layer 1: the rulebook of process groups (`spec/pg.md`), without I/O, clock or chance.
//!
//! A [`State`] is one scope on one node. Whoever runs it calls its `handle_` methods with what
//! happens (a process joins, a session comes up, a frame arrives, time passes) and then carries out
//! what its `poll_` methods answer (events for subscribers, frames for peers). `crate::scope` runs
//! it in a node; `tests/sim` runs many of them on virtual time.
//!
//! How nodes agree: each node alone decides about its own members and counts the steps it takes.
//! Announcements carry those numbers, so a receiver knows whether it missed one; if so it asks for
//! the full state and applies the difference. Digests find what no announcement revealed.

mod announcer;
mod breaker;
mod config;
mod digest;
mod groups;
mod hosts;
mod joined;
mod members;
pub mod message;
mod peer;
mod state;
mod stats;
mod timers;
mod view;
mod watchers;

pub use breaker::BreakerState;
pub use config::{Config, ConfigError};
pub use digest::Digest;
pub use groups::{PeerId, Totals};
pub use hosts::Hosts;
pub use members::Members;
pub use state::{
    Broadcast, FrameError, JoinError, NotJoined, Outcome, Reach, Recipients, Retained, State,
    Target, Ticket, Transmit,
};
pub use stats::{Histogram, Stats};
pub use view::{Member, View};
pub use watchers::{Change, Event, SubscriptionId};
