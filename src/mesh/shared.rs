use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use rustc_hash::FxBuildHasher;

use super::certs::Material;
use super::complaints::Complaints;
use super::config::MeshConfig;
use super::counters::{Counters, DropReason};
use super::error::SendError;
use super::handler::MeshHandler;
use super::membership::MemberState;
use super::outbox::{Outbox, QueueDepth};
use crate::id::{NodeName, Origin};
use crate::wire::{Identity, Lane};

/// What the mesh's thread and everybody who sends have in common.
pub(super) struct Shared {
    pub(super) config: MeshConfig,
    pub(super) handler: Arc<dyn MeshHandler>,
    pub(super) counters: Counters,
    pub(super) complaints: Complaints,
    pub(super) directory: ArcSwap<Directory>,
    pub(super) view: ArcSwap<View>,
    pub(super) own: ArcSwap<Identity>,
    pub(super) material: ArcSwap<Material>,
    pub(super) bound: SocketAddr,
    pub(super) stopped: AtomicBool,
    next_connection: AtomicU64,
}

/// Names a connection within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ConnectionId(u64);

/// Where a send to a member goes.
pub(super) type Directory = HashMap<NodeName, Option<Arc<Route>>, FxBuildHasher>;

/// The way to a peer, for as long as one session lasts.
pub(super) struct Route {
    pub(super) origin: Origin,
    pub(super) connection: quinn::Connection,
    control: Outbox,
    pg: Outbox,
    message: Outbox,
    bulk: Outbox,
}

/// A member of the cluster as this node sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The node in its present run.
    pub origin: Origin,
    /// Where it accepts connections.
    pub addr: SocketAddr,
    /// Whether it answers.
    pub state: MemberState,
    /// Whether there is a session with it.
    pub connected: bool,
}

/// The cluster as this node sees it, this node not included. Failed and departed nodes are listed
/// while they are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Sorted by name.
    pub members: Vec<Member>,
}

/// The state of one session.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerStatus {
    /// The peer in its present run.
    pub origin: Origin,
    /// The smoothed round-trip time.
    pub rtt: Duration,
    /// What waits in each lane, in the order of [`Lane::ALL`].
    pub queues: [QueueDepth; Lane::ALL.len()],
    /// Bytes of UDP payload sent in this session.
    pub bytes_out: u64,
    /// Bytes of UDP payload received in this session.
    pub bytes_in: u64,
}

impl View {
    /// The members that count as alive, suspects included.
    pub fn alive(&self) -> impl Iterator<Item = &Member> {
        let alive =
            |member: &&Member| matches!(member.state, MemberState::Alive | MemberState::Suspect);
        self.members.iter().filter(alive)
    }

    /// The member of this name.
    pub fn member(&self, name: &NodeName) -> Option<&Member> {
        self.members.iter().find(|member| member.origin.node == *name)
    }
}

impl Shared {
    pub(super) fn new(
        config: MeshConfig,
        handler: Arc<dyn MeshHandler>,
        material: Material,
        own: Identity,
        bound: SocketAddr,
    ) -> Self {
        Self {
            config,
            handler,
            counters: Counters::default(),
            complaints: Complaints::default(),
            directory: ArcSwap::default(),
            view: ArcSwap::default(),
            own: ArcSwap::from_pointee(own),
            material: ArcSwap::from_pointee(material),
            bound,
            stopped: AtomicBool::new(false),
            next_connection: AtomicU64::new(1),
        }
    }

    pub(super) fn connection_id(&self) -> ConnectionId {
        ConnectionId(self.next_connection.fetch_add(1, Ordering::Relaxed))
    }

    /// Queues a frame; see [`super::Mesh::send`].
    pub(super) fn send(
        &self,
        peer: &NodeName,
        lane: Lane,
        payload: &Bytes,
    ) -> Result<(), SendError> {
        let counters = self.counters.lane(lane);
        match self.directory.load().get(peer) {
            Some(Some(route)) => route.outbox(lane).push(payload, counters),
            Some(None) => {
                counters.dropped(DropReason::LinkLost, 1);
                Err(SendError::Disconnected)
            }
            None if self.stopped.load(Ordering::Relaxed) => Err(SendError::Stopped),
            None => {
                counters.dropped(DropReason::UnknownNode, 1);
                Err(SendError::NotFound)
            }
        }
    }
}

impl Route {
    /// A way over `connection` to a peer that takes payloads up to `limit_bytes`.
    pub(super) fn new(
        origin: Origin,
        connection: quinn::Connection,
        config: &MeshConfig,
        limit_bytes: u32,
    ) -> Self {
        let limit = limit_bytes.min(config.max_frame_bytes) as usize;
        let outbox = |lane| Outbox::new(lane, config.queue, limit);
        Self {
            origin,
            connection,
            control: outbox(Lane::Control),
            pg: outbox(Lane::Pg),
            message: outbox(Lane::Message),
            bulk: outbox(Lane::Bulk),
        }
    }

    pub(super) fn outbox(&self, lane: Lane) -> &Outbox {
        match lane {
            Lane::Control => &self.control,
            Lane::Pg => &self.pg,
            Lane::Message => &self.message,
            Lane::Bulk => &self.bulk,
        }
    }

    /// Nothing more is taken; what is queued is still written.
    pub(super) fn finish(&self) {
        Lane::ALL.into_iter().for_each(|lane| self.outbox(lane).finish());
    }

    /// Nothing more is taken or written.
    pub(super) fn close(&self, counters: &Counters) {
        Lane::ALL.into_iter().for_each(|lane| self.outbox(lane).close(counters.lane(lane)));
    }

    pub(super) fn status(&self) -> PeerStatus {
        let udp = self.connection.stats();
        PeerStatus {
            origin: self.origin.clone(),
            rtt: self.connection.rtt(),
            queues: Lane::ALL.map(|lane| self.outbox(lane).depth()),
            bytes_out: udp.udp_tx.bytes,
            bytes_in: udp.udp_rx.bytes,
        }
    }
}
