//! Who is in the cluster: SWIM through `foca`, without sockets or clocks of its own.
//!
//! The hub feeds it datagrams, due timers and what it learns from sessions, and carries out what
//! comes back: datagrams to send, changes to announce. A member that leaves on purpose is gossiped as
//! down with the highest foca incarnation, so that nodes which have no session with it can tell a
//! leave from a failure too.

mod identity;
mod rules;

use std::collections::{BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::time::Instant;

use bytes::Bytes;
use foca::{
    AccumulatingRuntime, Foca, Member, NoCustomBroadcast, OwnedNotification, PostcardCodec,
};
use rand::rngs::StdRng;

use super::handler::{MemberChange, MemberEvent};
use crate::id::{NodeName, Origin};
use crate::wire::Identity;
use identity::{LEFT, sender};
use rules::Due;
pub use rules::MembershipRules;

/// How a member stands in this node's eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberState {
    /// It answers.
    Alive,
    /// It did not answer the last probe and has a few seconds to object.
    Suspect,
    /// It failed, and is still remembered.
    Failed,
    /// It left, and is still remembered.
    Left,
}

/// A datagram to carry to another node.
#[derive(Debug)]
pub struct Outgoing {
    /// The node that it is for.
    pub to: NodeName,
    /// The content.
    pub data: Bytes,
}

/// What has to be done after membership was fed something.
#[derive(Debug, Default)]
pub struct Effects {
    /// Datagrams to carry, in order; those for nodes without a session are to be dropped.
    pub outgoing: Vec<Outgoing>,
    /// Changes to announce, in order.
    pub changes: Vec<MemberEvent>,
    /// This node's own identity changed, because others took it for dead.
    pub renewed: bool,
}

/// The membership of one node.
pub struct Membership {
    foca: Foca<Identity, PostcardCodec, StdRng, NoCustomBroadcast>,
    runtime: AccumulatingRuntime<Identity>,
    rules: MembershipRules,
    timers: BinaryHeap<Due>,
    timer_count: u64,
    active: HashMap<NodeName, Identity>,
    effects: Effects,
}

impl Membership {
    /// A cluster of one. `random` decides who is probed when.
    pub fn new(own: Identity, rules: MembershipRules, random: StdRng) -> Self {
        let foca = Foca::new(own, rules.foca(1), random, PostcardCodec);
        Self {
            foca,
            runtime: AccumulatingRuntime::new(),
            rules,
            timers: BinaryHeap::new(),
            timer_count: 0,
            active: HashMap::new(),
            effects: Effects::default(),
        }
    }

    /// This node's present identity.
    pub fn own(&self) -> &Identity {
        self.foca.identity()
    }

    /// The member of this name that counts as alive.
    pub fn active(&self, name: &NodeName) -> Option<&Identity> {
        self.active.get(name)
    }

    /// Whether a member that counts as alive is at this address.
    pub fn is_at(&self, addr: SocketAddr) -> bool {
        self.active.values().any(|member| member.addr == addr)
    }

    /// The newest identity known under a name, and how it stands; failed and departed members are
    /// remembered for a while.
    pub fn known(&self, name: &NodeName) -> Option<(&Identity, MemberState)> {
        self.states().find(|(identity, _)| identity.origin.node == *name)
    }

    /// Everything that is known of other nodes.
    pub fn states(&self) -> impl Iterator<Item = (&Identity, MemberState)> {
        self.foca.iter_membership_state().map(|member| {
            let state = match (member.state(), member.incarnation()) {
                (foca::State::Alive, _) => MemberState::Alive,
                (foca::State::Suspect, _) => MemberState::Suspect,
                (foca::State::Down, LEFT) => MemberState::Left,
                (foca::State::Down, _) => MemberState::Failed,
            };
            (member.id(), state)
        })
    }

    /// `peer` has proved in a handshake that it lives. Has no effect if this very identity counts as
    /// failed; the peer then has to renew it.
    pub fn alive(&mut self, peer: Identity, now: Instant) -> Effects {
        self.apply(Member::alive(peer), now)
    }

    /// `peer` has said that it leaves.
    pub fn left(&mut self, peer: Identity, now: Instant) -> Effects {
        self.apply(Member::new(peer, LEFT, foca::State::Down), now)
    }

    /// `peer` is known to be dead without waiting for the probes.
    #[cfg(test)]
    pub fn failed(&mut self, peer: Identity, now: Instant) -> Effects {
        self.apply(Member::down(peer), now)
    }

    /// Asks `peer` for the members that it knows.
    pub fn ask(&mut self, peer: Identity, now: Instant) -> Effects {
        let result = self.foca.announce(peer, &mut self.runtime);
        self.settle(result, now)
    }

    /// Tells a few members the latest news now, not at the next interval.
    pub fn spread(&mut self, now: Instant) -> Effects {
        let result = self.foca.gossip(&mut self.runtime);
        self.settle(result, now)
    }

    /// A datagram came over the session with `from`.
    pub fn datagram(&mut self, from: &Origin, data: &[u8], now: Instant) -> Effects {
        let result = match sender(data) {
            Some(sender) if sender == *from => self.foca.handle_data(data, &mut self.runtime),
            _ => Err(foca::Error::MalformedPacket),
        };
        self.settle(result, now)
    }

