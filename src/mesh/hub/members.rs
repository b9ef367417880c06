//! What membership says, carried out.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::time::Instant;

use super::peer::Dial;
use super::{Event, Hub};
use crate::id::{NodeName, Origin};
use crate::mesh::handler::{MemberChange, MemberEvent};
use crate::mesh::membership::{Effects, MemberState, Outgoing};
use crate::mesh::shared::{Directory, Member, Route, View};
use crate::wire::{CloseCode, Identity, LinkMessage, Refusal};

impl Hub {
    /// This node accepts connections elsewhere from now on.
    pub(super) fn moved(&mut self, addr: SocketAddr) {
        let effects = self.membership.moved(addr, Instant::now().into_std());
        self.apply(effects);
    }

    /// Carries out what membership wants.
    pub(super) fn apply(&mut self, effects: Effects) {
        let Effects { outgoing, changes, renewed } = effects;
        outgoing.into_iter().for_each(|datagram| self.send_datagram(datagram));
        if renewed {
            self.announce_own();
        }
        let changed = !changes.is_empty();
        changes.into_iter().for_each(|event| self.changed(event));
        if changed {
            self.publish();
            self.wake_seeds();
        }
    }

    fn send_datagram(&mut self, Outgoing { to, data }: Outgoing) {
        let session = self.peers.get(&to).and_then(|peer| peer.session);
        let Some(conn) = session.and_then(|id| self.conns.get(&id)) else { return };
        let size = data.len() as u64;
        if conn.connection.send_datagram(data).is_ok() {
            self.shared.counters.gossip_out.add(1);
            self.shared.counters.gossip_bytes_out.add(size);
        }
    }

    fn announce_own(&mut self) {
        let own = self.membership.own().clone();
        tracing::info!(rejoin = own.rejoin, addr = %own.addr, "this node's identity has changed");
        let message = LinkMessage::Identity { rejoin: own.rejoin, addr: own.addr };
        self.shared.own.store(Arc::new(own));
        for conn in self.conns.values().filter(|conn| conn.admitted) {
            conn.link.say(message);
        }
    }

    fn changed(&mut self, event: MemberEvent) {
        let name = event.origin.node.clone();
        match event.kind {
            MemberChange::Joined => self.joined(&name, event),
            MemberChange::Failed if self.is_contested(&event) => {
                self.peer(&name).contested = Some(event);
                if let Some(id) = self.peer(&name).session {
                    self.introduce(id);
                }
                self.ask(&name);
            }
            MemberChange::Failed => self.failed(event),
            MemberChange::Left => {
                if self.let_finish(&event.origin) {
                    self.peer(&name).departing = Some(event);
                } else {
                    self.emit(event);
                }
            }
            MemberChange::Updated => {
                self.emit(event);
                self.poke(&name);
            }
        }
    }

    /// Whether the failed run has a session that has not shown any sign of it. News of a failure can
    /// be old: after a partition each part still tells of the other's death.
    fn is_contested(&self, event: &MemberEvent) -> bool {
        self.route(&event.origin).is_some() && self.membership.active(&event.origin.node).is_none()
    }

    /// A run of a node is over.
    pub(super) fn failed(&mut self, event: MemberEvent) {
        let name = event.origin.node.clone();
        let reason = format!("{} was declared failed", event.origin);
        self.end_session(&event.origin, Refusal::new(CloseCode::Failed, reason));
        let identity = Identity { origin: event.origin.clone(), rejoin: 0, addr: event.addr };
        self.peer(&name).failed = Some((identity, Instant::now()));
        self.emit(event);
        self.consider_dial(&name);
    }

    fn joined(&mut self, name: &NodeName, event: MemberEvent) {
        let contested = self.peer(name).contested.take();
        match contested {
            // It has answered: nothing has happened.
            Some(failure) if failure.origin == event.origin => return,
            Some(failure) => self.failed(failure),
            None => {}
        }
        // A leave that still waits for the last frames of an earlier run comes first.
        if self.peer(name).departing.is_some()
            && let Some(session) = self.peer(name).session
        {
            self.goodbye(session);
        }
        self.peer(name).failed = None;
        self.emit(event);
        self.publish();
        self.begin(name);
        let is_judge = self.own_name() < name;
        let grace = self.shared.config.times.dial_grace;
        let peer = self.peer(name);
        if peer.session.is_none() && peer.dial == Dial::Idle {
            peer.backoff.restart();
            let wait = if is_judge { std::time::Duration::ZERO } else { grace };
            self.dial_after(name, wait);
        }
    }

    /// Ends the session of this very run, if there is one.
    fn end_session(&mut self, origin: &Origin, refusal: Refusal) {
        let session = self.peers.get(&origin.node).and_then(|peer| peer.session);
        let Some(id) = session else { return };
        if self.conns.get(&id).is_some_and(|conn| conn.hello.identity.origin == *origin) {
            self.drop_connection(id, refusal);
        }
    }

    /// Whether the run has a session whose last frames are still to come; they get a little time.
    fn let_finish(&mut self, origin: &Origin) -> bool {
        let session = self.peers.get(&origin.node).and_then(|peer| peer.session);
        let Some(id) = session else { return false };
        let Some(conn) = self.conns.get_mut(&id) else { return false };
        if conn.hello.identity.origin != *origin || conn.session.is_none() {
            return false;
        }
        if !conn.leaving {
            conn.leaving = true;
            self.after(self.shared.config.times.flush, Event::PatienceOver(id));
        }
        true
    }

    fn emit(&mut self, event: MemberEvent) {
        tracing::info!(member = %event.origin, addr = %event.addr, "member {}", event.kind);
        self.publish();
        if self.stopping.is_none() {
            self.shared.handler.member(event);
        }
    }

    /// Shows the present state to senders and to whoever looks.
    pub(super) fn publish(&self) {
        let mut directory = Directory::default();
        let mut view = View::default();
        for (identity, state) in self.membership.states() {
            let Identity { origin, addr, .. } = identity.clone();
            let route = self.route(&origin);
            // Whoever has a session is no dead member yet, whatever others say.
            let state = match state {
                MemberState::Failed if route.is_some() => MemberState::Suspect,
                state => state,
            };
            let alive = matches!(state, MemberState::Alive | MemberState::Suspect);
            if alive && self.stopping.is_none() {
                directory.insert(origin.node.clone(), route.clone());
            }
            view.members.push(Member { origin, addr, state, connected: alive && route.is_some() });
        }
        view.members.sort_by(|a, b| a.origin.cmp(&b.origin));
        if **self.shared.view.load() != view {
            self.shared.view.store(Arc::new(view));
        }
        self.shared.directory.store(Arc::new(directory));
    }

    /// The way to a run of a node, while its session is sound.
    fn route(&self, origin: &Origin) -> Option<Arc<Route>> {
        let id = self.peers.get(&origin.node)?.session?;
        let conn = self.conns.get(&id)?;
        let sound = conn.hello.identity.origin == *origin
            && conn.ending.is_none()
            && !conn.leaving
            && self.stopping.is_none();
        conn.session.as_ref().filter(|_| sound).map(|session| session.route.clone())
    }
}
