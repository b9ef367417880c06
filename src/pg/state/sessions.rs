use std::sync::Arc;
use std::time::Duration;

use super::{PeerId, State};
use crate::id::Origin;
use crate::pg::breaker::Breaker;
use crate::pg::digest::mix;
use crate::pg::groups::Place;
use crate::pg::hosts::Hosts;
use crate::pg::members::Members;
use crate::pg::peer::{Held, Inbound, Outbound, Peer, Presence, Session, Wants};
use crate::pg::timers::Timer;
use crate::pg::watchers::Change;

impl State {
    /// Peers that are asked for their state at the same time when the scope starts.
    const DISCOVER_AT_ONCE: usize = 4;

    /// The scope starts while `sessions` are up already. A few random peers are discovered at
    /// once, the next few when those have answered.
    pub fn handle_start(
        &mut self,
        now: Duration,
        sessions: impl IntoIterator<Item = Arc<Origin>>,
        random: u64,
    ) {
        for origin in sessions {
            if let Some(id) = self.open_session(origin) {
                self.discovery.waiting.push(id);
            }
        }
        if let Some(interval) = self.config.anti_entropy_interval {
            self.timers.set(Timer::AntiEntropy, now + interval);
        }
        self.discover_next(now, random);
    }

    /// A new session with a peer is up, the first one or another one: both sides start from
    /// what the other one holds. A peer of a later incarnation replaces the one known by its name,
    /// whose members leave; one of an earlier incarnation is ignored.
    pub fn handle_session_up(&mut self, now: Duration, origin: Arc<Origin>) {
        if let Some(id) = self.open_session(origin) {
            self.ask(now, id, |wants| wants.discover = true);
        }
    }

    /// The session with `origin` is lost. Its members stay: whether it is dead is for
    /// [`State::handle_node_gone`] to say.
    pub fn handle_session_down(&mut self, origin: &Origin) {
        let Some(id) = self.peer_id(origin) else { return };
        self.settle(id);
        self.timers.clear(Timer::Retry(id));
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if peer.session == Session::Up {
            peer.session = Session::Down;
            self.connected -= 1;
        }
        peer.wants = Wants::default();
        if self.connected == 0 {
            self.announcer.reset();
        }
    }

    /// `origin` is dead, or left: all its members leave in one step, and so do those of any
    /// earlier incarnation. A later one is not touched.
    pub fn handle_node_gone(&mut self, origin: &Origin) {
        let Some(id) = self.by_name.get(&origin.node).copied() else { return };
        let Some(known) = self.peers.get(&id).map(|peer| peer.origin.clone()) else { return };
        if known.incarnation > origin.incarnation {
            return;
        }
        self.handle_session_down(&known);
        self.forget_members(id);
        self.view.peers.remove(&id);
        self.peers.remove(&id);
        self.by_name.remove(&origin.node);
    }

    /// The scope stops: peers are told that its members are none any more. Poll the sends once
    /// more, then drop it.
    pub fn handle_stop(&mut self) {
        let ids: Vec<PeerId> = self.peers.keys().copied().collect();
        for id in ids {
            self.want(id, |wants| *wants = Wants { absent: true, ..Wants::default() });
        }
    }

    /// The peer with this very origin.
    pub(super) fn peer_id(&self, origin: &Origin) -> Option<PeerId> {
        let id = *self.by_name.get(&origin.node)?;
        self.peers.get(&id).filter(|peer| *peer.origin == *origin).map(|_| id)
    }

    /// Asks a peer for its state and waits for the answer.
    pub(super) fn ask(&mut self, now: Duration, id: PeerId, how: impl FnOnce(&mut Wants)) {
        let up = |peer: &&mut Peer| peer.session == Session::Up;
        let Some(peer) = self.peers.get_mut(&id).filter(up) else { return };
        peer.inbound = Inbound::Awaiting(None);
        self.timers.set(Timer::Answer(id), now + self.config.protocol_timeout);
        self.want(id, how);
    }

    /// Nothing more is expected from a peer.
    pub(super) fn settle(&mut self, id: PeerId) {
        self.timers.clear(Timer::Answer(id));
        if self.discovery.asked.remove(&id) && self.discovery.asked.is_empty() {
            self.timers.set(Timer::Discovery, Duration::ZERO);
        }
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.inbound = Inbound::Settled;
        }
    }

    /// Discovers the next few peers of those that were there when the scope started.
    pub(super) fn discover_next(&mut self, now: Duration, random: u64) {
        let pool = self.discovery.waiting.len();
        if pool == 0 {
            return;
        }
        let targets = pool.min(Self::DISCOVER_AT_ONCE);
        self.stats.discover_pool.observe(pool as u64);
        self.stats.discover_targets.observe(targets as u64);
        self.discovery.asked.clear();
        for draw in 0..targets {
            let choice = mix(random.wrapping_add(draw as u64)) % (pool - draw) as u64;
            let id = self.discovery.waiting.swap_remove(choice as usize);
            self.discovery.asked.insert(id);
            self.ask(now, id, |wants| wants.discover = true);
        }
        self.timers.set(Timer::Discovery, now + self.config.retry_base_delay);
    }

    /// Takes all members of a peer out of the view in one step.
    pub(super) fn forget_members(&mut self, id: PeerId) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let held = std::mem::replace(&mut peer.held, Held::new(self.hasher.clone()));
        let Some((origin, hosts)) = self.view.peers.get(&id).cloned() else { return };
        for group in held.groups {
            let old = self.view.groups.replace(Place::Peer(id), &group, Members::default());
            self.watchers.emit(Change::Left, &group, (&origin, &hosts), old.iter());
        }
    }

    fn open_session(&mut self, origin: Arc<Origin>) -> Option<PeerId> {
        if origin.node == self.view.origin.node {
            return None;
        }
        let id = self.adopt(&origin)?;
        self.settle(id);
        self.timers.clear(Timer::Retry(id));
        let told = self.own.version;
        let peer = self.peers.get_mut(&id)?;
        if peer.session == Session::Down {
            self.connected += 1;
        }
        peer.session = Session::Up;
        if peer.presence == Presence::Absent {
            peer.presence = Presence::Unknown;
        }
        peer.breaker = Breaker::default();
        peer.outbound = Outbound::InOrder;
        peer.attempts = 0;
        peer.told = told;
        peer.wants = Wants::default();
        Some(id)
    }

    /// The peer that `origin` is, new or known; `None` if a later incarnation is known.
    fn adopt(&mut self, origin: &Arc<Origin>) -> Option<PeerId> {
        if let Some(id) = self.by_name.get(&origin.node).copied() {
            let known = self.peers.get(&id)?.origin.clone();
            if known.incarnation > origin.incarnation {
                self.stats.stale_frames += 1;
                return None;
            }
            if known.incarnation == origin.incarnation {
                return Some(id);
            }
            self.handle_node_gone(&known);
        }
        self.last_peer += 1;
        let id = PeerId(self.last_peer);
        self.by_name.insert(origin.node.clone(), id);
        self.peers.insert(id, Peer::new(origin.clone(), self.hasher.clone()));
        self.view.peers.insert(id, (origin.clone(), Hosts::default()));
        Some(id)
    }
}
