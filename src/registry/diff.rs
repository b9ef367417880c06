use std::collections::BTreeSet;

use crate::id::EntryId;

use super::snapshot::Registry;

/// What is different between two versions of a registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Only in the newer one.
    pub added: BTreeSet<EntryId>,
    /// Only in the older one.
    pub removed: BTreeSet<EntryId>,
    /// In both, with another kind, metadata or data.
    pub changed: BTreeSet<EntryId>,
    /// In both and the same, but with an import that is in one of the other sets, directly or
    /// through further imports.
    pub affected: BTreeSet<EntryId>,
}

impl Changes {
    /// What leads from `old` to `new`.
    pub fn between(old: &Registry, new: &Registry) -> Self {
        let ids = |registry: &Registry| -> BTreeSet<EntryId> {
            registry.iter().map(|entry| entry.id().clone()).collect()
        };
        let (old_ids, new_ids) = (ids(old), ids(new));
        let changed: BTreeSet<EntryId> = new
            .iter()
            .filter(|entry| old.get(entry.id()).is_some_and(|old| !entry.is_same_as(old)))
            .map(|entry| entry.id().clone())
            .collect();
        let added: BTreeSet<EntryId> = new_ids.difference(&old_ids).cloned().collect();
        let removed: BTreeSet<EntryId> = old_ids.difference(&new_ids).cloned().collect();
        let mut reached: BTreeSet<EntryId> =
            changed.iter().chain(&added).chain(&removed).cloned().collect();
        let mut affected = BTreeSet::new();
        loop {
            let importers: Vec<EntryId> = new
                .iter()
                .filter(|entry| !reached.contains(entry.id()))
                .filter(|entry| entry.imports().any(|id| reached.contains(id)))
                .map(|entry| entry.id().clone())
                .collect();
            if importers.is_empty() {
                return Self { added, removed, changed, affected };
            }
            reached.extend(importers.iter().cloned());
            affected.extend(importers);
        }
    }

    /// Whether the two are the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}
