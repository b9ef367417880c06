//! Layer 2: the QUIC mesh and membership.
//!
//! One [`Mesh`] a node, on a thread of its own. It keeps one connection to every other node of the
//! cluster, carries frames in four lanes, and says who is there. What frames mean is the business of
//! the [`MeshHandler`] above. Source: `spec/cluster.md` sections 1 to 3 and 6.

mod accept;
mod address;
pub mod certs;
mod complaints;
mod config;
mod counters;
mod dial;
mod error;
mod greeting;
mod half_open;
mod handle;
mod handler;
mod hub;
mod lanes;
mod membership;
mod outbox;
mod reload;
mod shared;
mod transport;

pub use complaints::Complaint;
pub use config::{
    DEFAULT_MAX_FRAME_BYTES, DEFAULT_MAX_HALF_OPEN, DEFAULT_PORT, MeshConfig, PortChoice, Times,
};
pub use counters::{Counts, DropReason, LaneCounts};
pub use error::{SendError, StartError};
pub use handle::Mesh;
pub use handler::{BadFrame, MemberChange, MemberEvent, MeshHandler};
pub use membership::{MemberState, MembershipRules};
pub use outbox::{QueueDepth, QueueLimits};
pub use shared::{Member, PeerStatus, View};

#[cfg(test)]
mod tests;
