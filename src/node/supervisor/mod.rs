//! Which service starts, restarts and stops when (`spec/supervision.md`), without doing it.
//!
//! [`Supervisor`] is fed with events and the time and answers with [`Action`]s; the driver in
//! `node` carries them out on real hosts, scopes and processes. So every table of the
//! specification is a test on virtual time, and no slow service can block the decisions about
//! another one.
//!
//! - [`Graph`]: who needs whom, from the registry's references; order of starting, levels of
//!   stopping.
//! - `service`, `ending`: the state machine of one service: at most one run, one timer.
//! - `boot`, `update`, `shutdown`: the three things that concern all of them.

mod boot;
mod ending;
mod graph;
mod index;
mod machine;
mod policy;
mod record;
mod service;
mod shutdown;
mod spec;
#[cfg(test)]
mod tests;
mod update;

pub use graph::{Graph, GraphError, Item};
pub use machine::{Limits, Supervisor};
pub use policy::Outcome;
pub use record::{Action, BootReport, Desired, Run, ShutdownReport, StateRecord, Status};
pub use spec::{ServiceSpec, Tier};
