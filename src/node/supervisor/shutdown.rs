use std::time::Instant;

use super::machine::Supervisor;
use super::record::{Action, ShutdownReport};
use crate::id::EntryId;

/// The stop of everything.
pub(super) enum Shutdown {
    /// Under way, to be over at the deadline.
    Until(Instant),
    /// The report was given.
    Over,
}

impl Shutdown {
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Until(deadline) => Some(*deadline),
            Self::Over => None,
        }
    }
}

impl Supervisor {
    /// Stops everything, dependents before what they need, one level at a time. Pending starts and
    /// retries are cancelled at once. [`Action::Down`] follows, at the latest when
    /// `Limits::shutdown` has passed. Calls after the first change nothing.
    pub fn handle_shutdown(&mut self, now: Instant) {
        if self.shutdown.is_some() {
            return;
        }
        let deadline = now.checked_add(self.limits.shutdown).unwrap_or(now);
        self.shutdown = Some(Shutdown::Until(deadline));
        self.boot = None;
        self.update = None;
        let ids: Vec<EntryId> = self.services.keys().cloned().collect();
        for id in &ids {
            self.change(now, id, |service, _, actions| service.want_stopped(now, actions));
        }
        self.settle(now);
    }

    pub(super) fn finish_shutdown(&mut self) {
        if self.index.alive.is_empty() {
            self.report_down(Vec::new());
        }
    }

    pub(super) fn shutdown_timeout(&mut self, now: Instant) {
        let passed =
            self.shutdown.as_ref().and_then(Shutdown::deadline).is_some_and(|at| at <= now);
        if !passed {
            return;
        }
        let left: Vec<EntryId> = self.index.alive.iter().rev().map(|(_, id)| id.clone()).collect();
        for id in &left {
            let reason = "terminated: the time to shut down was over";
            self.change(now, id, |service, _, actions| service.abandon(reason, actions));
        }
        self.report_down(left);
    }

    fn report_down(&mut self, left: Vec<EntryId>) {
        if !matches!(self.shutdown, Some(Shutdown::Until(_))) {
            return;
        }
        self.shutdown = Some(Shutdown::Over);
        let others = self.services.values().filter(|service| !left.contains(&service.record.id));
        let forced = others
            .filter_map(|service| Some((service.record.id.clone(), service.forced()?.to_owned())));
        let forced = forced.collect();
        self.actions.push_back(Action::Down(ShutdownReport { forced, left }));
    }
}
