//! The rulebook of one scope on one node.

mod inbound;
mod local;
mod outbound;
mod restart;
mod resync;
mod sessions;
#[cfg(test)]
mod tests;
mod timeouts;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet, FxSeededState};

use super::announcer::Announcer;
use super::breaker::BreakerState;
use super::config::Config;
use super::digest::Digest;
use super::groups::PeerId;
use super::joined::Joined;
use super::message::{Envelope, Frame, Generation, Run};
use super::peer::{Outbound, Peer, Presence, Session};
use super::stats::Stats;
use super::timers::Timers;
use super::view::View;
use super::watchers::{Event, Watchers};
use crate::id::{NodeName, Origin, ScopeId};

pub use inbound::{Broadcast, FrameError};
pub use local::{JoinError, NotJoined, Reach, Recipients, Target};
pub use outbound::{Outcome, Ticket, Transmit};
pub use restart::Retained;

/// One `pg.scope` on one node: its own memberships, its view of all other nodes' memberships, its
/// subscriptions, and what it has to say to its peers.
///
/// It does no I/O and knows no clock: inputs are the `handle_` methods, what follows from them is
/// fetched with the `poll_` methods. `now` is the time since any fixed moment and never goes back;
/// `random` is any evenly distributed number, a fresh one for each call.
///
/// Every input is one step: what is polled afterwards belongs to it, so polls must be exhausted
/// before the next input for the order of events to be the order of the steps.
pub struct State {
    scope: ScopeId,
    run: Run,
    config: Config,
    envelope: Envelope,
    hasher: FxSeededState,

    view: View,
    joined: Joined,
    watchers: Watchers,

    /// The own state: what peers should hold of it.
    own: Digest,
    announcer: Announcer,
    /// The version up to which announcements were handed to the peers.
    flushed: u64,

    peers: BTreeMap<PeerId, Peer>,
    by_name: FxHashMap<NodeName, PeerId>,
    last_peer: u32,
    connected: usize,

    outbox: VecDeque<Transmit>,
    /// The own state as sync frames, and the version that it is of.
    encoded_state: (Option<u64>, Vec<Frame>),
    /// Peers that something other than announcements is to be sent to.
    wanting: VecDeque<PeerId>,
    discovery: Discovery,
    /// Where anti-entropy stands in its round.
    reconciled: Option<PeerId>,
    timers: Timers,

    stats: Stats,
    last_activity: Duration,
}

/// The peers that had a session when the scope started, and are asked for their state a few at a
/// time.
#[derive(Default)]
struct Discovery {
    waiting: Vec<PeerId>,
    asked: FxHashSet<PeerId>,
}

impl State {
    /// A scope without members and peers. `generation` must be higher than that of any earlier
    /// start of the scope in the same run of the node; `seed` makes the hashing of group names
    /// unpredictable.
    pub fn new(
        scope: ScopeId,
        origin: Arc<Origin>,
        generation: Generation,
        config: Config,
        seed: u64,
    ) -> Self {
        let run = Run { incarnation: origin.incarnation, generation };
        let hasher = FxSeededState::with_seed(seed as usize);
        Self {
            envelope: Envelope::new(&scope, &origin.node, run),
            view: View::new(origin, hasher.clone()),
            joined: Joined::new(hasher.clone()),
            watchers: Watchers::new(hasher.clone()),
            scope,
            run,
            config,
            hasher,
            own: Digest::default(),
            announcer: Announcer::new(),
            flushed: 0,
            peers: BTreeMap::new(),
            by_name: FxHashMap::default(),
            last_peer: 0,
            connected: 0,
            outbox: VecDeque::new(),
            encoded_state: (None, Vec::new()),
            wanting: VecDeque::new(),
            discovery: Discovery::default(),
            reconciled: None,
            timers: Timers::default(),
            stats: Stats::default(),
            last_activity: Duration::ZERO,
        }
    }

    /// Who is in which group now. Clone it for a snapshot.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What every frame of this scope begins with: to encode a broadcast for
    /// [`Recipients::remote`].
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The own memberships in short, as peers should come to hold them.
    pub fn digest(&self) -> Digest {
        self.own
    }

    /// What is held of the node `name`, if it is a peer.
    pub fn held(&self, name: &NodeName) -> Option<(Run, Digest)> {
        Some(self.peers.get(self.by_name.get(name)?)?.known())
    }

    /// The next event, in the order in which things happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.watchers.poll()
    }

    /// When [`State::handle_timeout`] wants to be called, if ever.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.timers.next()
    }

    /// When something last happened: a change or broadcast of this node, a frame sent or received.
    pub fn last_activity(&self) -> Duration {
        self.last_activity
    }

    /// Peers with a session that are known to run this scope.
    pub fn present_peers(&self) -> impl Iterator<Item = &Arc<Origin>> {
        let present =
            |peer: &&Peer| peer.session == Session::Up && peer.presence == Presence::Present;
        self.peers.values().filter(present).map(|peer| &peer.origin)
    }

    /// Where the circuit to each peer stands.
    pub fn breakers(&self, now: Duration) -> impl Iterator<Item = (&NodeName, BreakerState)> {
        self.peers.values().map(move |peer| (&peer.origin.node, peer.breaker.state(now)))
    }

    /// What has been done so far and how things stand.
    pub fn stats(&self) -> Stats {
        let peers_where =
            |test: fn(&Peer) -> bool| self.peers.values().filter(|peer| test(peer)).count() as u64;
        Stats {
            local: self.view.local_totals(),
            remote: self.view.remote_totals(),
            subscriptions: self.watchers.len() as u64,
            peers_connected: self.connected as u64,
            peers_present: self.present_peers().count() as u64,
            peers_retrying: peers_where(|peer| peer.outbound == Outbound::Retrying),
            peers_needing_sync: peers_where(|peer| peer.outbound == Outbound::NeedsSync),
            ..self.stats.clone()
        }
    }
}
