use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashMapSeed, FxSeededState};
use smallvec::SmallVec;

use super::hosts::Hosts;
use super::view::{Member, named};
use crate::id::{GroupName, Origin, Serial};

/// A number for one subscription within one [`super::State`], never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptionId(u64);

/// What happened to a membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// `member.joined`.
    Joined,
    /// `member.left`.
    Left,
}

/// Members of one node that joined or left one group in one step.
#[derive(Clone, Debug)]
pub struct Event {
    /// Who wants to know, in no order.
    pub to: SmallVec<[SubscriptionId; 2]>,
    /// Whether they joined or left.
    pub change: Change,
    /// Which group.
    pub group: GroupName,
    pub(super) origin: Arc<Origin>,
    pub(super) hosts: Hosts,
    pub(super) members: SmallVec<[(Serial, u64); 1]>,
}

impl Event {
    /// The members, each with how many of its slots came or went.
    pub fn members(&self) -> impl Iterator<Item = (Member<'_>, u64)> {
        named(&self.origin, &self.hosts, self.members.iter().copied())
    }
}

/// The subscriptions of this node's processes and the events that wait to be fetched.
pub(super) struct Watchers {
    by_group: FxHashMapSeed<GroupName, SmallVec<[SubscriptionId; 2]>>,
    of_all: Vec<SubscriptionId>,
    known: FxHashMap<SubscriptionId, (Serial, Option<GroupName>)>,
    by_owner: FxHashMap<Serial, SmallVec<[SubscriptionId; 2]>>,
    last: u64,
    events: VecDeque<Event>,
}

impl Watchers {
    pub(super) fn new(hasher: FxSeededState) -> Self {
        Self {
            by_group: FxHashMapSeed::with_hasher(hasher),
            of_all: Vec::new(),
            known: FxHashMap::default(),
            by_owner: FxHashMap::default(),
            last: 0,
            events: VecDeque::new(),
        }
    }

    /// Subscribes `owner` to one group, or to all of them.
    pub(super) fn insert(&mut self, owner: Serial, group: Option<GroupName>) -> SubscriptionId {
        self.last += 1;
        let id = SubscriptionId(self.last);
        match &group {
            Some(group) => self.by_group.entry(group.clone()).or_default().push(id),
            None => self.of_all.push(id),
        }
        self.by_owner.entry(owner).or_default().push(id);
        self.known.insert(id, (owner, group));
        id
    }

    /// Ends a subscription and takes back its events; answers whether there was one.
    pub(super) fn remove(&mut self, id: SubscriptionId) -> bool {
        let Some((owner, group)) = self.known.remove(&id) else { return false };
        match &group {
            Some(group) => {
                if let Some(ids) = self.by_group.get_mut(group) {
                    ids.retain(|known| *known != id);
                    if ids.is_empty() {
                        self.by_group.remove(group);
                    }
                }
            }
            None => self.of_all.retain(|known| *known != id),
        }
        if let Some(ids) = self.by_owner.get_mut(&owner) {
            ids.retain(|known| *known != id);
            if ids.is_empty() {
                self.by_owner.remove(&owner);
            }
        }
        for event in &mut self.events {
            event.to.retain(|known| *known != id);
        }
        self.events.retain(|event| !event.to.is_empty());
        true
    }

    /// Ends all subscriptions of a process; answers which.
    pub(super) fn remove_owner(&mut self, owner: Serial) -> SmallVec<[SubscriptionId; 2]> {
        let ids = self.by_owner.get(&owner).cloned().unwrap_or_default();
        for id in &ids {
            self.remove(*id);
        }
        ids
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether anybody wants to know about `group`.
    pub(super) fn want(&self, group: &GroupName) -> bool {
        !self.known.is_empty() && (!self.of_all.is_empty() || self.by_group.contains_key(group))
    }

    /// Queues an event for whoever wants it.
    pub(super) fn emit(
        &mut self,
        change: Change,
        group: &GroupName,
        whose: (&Arc<Origin>, &Hosts),
        members: impl IntoIterator<Item = (Serial, u64)>,
    ) {
        if !self.want(group) {
            return;
        }
        let mut to: SmallVec<[SubscriptionId; 2]> = self.of_all.as_slice().into();
        to.extend_from_slice(self.by_group.get(group).map_or(&[], |ids| ids.as_slice()));
        let members: SmallVec<_> = members.into_iter().collect();
        if !members.is_empty() {
            let (origin, hosts) = (whose.0.clone(), whose.1.clone());
            self.events.push_back(Event {
                to,
                change,
                group: group.clone(),
                origin,
                hosts,
                members,
            });
        }
    }

    /// The next event in the order in which things happened.
    pub(super) fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Incarnation;

    fn emit(watchers: &mut Watchers, group: &str) -> Vec<SubscriptionId> {
        let origin = Arc::new(Origin { node: "n".parse().unwrap(), incarnation: Incarnation(1) });
        let group = group.parse().unwrap();
        let hosts = Hosts::default();
        watchers.emit(Change::Joined, &group, (&origin, &hosts), [(Serial(1), 1)]);
        watchers.poll().map(|event| event.to.into_vec()).unwrap_or_default()
    }

    #[test]
    fn events_go_to_the_subscribers_of_the_group_and_of_all() {
        let mut watchers = Watchers::new(FxSeededState::with_seed(1));
        assert_eq!(emit(&mut watchers, "a"), []);
        let one = watchers.insert(Serial(1), Some("a".parse().unwrap()));
        let all = watchers.insert(Serial(2), None);
        assert_eq!(emit(&mut watchers, "a"), [all, one]);
        assert_eq!(emit(&mut watchers, "b"), [all]);
        assert!(watchers.remove(all));
        assert!(!watchers.remove(all));
        assert_eq!(emit(&mut watchers, "b"), []);
        let again = watchers.insert(Serial(1), Some("b".parse().unwrap()));
        assert_eq!(watchers.remove_owner(Serial(1)).as_slice(), [one, again]);
        assert_eq!(emit(&mut watchers, "a"), []);
        assert!(watchers.by_group.is_empty() && watchers.by_owner.is_empty());
        assert_eq!(watchers.len(), 0);
    }
}
