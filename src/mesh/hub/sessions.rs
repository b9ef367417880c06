//! The life of a session, from the choice of its connection to its end.

use std::sync::Arc;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::peer::Pair;
use super::{Dialled, Hub};
use crate::id::NodeName;
use crate::mesh::greeting::refuse;
use crate::mesh::lanes;
use crate::mesh::shared::{ConnectionId, Route};
use crate::mesh::transport::Ending;
use crate::wire::{CloseCode, Identity, Lane, Refusal};

/// A session that the layer above knows of.
pub(super) struct Session {
    pub(super) route: Arc<Route>,
    task: AbortHandle,
}

impl Hub {
    /// The connection is the one in use from now on.
    pub(super) fn adopt(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        conn.since = Instant::now();
        if let Some(Dialled::Here(outcome)) = conn.dialled.take() {
            let _ = outcome.send(Ok(()));
        }
        let identity = conn.hello.identity.clone();
        let name = identity.origin.node.clone();
        self.shared.counters.sessions.add(1);
        let peer = self.peer(&name);
        peer.session = Some(id);
        peer.failed = None;
        self.shared.complaints.clear(&format!("node {name}"));
        tracing::info!(peer = %identity.origin, addr = %identity.addr, "connected");
        self.answered(id, None);
        self.introduce(id);
        self.begin(&name);
        let now = Instant::now().into_std();
        let effects = self.membership.ask(identity, now);
        self.apply(effects);
        let effects = self.membership.spread(now);
        self.apply(effects);
        self.replay_early(id);
    }

    /// Begins the session with a peer, if its connection is chosen and it is a member in this run.
    pub(super) fn begin(&mut self, name: &NodeName) {
        let Some(id) = self.peers.get(name).and_then(|peer| peer.session) else { return };
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let origin = conn.hello.identity.origin.clone();
        let listed = self.membership.active(name).is_some_and(|member| member.origin == origin);
        if !listed || conn.session.is_some() || conn.ending.is_some() || self.stopping.is_some() {
            return;
        }
        let limit = conn.hello.limits.max_frame_bytes;
        let connection = conn.connection.clone();
        let route = Arc::new(Route::new(origin.clone(), connection, &self.shared.config, limit));
        let lanes = lanes::run(id, route.clone(), self.shared.clone(), self.dialler.events.clone());
        let task = tokio::spawn(lanes).abort_handle();
        conn.session = Some(Session { route, task });
        self.publish();
        self.shared.handler.session_up(&origin);
    }

    /// A connection is over, for whatever reason. What the peer sent before is still handled.
    pub(super) fn closed(&mut self, id: ConnectionId, ending: Ending) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        match &conn.session {
            Some(session) if !conn.lanes_ended => {
                session.route.close(&self.shared.counters);
                conn.ending = Some(ending);
                self.publish();
            }
            _ => self.finish(id, ending),
        }
    }

    /// Every frame of the peer's lanes has been handled.
    pub(super) fn lanes_ended(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        conn.lanes_ended = true;
        if let Some(ending) = conn.ending.take() {
            self.finish(id, ending);
        } else if conn.leaving {
            self.goodbye(id);
        }
    }

    /// A peer that leaves has nothing more to say.
    pub(super) fn goodbye(&mut self, id: ConnectionId) {
        if let Some(conn) = self.conns.get(&id) {
            refuse(&conn.connection, &Refusal::new(CloseCode::Goodbye, "goodbye"));
        }
        self.finish(id, Ending::Here);
    }

    pub(super) fn overflowed(&mut self, id: ConnectionId, lane: Lane) {
        let session = self.conns.get(&id).and_then(|conn| conn.session.as_ref());
        if let Some(session) = session {
            let peer = session.route.origin.clone();
            tracing::warn!(%peer, %lane, "peer is too slow, its queue was emptied");
            self.shared.handler.needs_resync(&peer, lane);
        }
    }

    /// Forgets a connection; if it carried a session, that is over now, and none of its frames is
    /// handled any more.
    pub(super) fn finish(&mut self, id: ConnectionId, ending: Ending) {
        let Some(mut conn) = self.conns.remove(&id) else { return };
        let identity = conn.hello.identity.clone();
        let name = identity.origin.node.clone();
        let told = matches!(&ending, Ending::Peer(r) if r.code == CloseCode::Shutdown);
        let left = (conn.leaving || told) && self.stopping.is_none();
        if let Some(Dialled::Here(outcome)) = conn.dialled.take() {
            let _ = outcome.send(Err(ending.clone()));
        }
        let lived = conn.since.elapsed();
        let peer = self.peer(&name);
        peer.challengers.retain(|challenger| *challenger != id);
        let was_in_use = peer.session == Some(id);
        if was_in_use {
            peer.session = None;
            peer.backoff.session_ended(lived);
            tracing::info!(peer = %identity.origin, reason = %ending, "disconnected");
        }
        if let Some(session) = conn.session.take() {
            session.task.abort();
            session.route.close(&self.shared.counters);
            self.publish();
            self.shared.handler.session_down(&identity.origin);
        }
        drop(conn);
        if was_in_use {
            self.after_session(&name, left.then_some(identity));
        }
        self.settle_pair(&name, id);
    }

    /// What becomes of a node whose session is over.
    fn after_session(&mut self, name: &NodeName, left: Option<Identity>) {
        if let Some(identity) = left {
            // Nobody is left to answer for this run.
            let challengers = std::mem::take(&mut self.peer(name).challengers);
            challengers.into_iter().for_each(|id| self.admit(id));
            let effects = self.membership.left(identity, Instant::now().into_std());
            self.apply(effects);
        }
        if let Some(event) = self.peer(name).departing.take() {
            self.shared.handler.member(event);
        }
        if let Some(failure) = self.peer(name).contested.take() {
            self.failed(failure);
        }
    }

    fn settle_pair(&mut self, name: &NodeName, id: ConnectionId) {
        let verdict = match &mut self.peer(name).pair {
            Pair::Judge(judge) => judge.closed(id),
            Pair::Follower(follower) => {
                follower.closed(id);
                None
            }
        };
        self.carry_out(verdict);
        self.consider_dial(name);
        self.forget_if_blank(name);
    }
}
