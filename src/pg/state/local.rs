use std::time::Duration;

use smallvec::{SmallVec, smallvec};

use super::{Session, State, Ticket};
use crate::id::{EntryId, GroupName, HostIndex, NodeName, Serial};
use crate::pg::announcer::Fit;
use crate::pg::groups::Place;
use crate::pg::members::Members;
use crate::pg::watchers::{Change, SubscriptionId};

/// Why a join was refused; nothing happened then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// The cluster would have more than `limit` groups (`max_groups`).
    Groups {
        /// The first group that does not fit.
        group: GroupName,
        /// The limit.
        limit: u64,
    },
    /// The group would have more than `limit` member slots (`max_members_per_group`).
    Members {
        /// The first group that is too full.
        group: GroupName,
        /// The limit.
        limit: u64,
    },
    /// The host of the process was never named with [`State::learn_host`].
    UnknownHost(HostIndex),
}

/// The process was in none of the groups that it should leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJoined;

/// How far a broadcast goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// To the members on all nodes.
    Cluster,
    /// To the members on this node.
    Node,
}

/// Who a broadcast goes to, as of one point of the serial order.
#[derive(Clone, Debug, Default)]
pub struct Recipients {
    /// This node's members.
    pub local: Option<Members>,
    /// The nodes to send one frame each to. The outcome of each has to be told with
    /// [`State::handle_sent`].
    pub remote: SmallVec<[Target; 4]>,
}

/// One node that a broadcast goes to.
#[derive(Clone, Debug)]
pub struct Target {
    /// Which node.
    pub to: NodeName,
    /// Member slots of the group there.
    pub slots: u64,
    /// To tell the outcome with.
    pub ticket: Ticket,
}

/// Groups with how often each is meant, none twice.
pub(super) type Counted = SmallVec<[(GroupName, u64); 2]>;

impl State {
    /// Whether the host of `member` has been named.
    pub fn knows_host(&self, member: Serial) -> bool {
        self.view.hosts.get(member.host_index()).is_some()
    }

    /// Names a host of this node. An index keeps the name that it first got.
    pub fn learn_host(&mut self, index: HostIndex, id: &EntryId) {
        // A second name for an index cannot come from a working process table.
        let _ = self.view.hosts.learn(index, id.as_str());
    }

    /// `member` joins every one of `groups`, twice where a name stands twice: one step.
    ///
    /// # Errors
    /// [`JoinError`]; then it joined none of them.
    pub fn handle_join(
        &mut self,
        now: Duration,
        member: Serial,
        groups: &[GroupName],
    ) -> Result<(), JoinError> {
        let counted = counted(groups);
        if counted.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.check_join(member, &counted) {
            self.stats.joins_refused += 1;
            return Err(error);
        }
        self.stats.joins += 1;
        self.last_activity = now;
        self.add(member, &counted);
        Ok(())
    }

    /// `member` leaves those of `groups` that it is in, twice where a name stands twice: one step.
    ///
    /// # Errors
    /// [`NotJoined`] if it is in none of them.
    pub fn handle_leave(
        &mut self,
        now: Duration,
        member: Serial,
        groups: &[GroupName],
    ) -> Result<(), NotJoined> {
        let left = self.take(member, counted(groups));
        if left.is_empty() {
            self.stats.leaves_refused += 1;
            return Err(NotJoined);
        }
        self.stats.leaves += 1;
        self.last_activity = now;
        self.step(Change::Left, member, &left);
        Ok(())
    }

    /// `member` ended: it leaves everything in one step, and its subscriptions end before that.
    /// Answers which those were.
    pub fn handle_exit(&mut self, member: Serial) -> SmallVec<[SubscriptionId; 2]> {
        let subscriptions = self.watchers.remove_owner(member);
        let groups = self.joined.remove_member(member);
        let left = self.take(member, groups.into_iter().map(|group| (group, u64::MAX)).collect());
        if !left.is_empty() {
            self.step(Change::Left, member, &left);
        }
        subscriptions
    }

    /// Subscribes `owner` to the changes of one group. [`State::view`] is the picture that they
    /// start from.
    pub fn handle_monitor(&mut self, owner: Serial, group: GroupName) -> SubscriptionId {
        self.watchers.insert(owner, Some(group))
    }

    /// Subscribes `owner` to the changes of all groups. [`State::view`] is the picture that they
    /// start from.
    pub fn handle_events(&mut self, owner: Serial) -> SubscriptionId {
        self.watchers.insert(owner, None)
    }

    /// Ends a subscription: no event names it afterwards. Answers whether there was one.
    pub fn handle_unsubscribe(&mut self, subscription: SubscriptionId) -> bool {
        self.watchers.remove(subscription)
    }

