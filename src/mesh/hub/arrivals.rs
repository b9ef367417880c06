//! From a hello to a session: who is let in, and which of several connections is used.

use bytes::Bytes;
use quinn::Connection;
use tokio::time::Instant;

use super::peer::Pair;
use super::sessions::Session;
use super::{Arrival, Dialled, Event, Hub};
use crate::id::NodeName;
use crate::mesh::counters::DropReason;
use crate::mesh::greeting::{End, Link, own_hello, refuse};
use crate::mesh::membership::MemberState;
use crate::mesh::shared::ConnectionId;
use crate::mesh::transport::Ending;
use crate::wire::{
    Adoption, CloseCode, Generation, Hello, Identity, Lane, LinkMessage, Refusal, Standing,
    Verdict, standing,
};

/// A connection that the hub knows of.
pub(super) struct Conn {
    pub(super) connection: Connection,
    pub(super) hello: Hello,
    pub(super) link: Link,
    pub(super) dialled: Option<Dialled>,
    /// Whether the peer's run has been let in.
    pub(super) admitted: bool,
    /// The judge's word, if it came before that.
    pub(super) chosen: Option<Generation>,
    pub(super) since: Instant,
    pub(super) session: Option<Session>,
    pub(super) leaving: bool,
    pub(super) lanes_ended: bool,
    pub(super) ending: Option<Ending>,
    /// Datagrams that came before the connection was chosen.
    pub(super) early: Vec<Bytes>,
}

impl Conn {
    pub(super) fn name(&self) -> &NodeName {
        &self.hello.identity.origin.node
    }
}

impl Hub {
    pub(super) fn arrived(&mut self, arrival: Arrival) {
        let Arrival { id, connection, hello, link, dialled } = arrival;
        let identity = hello.identity.clone();
        let conn = Conn {
            connection,
            hello,
            link,
            dialled: Some(dialled),
            admitted: false,
            chosen: None,
            since: Instant::now(),
            session: None,
            leaving: false,
            lanes_ended: false,
            ending: None,
            early: Vec::new(),
        };
        self.conns.insert(id, conn);
        if self.stopping.is_some() {
            self.drop_connection(id, Refusal::new(CloseCode::Shutdown, "shutdown"));
            return;
        }
        self.after(self.shared.config.times.hello_timeout, Event::PatienceOver(id));
        let name = &identity.origin.node;
        let (known, alive) = self.newest(name);
        match standing(known.as_ref(), alive, &identity) {
            Standing::Welcome | Standing::Same | Standing::Restarted => self.admit(id),
            Standing::Newer => self.challenge(id, name, known.as_ref()),
            Standing::Stale => {
                self.shared.counters.lane(Lane::Control).dropped(DropReason::StaleIncarnation, 1);
                self.shared.counters.refused.add(1);
                let newer = known.map(|known| known.origin.to_string()).unwrap_or_default();
                let reason = format!("{} is over: {newer} is known", identity.origin);
                self.drop_connection(id, Refusal::new(CloseCode::Stale, reason));
            }
        }
    }

    /// The newest run known under a name, and whether it counts as alive.
    fn newest(&self, name: &NodeName) -> (Option<Identity>, bool) {
        let session = self.peers.get(name).and_then(|peer| peer.session);
        let held = session.and_then(|id| self.conns.get(&id)).map(|conn| &conn.hello.identity);
        let known = self.membership.known(name);
        match (held, known) {
            (Some(held), Some((known, _)))
                if known.origin.incarnation > held.origin.incarnation =>
            {
                (Some(known.clone()), true)
            }
            (Some(held), _) => (Some(held.clone()), true),
            (None, Some((known, state))) => {
                let alive = matches!(state, MemberState::Alive | MemberState::Suspect);
                (Some(known.clone()), alive)
            }
            (None, None) => (None, false),
        }
    }

