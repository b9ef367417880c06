use std::time::Duration;

use super::Scope;
use super::run::Run;

/// How a scope is (pg.md section 4, observability.md section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// All is well, or it does not run.
    Good,
    /// Somebody has been at work in the scope for this long, longer than `protocol_timeout`.
    Stuck(Duration),
    /// The scope has peers and has neither heard nor said anything for this long.
    Silent(Duration),
}

impl Scope {
    /// How the scope is now. `silence` is how long a scope with peers may be without any traffic.
    /// Never waits.
    pub fn health(&self, silence: Duration) -> Health {
        let now = self.shared.clock.now();
        let look = |run: Option<&Run>| run.map(|run| run.traffic_health(now, silence));
        match self.try_enter(look) {
            Some(health) => health.unwrap_or(Health::Good),
            None => {
                let busy = self.busy_for(now);
                let bound = self.protocol_timeout();
                if busy > bound { Health::Stuck(busy) } else { Health::Good }
            }
        }
    }
}
