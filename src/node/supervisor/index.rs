use std::collections::BTreeSet;
use std::time::Instant;

use super::service::Service;
use crate::id::EntryId;

/// Which services have something to be done, so that an event costs what it changes and not the
/// number of services.
#[derive(Default)]
pub(super) struct Index {
    /// By deadline.
    pub(super) timers: BTreeSet<(Instant, EntryId)>,
    /// May begin when what they need is up; lowest level first.
    pub(super) to_begin: BTreeSet<(usize, EntryId)>,
    /// Should stop and were not told yet.
    pub(super) to_stop: BTreeSet<EntryId>,
    /// Not down, by level.
    pub(super) alive: BTreeSet<(usize, EntryId)>,
}

impl Index {
    /// Takes note of how `service` is now.
    pub(super) fn insert(&mut self, level: usize, service: &Service) {
        let id = &service.record.id;
        self.timers.extend(service.deadline.map(|deadline| (deadline, id.clone())));
        self.to_begin.extend(service.waits_to_begin().then(|| (level, id.clone())));
        self.to_stop.extend(service.waits_to_stop().then(|| id.clone()));
        self.alive.extend((!service.is_down()).then(|| (level, id.clone())));
    }

    /// Forgets how `service` was; to be called before it changes.
    pub(super) fn remove(&mut self, level: usize, service: &Service) {
        let id = &service.record.id;
        if let Some(deadline) = service.deadline {
            self.timers.remove(&(deadline, id.clone()));
        }
        self.to_begin.remove(&(level, id.clone()));
        self.to_stop.remove(id);
        self.alive.remove(&(level, id.clone()));
    }
}
