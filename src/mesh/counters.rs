use std::sync::atomic::{AtomicU64, Ordering};

use crate::wire::Lane;

/// Why a frame, or a datagram, went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DropReason {
    /// The lane held its maximum number of frames.
    QueueFull = 0,
    /// The lane held its maximum number of bytes.
    QueueBytes = 1,
    /// No such member.
    UnknownNode = 2,
    /// No session, or the session ended before the frame was written.
    LinkLost = 3,
    /// The frame could not be read.
    Decode = 4,
    /// The frame was larger than the peer accepts.
    Oversize = 5,
    /// The node showed up with an incarnation that is over.
    StaleIncarnation = 6,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [DropReason; 7] = [
        DropReason::QueueFull,
        DropReason::QueueBytes,
        DropReason::UnknownNode,
        DropReason::LinkLost,
        DropReason::Decode,
        DropReason::Oversize,
        DropReason::StaleIncarnation,
    ];

    /// The metric label.
    pub fn as_str(self) -> &'static str {
        match self {
            DropReason::QueueFull => "queue_full",
            DropReason::QueueBytes => "queue_bytes",
            DropReason::UnknownNode => "unknown_node",
            DropReason::LinkLost => "link_lost",
            DropReason::Decode => "decode",
            DropReason::Oversize => "oversize",
            DropReason::StaleIncarnation => "stale_incarnation",
        }
    }
}

/// What one lane has carried and lost, over all peers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounts {
    /// Frames handed to the transport.
    pub frames_out: u64,
    /// Frames handed to the layer above.
    pub frames_in: u64,
    /// Bytes handed to the transport, frame headers included.
    pub bytes_out: u64,
    /// Bytes received, frame headers included.
    pub bytes_in: u64,
    /// Frames lost, in the order of [`DropReason::ALL`].
    pub dropped: [u64; DropReason::ALL.len()],
}

impl LaneCounts {
    /// Frames lost for this reason.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.dropped.get(reason as usize).copied().unwrap_or(0)
    }
}

/// All counts since the mesh started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By lane, in the order of [`Lane::ALL`].
    pub lanes: [LaneCounts; Lane::ALL.len()],
    /// Membership datagrams sent.
    pub gossip_out: u64,
    /// Membership datagrams received.
    pub gossip_in: u64,
    /// Bytes of membership datagrams sent.
    pub gossip_bytes_out: u64,
    /// Bytes of membership datagrams received.
    pub gossip_bytes_in: u64,
    /// Connections that became sessions.
    pub sessions: u64,
    /// Dials that failed.
    pub dials_failed: u64,
    /// Connections of others that were refused before they became sessions.
    pub refused: u64,
    /// Handshakes given up because too many were unfinished.
    pub half_open_evicted: u64,
}

impl Counts {
    /// The counts of one lane.
    pub fn lane(&self, lane: Lane) -> LaneCounts {
        self.lanes.get(lane as usize).copied().unwrap_or_default()
    }
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub(super) struct LaneCounters {
    pub(super) frames_out: Counter,
    pub(super) frames_in: Counter,
    pub(super) bytes_out: Counter,
    pub(super) bytes_in: Counter,
    dropped: [Counter; DropReason::ALL.len()],
}

impl LaneCounters {
    pub(super) fn dropped(&self, reason: DropReason, frames: u64) {
        if let Some(counter) = self.dropped.get(reason as usize) {
            counter.add(frames);
        }
    }

    pub(super) fn read(&self) -> LaneCounts {
        let mut dropped = [0; DropReason::ALL.len()];
        for (slot, counter) in dropped.iter_mut().zip(&self.dropped) {
            *slot = counter.get();
        }
        LaneCounts {
            frames_out: self.frames_out.get(),
            frames_in: self.frames_in.get(),
            bytes_out: self.bytes_out.get(),
            bytes_in: self.bytes_in.get(),
            dropped,
        }
    }
}

/// The live side of [`Counts`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    control: LaneCounters,
    pg: LaneCounters,
    message: LaneCounters,
    bulk: LaneCounters,
    pub(super) gossip_out: Counter,
    pub(super) gossip_in: Counter,
    pub(super) gossip_bytes_out: Counter,
    pub(super) gossip_bytes_in: Counter,
    pub(super) sessions: Counter,
    pub(super) dials_failed: Counter,
    pub(super) refused: Counter,
    pub(super) half_open_evicted: Counter,
}

impl Counters {
    pub(super) fn lane(&self, lane: Lane) -> &LaneCounters {
        match lane {
            Lane::Control => &self.control,
            Lane::Pg => &self.pg,
            Lane::Message => &self.message,
            Lane::Bulk => &self.bulk,
        }
    }

    pub(super) fn read(&self) -> Counts {
        Counts {
            lanes: Lane::ALL.map(|lane| self.lane(lane).read()),
            gossip_out: self.gossip_out.get(),
            gossip_in: self.gossip_in.get(),
            gossip_bytes_out: self.gossip_bytes_out.get(),
            gossip_bytes_in: self.gossip_bytes_in.get(),
            sessions: self.sessions.get(),
            dials_failed: self.dials_failed.get(),
            refused: self.refused.get(),
            half_open_evicted: self.half_open_evicted.get(),
        }
    }
}