    /// A later run claims the name of one that counts as alive. Either the node has restarted, or
    /// there are two: the one that is known is asked, and if it answers, it stays.
    fn challenge(&mut self, id: ConnectionId, name: &NodeName, known: Option<&Identity>) {
        self.peer(name).challengers.push(id);
        if !self.ask(name)
            && let Some(known) = known
        {
            // There is no session to ask on: a new one is the answer.
            self.expect_answer(name);
            self.dial_now(name, known.addr, Some(name.clone()));
        }
    }

    /// Sends a ping on the session with a peer; says whether there is one.
    pub(super) fn ask(&mut self, name: &NodeName) -> bool {
        let Some(peer) = self.peers.get_mut(name) else { return false };
        let Some(conn) = peer.session.and_then(|id| self.conns.get(&id)) else { return false };
        if peer.asking.is_none() {
            let number = peer.numbers + 1;
            conn.link.say(LinkMessage::Ping { number });
            self.expect_answer(name);
        }
        true
    }

    fn expect_answer(&mut self, name: &NodeName) {
        let peer = self.peer(name);
        peer.numbers += 1;
        let number = peer.numbers;
        peer.asking = Some(number);
        self.after(self.shared.config.times.answer, Event::AnswerDue(name.clone(), number));
    }

    /// The peer's present run has shown that it lives.
    pub(super) fn answered(&mut self, id: ConnectionId, number: Option<u64>) {
        let Some(name) = self.conns.get(&id).map(|conn| conn.name().clone()) else { return };
        let Some(peer) = self.peers.get_mut(&name) else { return };
        if number.is_some() && peer.asking != number {
            return;
        }
        peer.asking = None;
        let challengers = std::mem::take(&mut peer.challengers);
        let verdict = match &mut peer.pair {
            Pair::Judge(judge) => judge.answered(id),
            Pair::Follower(_) => None,
        };
        let still_contested = peer.contested.is_some();
        self.refuse_challengers(id, challengers);
        self.carry_out(verdict);
        if still_contested {
            // It lives, but has not heard yet that it needs another identity.
            self.introduce(id);
            self.expect_answer(&name);
        }
    }

    fn refuse_challengers(&mut self, holder: ConnectionId, challengers: Vec<ConnectionId>) {
        let Some(holder) = self.conns.get(&holder).map(|conn| conn.hello.identity.clone()) else {
            return;
        };
        for id in challengers {
            let Some(conn) = self.conns.get(&id) else { continue };
            let Identity { origin, addr, .. } = &conn.hello.identity;
            let reason = format!(
                "node {} is alive at {} (incarnation {}), so {addr} (incarnation {}) cannot be it",
                origin.node, holder.addr, holder.origin.incarnation, origin.incarnation
            );
            tracing::error!(%reason, "a second node uses the name of a live one");
            self.shared.counters.refused.add(1);
            self.drop_connection(id, Refusal::new(CloseCode::NameTaken, reason));
        }
    }

    /// The peer's present run has had its time to answer.
    pub(super) fn answer_due(&mut self, name: &NodeName, number: u64) {
        let Some(peer) = self.peers.get_mut(name) else { return };
        if peer.asking != Some(number) {
            return;
        }
        peer.asking = None;
        let challengers = std::mem::take(&mut peer.challengers);
        if let Some(failure) = peer.contested.take() {
            self.failed(failure);
        }
        let Some(peer) = self.peers.get_mut(name) else { return };
        if !challengers.is_empty() {
            challengers.into_iter().for_each(|id| self.admit(id));
        } else if let (Pair::Judge(judge), Some(held)) = (&mut peer.pair, peer.session) {
            let verdicts = judge.silent(held);
            self.carry_out(verdicts);
        }
    }

    /// The peer's run is let in; whatever was left of an earlier one is over.
    pub(super) fn admit(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get(&id) else { return };
        let identity = conn.hello.identity.clone();
        let lost = conn.hello.lost;
        let name = identity.origin.node.clone();
        self.start_run(&identity);
        let own_lost = self.peer(&name).pair.lost();
        let Some(conn) = self.conns.get_mut(&id) else { return };
        conn.admitted = true;
        if matches!(conn.dialled, Some(Dialled::There)) {
            let hello = own_hello(&self.shared, &conn.connection, End::Acceptor, own_lost);
            conn.link.hello(&hello);
        }
        let chosen = conn.chosen.take();
        match &mut self.peer(&name).pair {
            Pair::Judge(judge) => {
                let verdicts = judge.arrived(id, lost);
                self.carry_out(verdicts);
            }
            Pair::Follower(_) => {
                if let Some(generation) = chosen {
                    self.chosen(id, generation);
                }
            }
        }
    }

