use std::collections::BTreeSet;
use std::time::Instant;

use super::machine::Supervisor;
use super::record::{Action, BootReport};
use super::service::Service;
use crate::id::EntryId;
use crate::registry::kind::Startup;

/// The wait for required services.
pub(super) struct Boot {
    pub(super) deadline: Instant,
    undecided: BTreeSet<EntryId>,
    report: BootReport,
    /// Something gave up since the last look at who waits for it.
    recheck: bool,
}

impl Supervisor {
    /// Starts everything with `auto_start`, and what that needs. [`Action::Booted`] follows when
    /// each required one is up or hopeless, or when `Limits::boot` has passed.
    pub fn handle_boot(&mut self, now: Instant) {
        let roots: Vec<EntryId> = self.graph.roots().cloned().collect();
        let deadline = now.checked_add(self.limits.boot).unwrap_or(now);
        let undecided = self.required().map(|service| service.record.id.clone()).collect();
        self.boot =
            Some(Boot { deadline, undecided, report: BootReport::default(), recheck: false });
        self.want_running(now, &roots);
        self.settle(now);
    }

    /// Required services that are not up, with what they do instead. Empty means ready.
    pub fn unready(&self) -> Vec<(EntryId, String)> {
        let down = self.required().filter(|service| !service.is_up());
        down.map(|service| (service.record.id.clone(), standing(service))).collect()
    }

    /// The record of `id` has changed.
    pub(super) fn note_for_boot(&mut self, id: &EntryId) {
        let Some(boot) = &mut self.boot else { return };
        let Some(service) = self.services.get(id) else { return };
        if service.is_up() {
            boot.undecided.remove(id);
        }
        boot.recheck |= service.hopeless();
    }

    pub(super) fn finish_boot(&mut self) {
        let Some(mut boot) = self.boot.take() else { return };
        if std::mem::take(&mut boot.recheck) {
            let causes: Vec<_> =
                boot.undecided.iter().filter_map(|id| Some((id, self.cause(id)?))).collect();
            for (id, cause) in causes {
                let own = cause.record.id == *id;
                let reason = if own {
                    standing(cause)
                } else {
                    format!("{}: {}", cause.record.id, standing(cause))
                };
                boot.report.failed.push((id.clone(), reason));
            }
            boot.undecided.retain(|id| boot.report.failed.iter().all(|(failed, _)| failed != id));
        }
        if boot.undecided.is_empty() {
            self.actions.push_back(Action::Booted(boot.report));
        } else {
            self.boot = Some(boot);
        }
    }

    pub(super) fn boot_timeout(&mut self, now: Instant) {
        let Some(mut boot) = self.boot.take_if(|boot| boot.deadline <= now) else { return };
        let late = boot.undecided.iter().filter_map(|id| self.services.get(id));
        boot.report.late =
            late.map(|service| (service.record.id.clone(), standing(service))).collect();
        self.actions.push_back(Action::Booted(boot.report));
    }

    fn required(&self) -> impl Iterator<Item = &Service> {
        let required = |service: &&Service| {
            let lifecycle = &service.spec.lifecycle;
            lifecycle.auto_start && lifecycle.startup == Startup::Required
        };
        self.services.values().filter(required)
    }

    /// The service that keeps `id` from coming up for good, itself or something it waits for.
    fn cause(&self, id: &EntryId) -> Option<&Service> {
        let mut pending = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = pending.pop() {
            let Some(service) = self.services.get(id).filter(|_| seen.insert(id)) else { continue };
            if service.hopeless() {
                return Some(service);
            }
            if service.waits_to_begin() {
                pending.extend(self.graph.node(id).into_iter().flat_map(|node| &node.requires));
            }
        }
        None
    }
}

/// Status and details in one text.
fn standing(service: &Service) -> String {
    let record = &service.record;
    match record.details.as_str() {
        "" => record.status.to_string(),
        details => format!("{}, {details}", record.status),
    }
}
