use std::time::Duration;

use parking_lot::Mutex;

use super::{NodeBackend, Running};
use crate::id::EntryId;
use crate::node::services::Reporter;
use crate::node::supervisor::Outcome;
use crate::pg::Config;
use crate::registry::kind::PgScope;
use crate::scope::Scopes;

/// A running `pg.scope`.
pub(super) struct ScopeRun {
    id: EntryId,
    scopes: Scopes,
    reporter: Mutex<Option<Reporter>>,
}

impl NodeBackend {
    pub(super) fn start_scope(&self, id: &EntryId, scope: &PgScope, reporter: Reporter) {
        let Some(scopes) = self.0.lua.scopes.get() else {
            reporter.ended(Outcome::Fatal("this node has no process groups".to_owned()));
            return;
        };
        match scopes.start(id, config(scope)) {
            Ok(_) => {
                reporter.started("");
                let (id, scopes) = (id.clone(), scopes.clone());
                let run = ScopeRun { id: id.clone(), scopes, reporter: Mutex::new(Some(reporter)) };
                self.keep(&id, Running::Scope(run));
            }
            Err(error) => reporter.ended(Outcome::Fatal(error.to_string())),
        }
    }
}

impl ScopeRun {
    /// Stops the scope; done when this returns.
    pub(super) fn stop(&self) {
        let reporter = self.reporter.lock().take();
        if let Some(reporter) = reporter {
            self.scopes.stop(&self.id);
            reporter.ended(Outcome::Stopped);
        }
    }
}

/// The settings of an entry as the rulebook takes them: a written zero is off.
fn config(scope: &PgScope) -> Config {
    let unless_zero = |number: u32| (number > 0).then(|| u64::from(number));
    let interval = scope.anti_entropy_interval;
    Config {
        protocol_timeout: scope.protocol_timeout,
        broadcast_timeout: scope.broadcast_timeout,
        anti_entropy_interval: (interval > Duration::ZERO).then_some(interval),
        circuit_breaker_failures: scope.circuit_breaker_failures,
        circuit_breaker_reset_time: scope.circuit_breaker_reset_time,
        max_retries: scope.max_retries,
        retry_base_delay: scope.retry_base_delay,
        retry_max_delay: scope.retry_max_delay,
        action_queue_size: scope.action_queue_size as usize,
        action_queue_max_size: scope.action_queue_max_size as usize,
        monitor_buffer: scope.monitor_buffer as usize,
        max_groups: unless_zero(scope.max_groups),
        max_members_per_group: unless_zero(scope.max_members_per_group),
    }
}
