use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Scope;
use super::cell::NEVER;

impl Scope {
    /// Calls the rulebook when it wants to be called, until the run `generation` is over. Cancel
    /// at any point: nothing is lost but time.
    pub(super) async fn drive(self: Arc<Self>, generation: u64) {
        while self.runs(generation) {
            let deadline = match self.deadline.load(Ordering::Relaxed) {
                NEVER => None,
                at => Some(Duration::from_nanos(at)),
            };
            match deadline.map(|at| at.saturating_sub(self.shared.clock.now())) {
                None => self.deadline_moved.notified().await,
                Some(Duration::ZERO) => self.handle_timeout(),
                Some(rest) => {
                    let _ = tokio::time::timeout(rest, self.deadline_moved.notified()).await;
                }
            }
        }
    }

    fn handle_timeout(&self) {
        self.enter(|run, now| {
            if let Some(run) = run {
                let random = run.random();
                run.state.handle_timeout(now, random);
                self.snapshots.changed();
            }
        });
    }
}
