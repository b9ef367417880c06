//! The mesh's mind: one task that knows every connection, peer and member, and decides.
//!
//! Everything that is not a frame comes here as an [`Event`]. The whole mesh runs on one thread, so
//! what the hub does is never interleaved with a frame being handled.

mod arrivals;
mod dialling;
mod links;
mod members;
mod peer;
mod seeds;
mod sessions;
mod stop;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quinn::Connection;
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::dial::{Dialler, Failure};
use super::greeting::Link;
use super::membership::Membership;
use super::shared::{ConnectionId, Shared};
use super::transport::Ending;
use crate::id::NodeName;
use crate::wire::{Hello, Identity, Lane, LinkMessage};
use arrivals::Conn;
use peer::Peer;
use seeds::{SeedOutcome, Seeds};
use stop::Stopping;

/// A connection on which the peer has said hello.
pub(super) struct Arrival {
    pub(super) id: ConnectionId,
    pub(super) connection: Connection,
    pub(super) hello: Hello,
    pub(super) link: Link,
    pub(super) dialled: Dialled,
}

/// Which node has dialled a connection.
pub(super) enum Dialled {
    /// This one; the dial waits to hear whether it became a session.
    Here(oneshot::Sender<Result<(), Ending>>),
    /// The peer, which waits for this node's hello.
    There,
}

/// Something the hub has to deal with.
pub(super) enum Event {
    /// A peer has said hello.
    Arrived(Box<Arrival>),
    /// A peer has said something on the hello's stream.
    Link(ConnectionId, LinkMessage),
    /// A membership datagram.
    Datagram(ConnectionId, Bytes),
    /// A connection is over.
    Closed(ConnectionId, Ending),
    /// The peer's lanes have all ended, and every frame in them has been handled.
    LanesEnded(ConnectionId),
    /// A lane to the peer was emptied because it was full.
    Overflowed(ConnectionId, Lane),
    /// The answer to the ping of this number is due.
    AnswerDue(NodeName, u64),
    /// The judge's word, or the end of a leaving peer's lanes, is due.
    PatienceOver(ConnectionId),
    /// The time of a waiting dial has come.
    DialDue(NodeName, u64),
    /// A dial has ended.
    Dialled(NodeName, Result<(), Failure>),
    /// It is time to look after a seed.
    SeedDue(usize, u64),
    /// A seed has been looked after.
    SeedTried(usize, SeedOutcome),
}

/// What the owner of the mesh asks for.
pub(super) enum Command {
    /// Accept connections at another address from now on.
    Moved(SocketAddr),
    /// Flush, leave and end.
    Stop,
}

/// See the module.
pub(super) struct Hub {
    shared: Arc<Shared>,
    dialler: Dialler,
    membership: Membership,
    conns: HashMap<ConnectionId, Conn>,
    peers: HashMap<NodeName, Peer>,
    seeds: Seeds,
    stopping: Option<Stopping>,
    random: StdRng,
}

impl Hub {
    /// A hub that knows nobody yet.
    pub(super) fn new(dialler: Dialler, own: Identity) -> Self {
        let shared = dialler.shared.clone();
        let membership = Membership::new(own, shared.config.membership, rand::make_rng());
        let seeds = Seeds::new(&shared.config);
        Self {
            shared,
            dialler,
            membership,
            conns: HashMap::new(),
            peers: HashMap::new(),
            seeds,
            stopping: None,
            random: rand::make_rng(),
        }
    }

    /// Runs until the mesh is stopped.
    pub(super) async fn run(
        mut self,
        mut events: mpsc::Receiver<Event>,
        mut commands: mpsc::UnboundedReceiver<Command>,
    ) {
        self.start_seeds();
        let forever = Duration::from_secs(3600);
        while !self.is_done() {
            let due = self.membership.next_due().map(Instant::from_std);
            let end = self.stopping.as_ref().map(Stopping::deadline);
            let wake = due.into_iter().chain(end).min().unwrap_or_else(|| Instant::now() + forever);
            tokio::select! {
                Some(event) = events.recv() => self.on(event),
                command = commands.recv(), if self.stopping.is_none() => match command {
                    Some(Command::Moved(addr)) => self.moved(addr),
                    Some(Command::Stop) | None => self.stop(),
                },
                () = tokio::time::sleep_until(wake) => {
                    let effects = self.membership.tick(Instant::now().into_std());
                    self.apply(effects);
                    self.publish();
                }
            }
        }
        self.farewell().await;
    }

    fn on(&mut self, event: Event) {
        match event {
            Event::Arrived(arrival) => self.arrived(*arrival),
            Event::Link(id, message) => self.heard(id, message),
            Event::Datagram(id, data) => self.datagram(id, data),
            Event::Closed(id, ending) => self.closed(id, ending),
            Event::LanesEnded(id) => self.lanes_ended(id),
            Event::Overflowed(id, lane) => self.overflowed(id, lane),
            Event::AnswerDue(name, number) => self.answer_due(&name, number),
            Event::PatienceOver(id) => self.patience_over(id),
            Event::DialDue(name, number) => self.dial_due(&name, number),
            Event::Dialled(name, outcome) => self.dialled(&name, outcome),
            Event::SeedDue(index, number) => self.seed_due(index, number),
            Event::SeedTried(index, outcome) => self.seed_tried(index, outcome),
        }
    }

    /// Lets `event` happen after `delay`.
    fn after(&self, delay: Duration, event: Event) {
        let events = self.dialler.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let _ = events.send(event).await;
        });
    }

    fn random(&mut self) -> f64 {
        self.random.random()
    }

    fn own_name(&self) -> &NodeName {
        &self.shared.config.origin.node
    }

    /// The entry of a peer, made if there is none.
    fn peer(&mut self, name: &NodeName) -> &mut Peer {
        let is_judge = self.shared.config.origin.node < *name;
        let rule = self.shared.config.times.backoff;
        self.peers.entry(name.clone()).or_insert_with(|| Peer::new(is_judge, rule))
    }
}