    /// Others hold this node's identity as failed up to this rejoin count.
    pub fn renew(&mut self, above: u32, now: Instant) -> Effects {
        if self.own().rejoin > above {
            return Effects::default();
        }
        let identity = Identity { rejoin: above.saturating_add(1), ..self.own().clone() };
        self.change_own(identity, now)
    }

    /// This node accepts connections at another address from now on.
    pub fn moved(&mut self, addr: SocketAddr, now: Instant) -> Effects {
        if self.own().addr == addr {
            return Effects::default();
        }
        let rejoin = self.own().rejoin.saturating_add(1);
        let identity = Identity { rejoin, addr, ..self.own().clone() };
        self.change_own(identity, now)
    }

    /// When [`Membership::tick`] is next due.
    pub fn next_due(&self) -> Option<Instant> {
        self.timers.peek().map(|due| due.at)
    }

    /// Carries out the timers that are due.
    pub fn tick(&mut self, now: Instant) -> Effects {
        while self.timers.peek().is_some_and(|due| due.at <= now) {
            let Some(due) = self.timers.pop() else { break };
            let result = self.foca.handle_timer(due.timer, &mut self.runtime);
            self.collect(result, now);
        }
        self.settle(Ok(()), now)
    }

    fn change_own(&mut self, identity: Identity, now: Instant) -> Effects {
        let result = self.foca.change_identity(identity, &mut self.runtime);
        self.effects.renewed = true;
        self.settle(result, now)
    }

    fn apply(&mut self, member: Member<Identity>, now: Instant) -> Effects {
        if member.id().origin.node == self.own().origin.node {
            return Effects::default();
        }
        let result = self.foca.apply_many(std::iter::once(member), true, &mut self.runtime);
        self.settle(result, now)
    }

    fn settle(&mut self, result: Result<(), foca::Error>, now: Instant) -> Effects {
        self.collect(result, now);
        if self.effects.renewed {
            // A changed identity starts out of touch: without this, the probes would rest until the
            // next datagram, which may never come.
            let result = self.foca.apply_many(std::iter::empty(), false, &mut self.runtime);
            self.collect(result, now);
        }
        std::mem::take(&mut self.effects)
    }

    /// Takes what foca has to say after one call.
    fn collect(&mut self, result: Result<(), foca::Error>, now: Instant) {
        if let Err(error) = result {
            tracing::debug!(%error, "membership ignored an input");
        }
        while let Some((to, data)) = self.runtime.to_send() {
            self.effects.outgoing.push(Outgoing { to: to.origin.node, data });
        }
        while let Some((after, timer)) = self.runtime.to_schedule() {
            self.timer_count += 1;
            self.timers.push(Due { at: now + after, number: self.timer_count, timer });
        }
        let before = self.active.len();
        while let Some(notification) = self.runtime.to_notify() {
            self.notice(notification);
        }
        if self.active.len() != before
            && let Err(error) = self.foca.set_config(self.rules.foca(self.active.len() + 1))
        {
            tracing::warn!(%error, "membership keeps its old timing");
        }
    }

    fn notice(&mut self, notification: OwnedNotification<Identity>) {
        match notification {
            OwnedNotification::MemberUp(identity) => self.up(identity),
            OwnedNotification::MemberDown(identity) => self.down(&identity),
            OwnedNotification::Rename(old, new) => self.renamed(&old, new),
            OwnedNotification::Rejoin(_) => self.effects.renewed = true,
            OwnedNotification::Active | OwnedNotification::Idle | OwnedNotification::Defunct => {}
        }
    }

    fn up(&mut self, identity: Identity) {
        self.active.insert(identity.origin.node.clone(), identity.clone());
        self.change(identity, MemberChange::Joined);
    }

    fn down(&mut self, identity: &Identity) {
        let name = &identity.origin.node;
        let left = matches!(self.known(name), Some((_, MemberState::Left)));
        let kind = if left { MemberChange::Left } else { MemberChange::Failed };
        if let Some(was) = self.active.remove(name) {
            self.change(was, kind);
        }
    }

    /// A later identity has taken the place of one; both count as alive, or neither does.
    fn renamed(&mut self, old: &Identity, new: Identity) {
        let name = &new.origin.node;
        if self.active.get(name) != Some(old) {
            return;
        }
        let alive = matches!(
            self.known(name),
            Some((known, MemberState::Alive | MemberState::Suspect)) if *known == new
        );
        if !alive {
            self.down(&new);
        } else if old.origin != new.origin {
            self.active.remove(name);
            self.change(old.clone(), MemberChange::Failed);
            self.up(new);
        } else {
            let moved = old.addr != new.addr;
            self.active.insert(name.clone(), new.clone());
            if moved {
                self.change(new, MemberChange::Updated);
            }
        }
    }

    fn change(&mut self, identity: Identity, kind: MemberChange) {
        let Identity { origin, addr, .. } = identity;
        self.effects.changes.push(MemberEvent { origin, addr, kind });
    }
}

#[cfg(test)]
mod tests;
