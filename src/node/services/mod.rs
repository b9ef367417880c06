//! The services of a node at work: one task that feeds [`Supervisor`] and carries out what it says.
//!
//! What a service really is, a host, a scope or a process, is behind [`Backend`]; how it fares comes
//! back through the [`Reporter`] of each run. Nothing here waits for a service: a start or stop that
//! takes for ever holds up only those that need it.

mod driver;
mod handle;
mod reporter;
#[cfg(test)]
mod tests;

use std::time::Instant;

use crate::id::EntryId;
use crate::node::supervisor::{Graph, Limits, StateRecord, Supervisor};

pub use handle::{Services, States};
pub use reporter::Reporter;

/// The real services. Calls come from one task, in order, and must not block: what takes time goes
/// on elsewhere and reports later.
pub trait Backend: Send + Sync + 'static {
    /// Starts a run of `id`.
    fn start(&self, id: &EntryId, reporter: Reporter);

    /// Asks the present run of `id` to stop, even if it is still starting. It will be terminated at
    /// `deadline`.
    fn stop(&self, id: &EntryId, deadline: Instant);

    /// Kills the present run of `id`.
    fn terminate(&self, id: &EntryId);

    /// The state of a service has changed. Called for every change, in order.
    fn changed(&self, record: &StateRecord);
}

impl Services {
    /// Starts the task that runs the services of `graph` through `backend`. Nothing is started
    /// before [`Services::boot`]. Has to be called inside a tokio runtime.
    pub fn run(graph: Graph, limits: Limits, backend: impl Backend) -> Self {
        let chance = || rand::random_range(-1.0..=1.0);
        let now = driver::now();
        let supervisor = Supervisor::new(graph, limits, chance, now);
        let (services, inbox) = Self::new(&supervisor);
        tokio::spawn(driver::Driver::new(supervisor, backend, services.clone()).drive(inbox));
        services
    }
}