    /// Ends everything that belongs to earlier runs of a node.
    fn start_run(&mut self, identity: &Identity) {
        let (name, run) = (&identity.origin.node, identity.origin.incarnation);
        if self.peer(name).run == Some(run) {
            return;
        }
        let challengers = self.peer(name).challengers.clone();
        let of_another_run = |(id, conn): &(&ConnectionId, &Conn)| {
            let origin = &conn.hello.identity.origin;
            origin.node == *name && origin.incarnation != run && !challengers.contains(id)
        };
        let over: Vec<_> = self.conns.iter().filter(of_another_run).map(|(id, _)| *id).collect();
        for id in over {
            let reason = format!("{} has taken over", identity.origin);
            self.drop_connection(id, Refusal::new(CloseCode::Stale, reason));
        }
        let peer = self.peer(name);
        peer.pair = peer.pair.afresh();
        peer.run = Some(run);
        peer.failed = None;
        let effects = self.membership.alive(identity.clone(), Instant::now().into_std());
        self.apply(effects);
    }

    pub(super) fn carry_out(&mut self, verdicts: impl IntoIterator<Item = Verdict<ConnectionId>>) {
        for verdict in verdicts {
            match verdict {
                Verdict::Choose { connection, generation } => {
                    if let Some(conn) = self.conns.get(&connection) {
                        conn.link.say(LinkMessage::Chosen { generation });
                        self.adopt(connection);
                    }
                }
                Verdict::Drop { connection } => self.drop_duplicate(connection),
                Verdict::Ask { held } => {
                    if let Some(name) = self.conns.get(&held).map(|conn| conn.name().clone()) {
                        self.ask(&name);
                    }
                }
            }
        }
    }

    /// The judge has chosen a connection.
    pub(super) fn chosen(&mut self, id: ConnectionId, generation: Generation) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        if !conn.admitted {
            conn.chosen = Some(generation);
            return;
        }
        let name = conn.name().clone();
        let adoption = match &mut self.peer(&name).pair {
            Pair::Judge(_) => {
                let text = "only the node with the smaller name chooses";
                self.drop_connection(id, Refusal::new(CloseCode::Protocol, text));
                return;
            }
            Pair::Follower(follower) => follower.chosen(id, generation),
        };
        match adoption {
            Adoption::Adopt { instead_of } => {
                if let Some(old) = instead_of {
                    self.drop_duplicate(old);
                }
                self.adopt(id);
            }
            Adoption::Outdated => self.drop_duplicate(id),
        }
    }

    fn drop_duplicate(&mut self, id: ConnectionId) {
        let reason = "another connection between the two nodes is in use";
        self.drop_connection(id, Refusal::new(CloseCode::Duplicate, reason));
    }

    /// Neither the judge's word nor the end of a leaving peer's lanes has come in time.
    pub(super) fn patience_over(&mut self, id: ConnectionId) {
        let Some(conn) = self.conns.get(&id) else { return };
        let name = conn.name();
        let in_use = self.peers.get(name).is_some_and(|peer| peer.session == Some(id));
        if conn.leaving {
            self.finish(id, Ending::Here);
        } else if !in_use {
            let text = "not chosen in time";
            self.drop_connection(id, Refusal::new(CloseCode::HelloTimeout, text));
        }
    }

    /// Closes a connection from this side and forgets it.
    pub(super) fn drop_connection(&mut self, id: ConnectionId, refusal: Refusal) {
        let Some(conn) = self.conns.get(&id) else { return };
        refuse(&conn.connection, &refusal);
        self.finish(id, Ending::Refused(refusal));
    }
}
