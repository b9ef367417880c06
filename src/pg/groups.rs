use std::sync::Arc;

use imbl::shared_ptr::DefaultSharedPtr;
use imbl::{GenericHashMap, OrdMap};
use rustc_hash::FxSeededState;

use super::digest::{name_hash, slot_hash};
use super::members::Members;
use crate::id::{GroupName, Serial};

/// A number for a peer within one [`super::State`], never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(pub(super) u32);

/// Whose members a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Here,
    Peer(PeerId),
}

/// Numbers over all groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Groups with at least one member.
    pub groups: u64,
    /// Member slots.
    pub slots: u64,
}

/// Every group that has a member, persistent: a clone is a pointer, a change after a clone copies
/// one path.
#[derive(Clone)]
pub(super) struct Groups {
    table: GenericHashMap<GroupName, Arc<Group>, FxSeededState, DefaultSharedPtr>,
    here: Totals,
    elsewhere: Totals,
}

/// One group's members, by node.
#[derive(Clone)]
pub(super) struct Group {
    name: GroupName,
    hash: u64,
    here: Members,
    elsewhere: OrdMap<PeerId, Members>,
    elsewhere_slots: u64,
}

/// What one join or leave did.
pub(super) struct Touched {
    /// The group's name as the table holds it, so that equal names share memory.
    pub(super) group: GroupName,
    /// The hash of each slot, for the digest.
    pub(super) slot_hash: u64,
    /// Slots that came or went.
    pub(super) times: u64,
    /// Slots that the member has in the group beside those.
    pub(super) member_rest: u64,
    /// Slots that all members of the place have in the group beside those.
    pub(super) place_rest: u64,
}

impl Groups {
    pub(super) fn new(hasher: FxSeededState) -> Self {
        Self {
            table: GenericHashMap::with_hasher(hasher),
            here: Totals::default(),
            elsewhere: Totals::default(),
        }
    }

    pub(super) fn get(&self, group: &str) -> Option<&Group> {
        self.table.get(group).map(|group| &**group)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Group> {
        self.table.values().map(|group| &**group)
    }

    pub(super) fn len(&self) -> u64 {
        self.table.len() as u64
    }

    /// Numbers of this node's own members.
    pub(super) fn here(&self) -> Totals {
        self.here
    }

    /// Numbers of all other nodes' members.
    pub(super) fn elsewhere(&self) -> Totals {
        self.elsewhere
    }

    /// `member` of `place` joins `group` `times` times more.
    pub(super) fn add(
        &mut self,
        place: Place,
        group: &GroupName,
        member: Serial,
        times: u64,
    ) -> Touched {
        self.change(place, group, |group| {
            let (member_rest, place_rest) =
                group.edit(place, |members| (members.add(member, times), members.slots() - times));
            group.touched(member, times, member_rest, place_rest)
        })
    }

    /// `member` of `place` leaves `group` up to `times` times; `None` if it is not in it.
    pub(super) fn take(
        &mut self,
        place: Place,
        group: &GroupName,
        member: Serial,
        times: u64,
    ) -> Option<Touched> {
        self.change(place, group, |group| {
            let (taken, member_rest, place_rest) = group.edit(place, |members| {
                let (taken, rest) = members.take(member, times);
                (taken, rest, members.slots())
            });
            (taken > 0).then(|| group.touched(member, taken, member_rest, place_rest))
        })
    }

    /// Puts `members` in the stead of those that `place` has in `group`; answers the old ones.
    pub(super) fn replace(&mut self, place: Place, group: &GroupName, members: Members) -> Members {
        self.change(place, group, |group| group.edit(place, |old| std::mem::replace(old, members)))
    }

    /// Runs `change` on a group, which is made for it and dropped after it if it is empty then.
    fn change<T>(
        &mut self,
        place: Place,
        name: &GroupName,
        change: impl FnOnce(&mut Group) -> T,
    ) -> T {
        let mut made = None;
        let group = match self.table.get_mut(name) {
            Some(group) => Arc::make_mut(group),
            None => made.insert(Group::new(name.clone())),
        };
        let before = group.side(place);
        let result = change(group);
        let after = group.side(place);
        let empty = group.is_empty();
        let totals = match place {
            Place::Here => &mut self.here,
            Place::Peer(_) => &mut self.elsewhere,
        };
        totals.groups = totals.groups - before.groups + after.groups;
        totals.slots = totals.slots - before.slots + after.slots;
        match made {
            Some(group) if !empty => drop(self.table.insert(name.clone(), Arc::new(group))),
            None if empty => drop(self.table.remove(name)),
            _ => {}
        }
        result
    }
}

impl Group {
    fn new(name: GroupName) -> Self {
        Self {
            hash: name_hash(name.as_str()),
            name,
            here: Members::default(),
            elsewhere: OrdMap::new(),
            elsewhere_slots: 0,
        }
    }

