//! What scopes on different nodes say to each other, and its form on the wire.
//!
//! A frame is `version kind scope node incarnation generation body`; numbers are varints, texts
//! carry their length. The origin (node, incarnation) is in every frame so that a frame which
//! took a wrong way is refused rather than applied.

mod decode;
mod encode;
mod primitives;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use smallvec::SmallVec;

use super::Change;
use super::digest::Digest;
use crate::id::{HostIndex, Incarnation, Serial};

pub use decode::{MalformedFrame, frame_scope};
pub use encode::{BroadcastFrame, Envelope, answer_for_absent_scope};
pub(super) use encode::{SyncChunks, put_step};

/// One encoded message; cloning shares it.
pub type Frame = Bytes;

/// Which start of a scope within one run of its node; a later start has a higher number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generation(pub u64);

/// One start of a scope on one node, ordered in time: what versions count within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    /// Which run of the node.
    pub incarnation: Incarnation,
    /// Which start of the scope in it.
    pub generation: Generation,
}

/// A decoded frame. Texts point into the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The `pg.scope` entry that the frame belongs to.
    pub scope: &'a str,
    /// The node that the frame says it is from.
    pub node: &'a str,
    /// The run that the frame says it is from.
    pub run: Run,
    /// What it says.
    pub body: Body<'a>,
}

/// Process hosts named by a message, for the serials in it.
pub type NamedHosts<'a> = SmallVec<[(HostIndex, &'a str); 2]>;

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// "Here I am; tell me your state, unless it is still the one I hold."
    Discover {
        /// The sender's own state.
        own: Digest,
        /// What the sender holds of the receiver.
        held: Option<(Run, Digest)>,
    },
    /// Steps that the sender's local membership took.
    Announce {
        /// The version before the first step; each step adds one.
        from: u64,
        /// Hosts of the members in the steps.
        hosts: NamedHosts<'a>,
        /// The steps in order.
        steps: SmallVec<[Step<'a>; 1]>,
    },
    /// A part of the sender's full local state.
    Sync(SyncChunk<'a>),
    /// The sender's own state in short.
    Digest(Digest),
    /// "What I hold of you is not what you have: send all of it."
    SyncRequest,
    /// The sender does not run the scope (any more): it has no members.
    Absent,
    /// A message for the receiver's own members of a group.
    Broadcast {
        /// Which group.
        group: &'a str,
        /// The topic of the message.
        topic: &'a str,
        /// The process that broadcasts.
        sender: Serial,
        /// The host of that process.
        host: &'a str,
        /// The payload, as `Values::to_wire` wrote it.
        values: &'a [u8],
    },
}

/// One step of a local membership: one process joins or leaves some groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// Whether it joins or leaves.
    pub change: Change,
    /// Which process.
    pub member: Serial,
    /// Each group with the number of slots that come or go; none twice.
    pub groups: SmallVec<[(&'a str, u64); 1]>,
}

/// Part `index` of `total` of a full local state. Parts are sent in order and without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncChunk<'a> {
    /// The version that the whole state has.
    pub version: u64,
    /// Which part, from 0.
    pub index: u32,
    /// How many parts there are, 1 to [`MAX_SYNC_CHUNKS`].
    pub total: u32,
    /// Hosts of the members in this part.
    pub hosts: NamedHosts<'a>,
    /// Groups with members and slots, by ascending serial. The last group of a part may go on as
    /// the first group of the next one.
    pub groups: Vec<(&'a str, Vec<(Serial, u64)>)>,
}

/// Most parts of one sync that a receiver puts together.
pub const MAX_SYNC_CHUNKS: u32 = 16_384;

/// A part of a sync, or several steps in one announcement, are closed when they reach this size.
pub const CHUNK_BYTES: usize = 48 * 1024;

/// A single step that is larger than this is not announced; peers fetch it as a sync, in parts.
pub const MAX_STEP_BYTES: usize = 256 * 1024;

/// Longest topic of a broadcast, in bytes.
pub const MAX_TOPIC_BYTES: usize = 1024;

const WIRE_VERSION: u8 = 1;

mod kind {
    pub(super) const DISCOVER: u8 = 1;
    pub(super) const ANNOUNCE: u8 = 2;
    pub(super) const SYNC: u8 = 3;
    pub(super) const DIGEST: u8 = 4;
    pub(super) const SYNC_REQUEST: u8 = 5;
    pub(super) const ABSENT: u8 = 6;
    pub(super) const BROADCAST: u8 = 7;
}
