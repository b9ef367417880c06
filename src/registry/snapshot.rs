use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::Report;
use crate::id::EntryId;

use super::entry::Entry;
use super::find::Filter;
use super::kind::{Definition, Kind};

/// All entries of an application in one version: checked as a whole, never changed. Cloning is a
/// reference count.
#[derive(Debug, Clone)]
pub struct Registry(Arc<Snapshot>);

#[derive(Debug, Clone)]
struct Snapshot {
    version: u64,
    root: Option<PathBuf>,
    entries: BTreeMap<EntryId, Arc<Entry>>,
    warnings: Report,
}

impl Registry {
    pub(super) fn new(entries: Vec<Entry>, warnings: Report) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.id().clone(), Arc::new(entry)));
        let entries = entries.collect();
        Self(Arc::new(Snapshot { version: 1, root: None, entries, warnings }))
    }

    pub(super) fn in_directory(self, root: &Path) -> Self {
        Self(Arc::new(Snapshot { root: Some(root.to_owned()), ..Arc::unwrap_or_clone(self.0) }))
    }

    pub(super) fn with_version(self, version: u64) -> Self {
        Self(Arc::new(Snapshot { version, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Grows with each [`reload`](Self::reload), from 1.
    pub fn version(&self) -> u64 {
        self.0.version
    }

    /// The directory that it was loaded from.
    pub fn root(&self) -> Option<&Path> {
        self.0.root.as_deref()
    }

    /// What is doubtful, but no error.
    pub fn warnings(&self) -> &Report {
        &self.0.warnings
    }

    /// The entry `id`.
    pub fn get(&self, id: &EntryId) -> Option<&Arc<Entry>> {
        self.0.entries.get(id)
    }

    /// All entries, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.0.entries.values()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// The entries of `kind`, by id.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Arc<Entry>> {
        self.iter().filter(move |entry| entry.kind() == kind)
    }

    /// The entries that `filter` wants, by id.
    pub fn find<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.iter().filter(|entry| filter.matches(entry))
    }

    /// The entries that a person may mean by `text`: the one of that full id, else all of that
    /// bare name.
    pub fn named(&self, text: &str) -> Vec<&Arc<Entry>> {
        match text.parse::<EntryId>() {
            Ok(id) => self.get(&id).into_iter().collect(),
            Err(_) => self.iter().filter(|entry| entry.id().name() == text).collect(),
        }
    }

    /// The policies that are in `group`, by id.
    pub fn policies_in(&self, group: &EntryId) -> impl Iterator<Item = &Arc<Entry>> {
        self.iter().filter(move |entry| match entry.definition() {
            Definition::SecurityPolicy(policy) => policy.groups.contains(group),
            _ => false,
        })
    }

    /// The services that service `id` has to wait for: those that it requires, and its host. Other
    /// entries that it requires have nothing to start (supervision.md section 4).
    pub fn dependencies(&self, id: &EntryId) -> Vec<EntryId> {
        let Some(entry) = self.get(id) else { return Vec::new() };
        let required = entry.definition().lifecycle().map(|lifecycle| &lifecycle.requires);
        let host = match entry.definition() {
            Definition::ProcessService(service) => Some(&service.host),
            _ => None,
        };
        let is_service =
            |id: &&EntryId| self.get(id).is_some_and(|entry| entry.kind().is_service());
        let all = required.into_iter().flatten().chain(host);
        all.filter(is_service).cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The services to start with the node, in steps: those of one step depend on earlier steps
    /// only. They are all that start by themselves, and what these depend on. Stopping goes the
    /// other way round.
    pub fn start_order(&self) -> Vec<Vec<EntryId>> {
        let auto_start = |entry: &&Arc<Entry>| {
            entry.definition().lifecycle().is_some_and(|lifecycle| lifecycle.auto_start)
        };
        let mut waiting: BTreeMap<EntryId, Vec<EntryId>> = BTreeMap::new();
        let mut found: Vec<EntryId> =
            self.iter().filter(auto_start).map(|e| e.id().clone()).collect();
        while let Some(id) = found.pop() {
            let MapEntry::Vacant(place) = waiting.entry(id) else { continue };
            let dependencies = self.dependencies(place.key());
            found.extend(dependencies.iter().cloned());
            place.insert(dependencies);
        }
        let mut steps = Vec::new();
        while !waiting.is_empty() {
            let is_ready = |on: &&Vec<EntryId>| on.iter().all(|id| !waiting.contains_key(id));
            let ready = waiting.iter().filter(|(_, on)| is_ready(on)).map(|(id, _)| id.clone());
            let step: Vec<EntryId> = ready.collect();
            if step.is_empty() {
                // A circle; loading refuses those.
                break;
            }
            step.iter().for_each(|id| drop(waiting.remove(id)));
            steps.push(step);
        }
        steps
    }
}