    /// Who a broadcast to `group` goes to now.
    pub fn handle_broadcast(&mut self, now: Duration, group: &str, reach: Reach) -> Recipients {
        self.last_activity = now;
        let mut recipients =
            Recipients { local: self.view.local(group).cloned(), remote: SmallVec::new() };
        match reach {
            Reach::Node => self.stats.local_broadcasts += 1,
            Reach::Cluster => {
                self.stats.broadcasts += 1;
                self.choose_targets(now, group, &mut recipients.remote);
            }
        }
        let local_slots = recipients.local.as_ref().map_or(0, Members::slots);
        let remote_slots = recipients.remote.iter().map(|target| target.slots).sum::<u64>();
        self.stats.recipients.observe(local_slots + remote_slots);
        recipients
    }

    fn choose_targets(&mut self, now: Duration, group: &str, targets: &mut SmallVec<[Target; 4]>) {
        let Some(group) = self.view.groups.get(group) else { return };
        for (id, members) in group.elsewhere() {
            let Some(peer) = self.peers.get_mut(&id) else { continue };
            if peer.session == Session::Down {
                self.stats.broadcasts_failed += 1;
                self.stats.breaker_trips += u64::from(peer.breaker.failed(now, &self.config));
            } else if !peer.breaker.admit(now) {
                self.stats.broadcasts_skipped += 1;
            } else {
                targets.push(Target {
                    to: peer.origin.node.clone(),
                    slots: members.slots(),
                    ticket: Ticket::broadcast(id),
                });
            }
        }
    }

    fn check_join(&self, member: Serial, groups: &Counted) -> Result<(), JoinError> {
        if !self.knows_host(member) {
            return Err(JoinError::UnknownHost(member.host_index()));
        }
        if let Some(limit) = self.config.max_groups {
            let mut room = limit.saturating_sub(self.view.group_count());
            for (group, _) in groups {
                if self.view.groups.get(group.as_str()).is_none() {
                    room = room
                        .checked_sub(1)
                        .ok_or_else(|| JoinError::Groups { group: group.clone(), limit })?;
                }
            }
        }
        if let Some(limit) = self.config.max_members_per_group {
            let full = |(group, times): &&(GroupName, u64)| {
                self.view.slots(group.as_str()) + times > limit
            };
            if let Some((group, _)) = groups.iter().find(full) {
                return Err(JoinError::Members { group: group.clone(), limit });
            }
        }
        Ok(())
    }

    /// Puts `member` into `groups`: one step.
    pub(super) fn add(&mut self, member: Serial, groups: &Counted) {
        for (group, times) in groups {
            let touched = self.view.groups.add(Place::Here, group, member, *times);
            self.own.add(touched.slot_hash, *times);
            if touched.place_rest == 0 {
                self.joined.open(touched.group.clone());
            }
            if touched.member_rest == 0 {
                self.joined.insert(member, touched.group);
            }
        }
        self.step(Change::Joined, member, groups);
    }

    /// Takes `member` out of `groups` as far as it is in them; answers how far that was.
    fn take(&mut self, member: Serial, groups: Counted) -> Counted {
        let mut left = Counted::new();
        for (group, times) in groups {
            let Some(touched) = self.view.groups.take(Place::Here, &group, member, times) else {
                continue;
            };
            self.own.remove(touched.slot_hash, touched.times);
            if touched.place_rest == 0 {
                self.joined.close(&group);
            }
            if touched.member_rest == 0 {
                self.joined.remove(member, &group);
            }
            left.push((touched.group, touched.times));
        }
        left
    }

    /// One step of the local membership was made: tells subscribers and, later, peers.
    fn step(&mut self, change: Change, member: Serial, groups: &Counted) {
        for (group, times) in groups {
            let whose = (&self.view.origin, &self.view.hosts);
            self.watchers.emit(change, group, whose, [(member, *times)]);
        }
        self.own.version += 1;
        if self.connected == 0 {
            return;
        }
        let named = groups.iter().map(|(group, times)| (group.as_str(), *times));
        match self.announcer.record(change, member, named) {
            Fit::Recorded if self.announcer.is_full() => self.close_announcement(self.own.version),
            Fit::Recorded => {}
            Fit::TooLarge => self.close_announcement(self.own.version - 1),
        }
    }

    pub(super) fn close_announcement(&mut self, to: u64) {
        self.announcer.close(&self.envelope, &self.view.hosts, to);
    }
}

/// Counts equal names. The order does not matter to anybody.
fn counted(groups: &[GroupName]) -> Counted {
    if let [group] = groups {
        return smallvec![(group.clone(), 1)];
    }
    let mut sorted: Vec<&GroupName> = groups.iter().collect();
    sorted.sort_unstable();
    let mut counted = Counted::new();
    for group in sorted {
        match counted.last_mut() {
            Some((last, times)) if last == group => *times += 1,
            _ => counted.push((group.clone(), 1)),
        }
    }
    counted
}
