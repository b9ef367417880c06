//! What peers say on the hello's stream and in datagrams.

use bytes::Bytes;
use tokio::time::Instant;

use super::{Event, Hub};
use crate::mesh::shared::ConnectionId;
use crate::wire::{Identity, LinkMessage};

/// Datagrams that are kept for a connection which is not chosen yet.
const MAX_EARLY: usize = 8;

impl Hub {
    pub(super) fn heard(&mut self, id: ConnectionId, message: LinkMessage) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        match message {
            LinkMessage::Chosen { generation } => self.chosen(id, generation),
            LinkMessage::Ping { number } => {
                conn.link.say(LinkMessage::Pong { number });
            }
            LinkMessage::Pong { number } => self.answered(id, Some(number)),
            LinkMessage::Identity { rejoin, addr } => {
                let origin = conn.hello.identity.origin.clone();
                conn.hello.identity = Identity { origin, rejoin, addr };
                self.introduce(id);
            }
            LinkMessage::Renew { rejoin } => {
                let effects = self.membership.renew(rejoin, Instant::now().into_std());
                self.apply(effects);
                // Even if the count was high enough already, the peer does not know it.
                let own = self.membership.own();
                let identity = LinkMessage::Identity { rejoin: own.rejoin, addr: own.addr };
                if let Some(conn) = self.conns.get(&id) {
                    conn.link.say(identity);
                }
            }
            LinkMessage::Leaving => {
                conn.leaving = true;
                if conn.lanes_ended || conn.session.is_none() {
                    self.goodbye(id);
                } else {
                    self.after(self.shared.config.times.flush, Event::PatienceOver(id));
                }
            }
        }
    }

    pub(super) fn datagram(&mut self, id: ConnectionId, data: Bytes) {
        let counters = &self.shared.counters;
        counters.gossip_in.add(1);
        counters.gossip_bytes_in.add(data.len() as u64);
        let Some(conn) = self.conns.get(&id) else { return };
        let in_use = self.peers.get(conn.name()).is_some_and(|peer| peer.session == Some(id));
        if !in_use {
            self.keep_early(id, data);
        } else {
            let origin = conn.hello.identity.origin.clone();
            let effects = self.membership.datagram(&origin, &data, Instant::now().into_std());
            self.apply(effects);
        }
    }

    /// A peer that chooses a connection uses it at once, and its word may come second.
    fn keep_early(&mut self, id: ConnectionId, data: Bytes) {
        if let Some(conn) = self.conns.get_mut(&id)
            && conn.early.len() < MAX_EARLY
        {
            conn.early.push(data);
        }
    }

    /// Handles what came before the connection was chosen.
    pub(super) fn replay_early(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        for data in std::mem::take(&mut conn.early) {
            self.datagram(id, data);
        }
    }

    /// Tells membership that the peer of a session lives; if it is held as failed there, the peer is
    /// asked to renew its identity.
    pub(super) fn introduce(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get(&id) else { return };
        let identity = conn.hello.identity.clone();
        let name = &identity.origin.node;
        if self.peers.get(name).is_none_or(|peer| peer.session != Some(id)) {
            return;
        }
        let effects = self.membership.alive(identity.clone(), Instant::now().into_std());
        self.apply(effects);
        let held_as_failed = self.membership.active(name).is_none();
        if let (true, Some((known, _))) = (held_as_failed, self.membership.known(name)) {
            let rejoin = known.rejoin.max(identity.rejoin);
            if let Some(conn) = self.conns.get(&id) {
                conn.link.say(LinkMessage::Renew { rejoin });
            }
        }
    }
}
