use rustc_hash::{FxHashMap, FxHashSetSeed, FxSeededState};
use smallvec::SmallVec;

use crate::id::{GroupName, Serial};

/// Which groups each process of this node is in, so that its end costs what it joined.
pub(super) struct Joined {
    by_member: FxHashMap<Serial, Groups>,
    /// Every group with a member here: what a sync lists.
    groups: FxHashSetSeed<GroupName>,
}

/// The groups of one process. Most are in one or two.
enum Groups {
    Few(SmallVec<[GroupName; 2]>),
    Many(FxHashSetSeed<GroupName>),
}

impl Joined {
    /// A process is searched for by going through a list up to this length.
    const FEW: usize = 16;

    /// Nobody is in any group; `hasher` spreads group names in a way that scripts cannot foresee.
    pub(super) fn new(hasher: FxSeededState) -> Self {
        Self { by_member: FxHashMap::default(), groups: FxHashSetSeed::with_hasher(hasher) }
    }

    /// `member` became a member of `group`.
    pub(super) fn insert(&mut self, member: Serial, group: GroupName) {
        let groups = self.by_member.entry(member).or_insert_with(|| Groups::Few(SmallVec::new()));
        match groups {
            Groups::Few(few) if few.contains(&group) => {}
            Groups::Few(few) if few.len() < Self::FEW => few.push(group),
            Groups::Few(few) => {
                let mut many = FxHashSetSeed::with_hasher(self.groups.hasher().clone());
                many.extend(few.drain(..));
                many.insert(group);
                *groups = Groups::Many(many);
            }
            Groups::Many(many) => {
                many.insert(group);
            }
        }
    }

    /// `member` is not in `group` any more.
    pub(super) fn remove(&mut self, member: Serial, group: &GroupName) {
        let Some(groups) = self.by_member.get_mut(&member) else { return };
        let empty = match groups {
            Groups::Few(few) => {
                few.retain(|known| known != group);
                few.is_empty()
            }
            Groups::Many(many) => {
                many.remove(group);
                many.is_empty()
            }
        };
        if empty {
            self.by_member.remove(&member);
        }
    }

    /// Forgets `member`; answers the groups that it was in.
    pub(super) fn remove_member(&mut self, member: Serial) -> Vec<GroupName> {
        match self.by_member.remove(&member) {
            None => Vec::new(),
            Some(Groups::Few(few)) => few.into_vec(),
            Some(Groups::Many(many)) => many.into_iter().collect(),
        }
    }

    /// Each process that is in any group with its groups, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Serial, Vec<GroupName>)> + '_ {
        self.by_member.iter().map(|(member, groups)| {
            let groups = match groups {
                Groups::Few(few) => few.to_vec(),
                Groups::Many(many) => many.iter().cloned().collect(),
            };
            (*member, groups)
        })
    }

    /// `group` got its first member of this node.
    pub(super) fn open(&mut self, group: GroupName) {
        self.groups.insert(group);
    }

    /// `group` lost its last member of this node.
    pub(super) fn close(&mut self, group: &GroupName) {
        self.groups.remove(group);
    }

    /// Every group with a member of this node, in no order.
    pub(super) fn groups(&self) -> impl Iterator<Item = &GroupName> {
        self.groups.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: usize) -> GroupName {
        format!("g{n}").parse().unwrap()
    }

    #[test]
    fn few_and_many_groups_behave_alike() {
        for count in [1, Joined::FEW, Joined::FEW + 1, 100] {
            let mut joined = Joined::new(FxSeededState::with_seed(5));
            for n in 0..count {
                joined.insert(Serial(1), name(n));
                joined.insert(Serial(1), name(n));
            }
            joined.insert(Serial(2), name(0));
            joined.remove(Serial(1), &name(0));
            let mut groups = joined.remove_member(Serial(1));
            groups.sort();
            let mut expected: Vec<_> = (1..count).map(name).collect();
            expected.sort();
            assert_eq!(groups, expected);
            assert_eq!(joined.remove_member(Serial(1)), []);
            assert_eq!(joined.remove_member(Serial(2)), [name(0)]);
            assert!(joined.by_member.is_empty());
        }
    }
}