    pub(super) fn name(&self) -> &GroupName {
        &self.name
    }

    /// Member slots on all nodes.
    pub(super) fn slots(&self) -> u64 {
        self.here.slots() + self.elsewhere_slots
    }

    /// This node's members.
    pub(super) fn here(&self) -> &Members {
        &self.here
    }

    /// The members of each other node that has any.
    pub(super) fn elsewhere(&self) -> impl Iterator<Item = (PeerId, &Members)> {
        self.elsewhere.iter().map(|(peer, members)| (*peer, members))
    }

    /// The hash of a slot of `member`, for the digest.
    pub(super) fn slot_hash(&self, member: Serial) -> u64 {
        slot_hash(self.hash, member)
    }

    /// What this group adds to the totals of the side that `place` is on.
    fn side(&self, place: Place) -> Totals {
        let (empty, slots) = match place {
            Place::Here => (self.here.is_empty(), self.here.slots()),
            Place::Peer(_) => (self.elsewhere.is_empty(), self.elsewhere_slots),
        };
        Totals { groups: u64::from(!empty), slots }
    }

    fn is_empty(&self) -> bool {
        self.here.is_empty() && self.elsewhere.is_empty()
    }

    fn edit<T>(&mut self, place: Place, edit: impl FnOnce(&mut Members) -> T) -> T {
        let Place::Peer(peer) = place else { return edit(&mut self.here) };
        let members = self.elsewhere.entry(peer).or_default();
        let before = members.slots();
        let result = edit(members);
        let after = members.slots();
        if members.is_empty() {
            self.elsewhere.remove(&peer);
        }
        self.elsewhere_slots = self.elsewhere_slots - before + after;
        result
    }

    fn touched(&self, member: Serial, times: u64, member_rest: u64, place_rest: u64) -> Touched {
        Touched {
            group: self.name.clone(),
            slot_hash: self.slot_hash(member),
            times,
            member_rest,
            place_rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: Place = Place::Peer(PeerId(4));

    fn name(text: &str) -> GroupName {
        text.parse().unwrap()
    }

    #[test]
    fn groups_exist_while_they_have_a_member() {
        let mut groups = Groups::new(FxSeededState::with_seed(1));
        let first = groups.add(Place::Here, &name("g"), Serial(1), 2);
        assert_eq!((first.member_rest, first.place_rest), (0, 0));
        let second = groups.add(PEER, &name("g"), Serial(1), 1);
        assert_eq!((second.member_rest, second.place_rest), (0, 0));
        assert_eq!(groups.get("g").unwrap().slots(), 3);
        let left = groups.take(Place::Here, &name("g"), Serial(1), 1).unwrap();
        assert_eq!((left.times, left.member_rest, left.place_rest), (1, 1, 1));
        assert!(groups.take(Place::Here, &name("g"), Serial(9), 1).is_none());
        assert_eq!(groups.take(Place::Here, &name("g"), Serial(1), 9).unwrap().times, 1);
        assert_eq!(groups.here(), Totals::default());
        assert_eq!(groups.elsewhere(), Totals { groups: 1, slots: 1 });
        assert_eq!(groups.replace(PEER, &name("g"), Members::default()).slots(), 1);
        assert_eq!((groups.len(), groups.elsewhere()), (0, Totals::default()));
        assert!(groups.take(PEER, &name("g"), Serial(1), 1).is_none());
        assert_eq!(groups.len(), 0);
    }

    #[test]
    fn a_clone_keeps_what_it_saw() {
        let mut groups = Groups::new(FxSeededState::with_seed(1));
        for n in 0..100 {
            groups.add(Place::Here, &name(&format!("g{n}")), Serial(n), 1);
        }
        let before = groups.clone();
        for n in 0..100 {
            groups.take(Place::Here, &name(&format!("g{n}")), Serial(n), 1);
        }
        assert_eq!((groups.len(), before.len()), (0, 100));
        assert_eq!(before.here(), Totals { groups: 100, slots: 100 });
        assert_eq!(before.iter().map(Group::slots).sum::<u64>(), 100);
    }
}
