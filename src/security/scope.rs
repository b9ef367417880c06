use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::policies::Snapshot;
use super::{Actor, Check, Effect, Outcome, Policies, Policy};
use crate::id::EntryId;

/// An immutable set of policies, keyed by policy id. Cloning is a reference count.
///
/// A scope names its policies, directly and by group, and is always read against the policies in
/// force: after [`Policies::replace`] a policy that is gone says nothing any more, and one that
/// joined a group of the scope speaks at once.
#[derive(Clone)]
pub struct Scope(Arc<Parts>);

struct Parts {
    policies: Policies,
    selection: Selection,
    /// The selection read against the store, in the generation that was current last.
    resolved: ArcSwap<Resolved>,
}

/// Which policies a scope has: all of some groups and some single ones, less some.
#[derive(Clone, Default)]
pub(super) struct Selection {
    groups: BTreeSet<EntryId>,
    policies: BTreeSet<EntryId>,
    without: BTreeSet<EntryId>,
}

struct Resolved {
    generation: u64,
    deny: Box<[Arc<Policy>]>,
    allow: Box<[Arc<Policy>]>,
}

impl Scope {
    pub(super) fn new(policies: Policies, selection: Selection) -> Self {
        let resolved = Resolved::read(&selection, &policies.snapshot());
        Self(Arc::new(Parts { policies, selection, resolved: ArcSwap::from_pointee(resolved) }))
    }

    /// What the policies of this scope say about `check`: [`Outcome::Deny`] if any denies, else
    /// [`Outcome::Allow`] if any allows. Their order does not matter. A panic inside counts as
    /// [`Outcome::Deny`].
    pub fn evaluate(&self, actor: Option<&Actor>, check: &Check<'_>) -> Outcome {
        denied_on_panic(|| {
            let current = self.0.resolved.load();
            if current.generation == self.0.policies.generation() {
                current.evaluate(actor, check)
            } else {
                self.refresh().evaluate(actor, check)
            }
        })
    }

    /// This scope and `policy`.
    #[must_use]
    pub fn with(&self, policy: &EntryId) -> Self {
        let mut selection = self.0.selection.clone();
        selection.without.remove(policy);
        selection.policies.insert(policy.clone());
        Self::new(self.0.policies.clone(), selection)
    }

    /// This scope without `policy`, also if it came by a group.
    #[must_use]
    pub fn without(&self, policy: &EntryId) -> Self {
        let mut selection = self.0.selection.clone();
        selection.policies.remove(policy);
        if !selection.groups.is_empty() {
            selection.without.insert(policy.clone());
        }
        Self::new(self.0.policies.clone(), selection)
    }

    /// Whether `policy` is in force and in this scope.
    pub fn contains(&self, policy: &EntryId) -> bool {
        self.policies().iter().any(|own| own.id() == policy)
    }

    /// The policies of this scope that are in force, ordered by id.
    pub fn policies(&self) -> Vec<Arc<Policy>> {
        let current = self.refresh();
        let mut policies: Vec<_> = current.deny.iter().chain(&current.allow).cloned().collect();
        policies.sort_by(|a, b| a.id().cmp(b.id()));
        policies
    }

    fn refresh(&self) -> Arc<Resolved> {
        let current = self.0.resolved.load_full();
        if current.generation == self.0.policies.generation() {
            return current;
        }
        let read = Arc::new(Resolved::read(&self.0.selection, &self.0.policies.snapshot()));
        self.0.resolved.store(read.clone());
        read
    }
}

impl Selection {
    pub(super) fn new(
        groups: impl IntoIterator<Item = EntryId>,
        policies: impl IntoIterator<Item = EntryId>,
    ) -> Self {
        Self {
            groups: groups.into_iter().collect(),
            policies: policies.into_iter().collect(),
            without: BTreeSet::new(),
        }
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = &EntryId> {
        self.groups.iter()
    }

    pub(super) fn policies(&self) -> impl Iterator<Item = &EntryId> {
        self.policies.iter()
    }
}

impl Resolved {
    fn read(selection: &Selection, snapshot: &Snapshot) -> Self {
        let by_group = selection.groups.iter().flat_map(|group| snapshot.group(group));
        let single = selection.policies.iter().filter_map(|id| snapshot.policy(id));
        let by_id: BTreeMap<&EntryId, &Arc<Policy>> = by_group
            .chain(single)
            .map(|policy| (policy.id(), policy))
            .filter(|(id, _)| !selection.without.contains(*id))
            .collect();
        let (deny, allow): (Vec<_>, Vec<_>) =
            by_id.into_values().cloned().partition(|policy| policy.effect() == Effect::Deny);
        Self { generation: snapshot.generation, deny: deny.into(), allow: allow.into() }
    }

    fn evaluate(&self, actor: Option<&Actor>, check: &Check<'_>) -> Outcome {
        let says = |policies: &[Arc<Policy>], outcome| {
            policies.iter().any(|policy| policy.evaluate(actor, check) == outcome)
        };
        if says(&self.deny, Outcome::Deny) {
            Outcome::Deny
        } else if says(&self.allow, Outcome::Allow) {
            Outcome::Allow
        } else {
            Outcome::Undefined
        }
    }
}

fn denied_on_panic(evaluate: impl FnOnce() -> Outcome) -> Outcome {
    // Evaluation only reads, apart from caches that are replaced whole, so nothing half-done stays.
    catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|_| {
        tracing::error!("a permission check panicked and is answered with deny");
        Outcome::Deny
    })
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.policies().iter().map(|policy| policy.id().clone())).finish()
    }
}

#[cfg(test)]
mod tests;
