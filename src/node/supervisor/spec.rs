use std::time::Duration;

use super::policy::{RestartPolicy, Startup};

/// What a service is for the order of stopping: process services go first, then hosts, then scopes
/// (supervision.md section 8). Starts are issued the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A `pg.scope` and other things that processes use.
    Scope,
    /// A `process.host`.
    Host,
    /// A `process.service`.
    Service,
}

/// The part of a service entry that supervision needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceSpec {
    /// Its place in the order of stopping.
    pub tier: Tier,
    /// Started at boot, with everything it needs.
    pub auto_start: bool,
    /// Whether the node waits for it.
    pub startup: Startup,
    /// Limit on one start.
    pub start_timeout: Duration,
    /// Time between the request to stop and the kill.
    pub stop_timeout: Duration,
    /// A failure after a run at least this long counts as the first one again.
    pub stable_threshold: Duration,
    /// What happens after a failure.
    pub restart: RestartPolicy,
}

impl ServiceSpec {
    /// A required service that is not started by itself, with the defaults of supervision.md
    /// section 2.
    pub fn new(tier: Tier) -> Self {
        Self {
            tier,
            auto_start: false,
            startup: Startup::Required,
            start_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(10),
            stable_threshold: Duration::from_secs(5),
            restart: RestartPolicy::default(),
        }
    }
}
