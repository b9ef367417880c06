//! Layer 3: running `pg.scope` entries (`spec/pg.md`). A [`Scope`] feeds the rulebook
//! ([`crate::pg::State`]) with what happens on this node and on the mesh, and carries out what the
//! rulebook answers.
//!
//! * All changes of one scope are serial ([`Scope::perform`]): whoever comes while nobody is at work
//!   does its own operation and those that wait, on its own thread; whoever comes while somebody is
//!   at work queues, and its process waits.
//! * Reads look at a published [`crate::pg::View`] that is brought up to date when somebody reads,
//!   so that a scope which nobody reads pays nothing for it.
//! * Events leave through one [`crate::process::Feed`] for each subscription, frames through
//!   [`Peers`], broadcasts through [`crate::process::Deliver`], outside the serial section.
//!
//! [`Scopes`] are all scopes of a node: it knows the sessions, sends each frame to its scope, and
//! cleans up after processes that end.

mod broadcast;
mod cell;
mod drive;
mod error;
mod event;
mod health;
mod operation;
mod queue;
mod run;

mod scopes;
mod shared;
mod snapshot;
#[cfg(test)]
mod tests;

pub use broadcast::Addressed;
pub use cell::{Scope, ScopeStats};
pub use error::ScopeError;
pub use health::Health;
pub use operation::{Answer, Operation, Pending, Permit, Reply, Subscribed};
pub use scopes::{OpenError, Scopes};
pub use shared::{Clock, Peers, SendRefused};
