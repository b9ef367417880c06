use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::scope::Selection;
use super::{Policy, Scope};
use crate::id::EntryId;

type ById<T> = HashMap<EntryId, T, FxBuildHasher>;

/// All policies in force on a node. Cloning shares the store.
///
/// [`Policies::replace`] exchanges them in one step: every check that begins afterwards, in any
/// process and any scope, meets the new ones.
#[derive(Clone)]
pub struct Policies(Arc<Store>);

struct Store {
    current: ArcSwap<Snapshot>,
    /// The generation of `current`, readable without touching it. Written after `current`, so who
    /// reads a generation here finds a snapshot at least as new.
    generation: AtomicU64,
    /// Held while replacing, so that generations follow the order of the exchanges.
    replacing: Mutex<()>,
}

/// One immutable set of policies.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) generation: u64,
    by_id: ById<Arc<Policy>>,
    groups: ById<Vec<Arc<Policy>>>,
}

/// Why policies cannot be put in force, or a scope not be made from them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoliciesError {
    /// Two policies have the same id: keep one.
    #[error("policy {0} is defined twice")]
    Duplicate(EntryId),
    /// No loaded policy has this id: load it or correct the reference.
    #[error("no policy {0:?}")]
    UnknownPolicy(EntryId),
    /// No loaded policy lists this group: correct the reference, or let a policy name the group.
    #[error("no policy belongs to group {0:?}")]
    UnknownGroup(EntryId),
}

impl Policies {
    /// A store with `policies` in force.
    pub fn new(policies: impl IntoIterator<Item = Policy>) -> Result<Self, PoliciesError> {
        let snapshot = Snapshot::build(0, policies)?;
        Ok(Self(Arc::new(Store {
            current: ArcSwap::from_pointee(snapshot),
            generation: AtomicU64::new(0),
            replacing: Mutex::new(()),
        })))
    }

    /// Puts `policies` in force instead of all present ones. On an error nothing changes.
    pub fn replace(&self, policies: impl IntoIterator<Item = Policy>) -> Result<(), PoliciesError> {
        let _one_at_a_time = self.0.replacing.lock();
        let generation = self.generation() + 1;
        let snapshot = Snapshot::build(generation, policies)?;
        self.0.current.store(Arc::new(snapshot));
        self.0.generation.store(generation, Ordering::Release);
        Ok(())
    }

    /// The policy with this id, if it is in force.
    pub fn get(&self, id: &EntryId) -> Option<Arc<Policy>> {
        self.0.current.load().by_id.get(id).cloned()
    }

    /// Whether any policy in force belongs to `group`.
    pub fn has_group(&self, group: &EntryId) -> bool {
        self.0.current.load().groups.contains_key(group)
    }

    /// A scope without policies: it allows nothing.
    pub fn empty_scope(&self) -> Scope {
        Scope::new(self.clone(), Selection::default())
    }

    /// A scope of all policies of `groups` and of `policies`, each of which must be in force now.
    pub fn scope(
        &self,
        groups: impl IntoIterator<Item = EntryId>,
        policies: impl IntoIterator<Item = EntryId>,
    ) -> Result<Scope, PoliciesError> {
        let selection = Selection::new(groups, policies);
        let current = self.0.current.load();
        for group in selection.groups() {
            if !current.groups.contains_key(group) {
                return Err(PoliciesError::UnknownGroup(group.clone()));
            }
        }
        for id in selection.policies() {
            if !current.by_id.contains_key(id) {
                return Err(PoliciesError::UnknownPolicy(id.clone()));
            }
        }
        Ok(Scope::new(self.clone(), selection))
    }

    pub(super) fn generation(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.0.current.load_full()
    }
}

impl Snapshot {
    fn build(
        generation: u64,
        policies: impl IntoIterator<Item = Policy>,
    ) -> Result<Self, PoliciesError> {
        let mut snapshot = Self { generation, ..Self::default() };
        for policy in policies {
            let policy = Arc::new(policy);
            match snapshot.by_id.entry(policy.id().clone()) {
                Entry::Occupied(taken) => {
                    return Err(PoliciesError::Duplicate(taken.key().clone()));
                }
                Entry::Vacant(free) => free.insert(policy.clone()),
            };
            for group in policy.groups() {
                snapshot.groups.entry(group.clone()).or_default().push(policy.clone());
            }
        }
        Ok(snapshot)
    }

    pub(super) fn policy(&self, id: &EntryId) -> Option<&Arc<Policy>> {
        self.by_id.get(id)
    }

    pub(super) fn group(&self, group: &EntryId) -> &[Arc<Policy>] {
        self.groups.get(group).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.current.load().by_id.keys()).finish()
    }
}
