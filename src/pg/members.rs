use imbl::OrdMap;
use imbl::ordmap::DiffItem;

use crate::id::Serial;

/// The members that one node has in one group: a multiset of [`Serial`], ordered by serial.
///
/// The map is persistent: cloning is a pointer, and a change after a clone copies one path. Joining
/// a group of a million members therefore costs about what joining an empty one costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    counts: OrdMap<Serial, u64>,
    slots: u64,
}

impl Members {
    /// Member slots: each member as often as it joined.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Whether nobody is a member.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How often `member` joined.
    pub fn times(&self, member: Serial) -> u64 {
        self.counts.get(&member).copied().unwrap_or(0)
    }

    /// Each member with how often it joined, by ascending serial.
    pub fn iter(&self) -> impl Iterator<Item = (Serial, u64)> + '_ {
        self.counts.iter().map(|(member, times)| (*member, *times))
    }

    /// Joins `member` `times` times more; answers how often it had joined before.
    pub(super) fn add(&mut self, member: Serial, times: u64) -> u64 {
        self.slots += times;
        match self.counts.get_mut(&member) {
            Some(count) => {
                *count += times;
                *count - times
            }
            None => {
                self.counts.insert(member, times);
                0
            }
        }
    }

    /// Takes up to `times` joins of `member` away; answers how many there were to take, and how
    /// many remain.
    pub(super) fn take(&mut self, member: Serial, times: u64) -> (u64, u64) {
        let Some(count) = self.counts.get_mut(&member) else { return (0, 0) };
        let taken = times.min(*count);
        *count -= taken;
        let rest = *count;
        if rest == 0 {
            self.counts.remove(&member);
        }
        self.slots -= taken;
        (taken, rest)
    }
}

impl FromIterator<(Serial, u64)> for Members {
    fn from_iter<I: IntoIterator<Item = (Serial, u64)>>(members: I) -> Self {
        let mut all = Self::default();
        for (member, times) in members {
            all.add(member, times);
        }
        all
    }
}

/// The difference between two multisets of members, as lists ordered by serial.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Joins that the newer one has and the older one has not.
    pub(super) joined: Vec<(Serial, u64)>,
    /// Joins that only the older one has.
    pub(super) left: Vec<(Serial, u64)>,
}

impl Difference {
    /// What turns `old` into `new`.
    pub(super) fn between(old: &Members, new: &Members) -> Self {
        let mut difference = Self::default();
        for change in old.counts.diff(&new.counts) {
            match change {
                DiffItem::Add(member, times) => difference.joined.push((*member, *times)),
                DiffItem::Remove(member, times) => difference.left.push((*member, *times)),
                DiffItem::Update { old: (member, before), new: (_, after) } if after > before => {
                    difference.joined.push((*member, after - before));
                }
                DiffItem::Update { old: (member, before), new: (_, after) } => {
                    difference.left.push((*member, before - after));
                }
            }
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(list: &[(u64, u64)]) -> Members {
        list.iter().map(|(member, times)| (Serial(*member), *times)).collect()
    }

    #[test]
    fn joining_twice_takes_two_leaves() {
        let mut group = Members::default();
        assert_eq!(group.add(Serial(7), 2), 0);
        assert_eq!((group.times(Serial(7)), group.slots()), (2, 2));
        assert_eq!(group.take(Serial(7), 1), (1, 1));
        assert!(!group.is_empty());
        assert_eq!(group.take(Serial(7), 5), (1, 0));
        assert_eq!(group.take(Serial(7), 1), (0, 0));
        assert!(group.is_empty());
        assert_eq!(group.slots(), 0);
    }

    #[test]
    fn a_clone_does_not_see_later_changes() {
        let mut group = members(&[(1, 1), (2, 1)]);
        let before = group.clone();
        group.add(Serial(3), 1);
        group.take(Serial(1), 1);
        assert_eq!(before, members(&[(1, 1), (2, 1)]));
        assert_eq!(group, members(&[(2, 1), (3, 1)]));
    }

    #[test]
    fn the_difference_is_exact() {
        let old = members(&[(1, 1), (2, 3), (4, 1), (5, 2)]);
        let new = members(&[(2, 1), (3, 1), (5, 4), (9, 1)]);
        let difference = Difference::between(&old, &new);
        assert_eq!(difference.left, [(Serial(1), 1), (Serial(2), 2), (Serial(4), 1)]);
        assert_eq!(difference.joined, [(Serial(3), 1), (Serial(5), 2), (Serial(9), 1)]);
        assert_eq!(Difference::between(&old, &old.clone()), Difference::default());
    }
}
