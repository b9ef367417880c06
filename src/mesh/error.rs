use std::io;
use std::net::SocketAddr;

use super::certs::CertsError;
use crate::id::NodeName;

/// Why a frame was not queued, by what the sender can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No such node is a member: it never was, it left, or it failed.
    #[error("node unreachable")]
    NotFound,
    /// The node counts as alive, but there is no session with it just now. Try again later.
    #[error("node has no connection at the moment")]
    Disconnected,
    /// The lane's queue to that node is full. Try again later.
    #[error("queue to the node is full")]
    Overloaded,
    /// The frame is larger than that node accepts.
    #[error("frame of {found_bytes} bytes, the node accepts at most {limit_bytes}")]
    TooLarge {
        /// The payload, in bytes.
        found_bytes: usize,
        /// The limit, in bytes.
        limit_bytes: usize,
    },
    /// This node's mesh has been stopped.
    #[error("the mesh has stopped")]
    Stopped,
}

impl SendError {
    /// Whether the same send may succeed later without anybody's doing.
    pub fn is_retryable(self) -> bool {
        matches!(self, SendError::Disconnected | SendError::Overloaded)
    }
}

/// Why a mesh cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting makes no sense.
    #[error("cluster configuration: {0}")]
    Config(String),
    /// The node's certificate, key or authority.
    #[error("cluster.tls: {0}")]
    Certificates(#[from] CertsError),
    /// The port cannot be had.
    #[error("cannot listen on {addr}: {source}")]
    Bind {
        /// The address that was tried last.
        addr: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
    /// The node listens everywhere, and no address was found at which others could reach it.
    #[error(
        "node {node} listens on {bound}, and this machine has no address of its own to tell others; \
         set cluster.internode.advertise_addr"
    )]
    NoAddress {
        /// This node.
        node: NodeName,
        /// What it listens on.
        bound: SocketAddr,
    },
    /// The thread or its event loop cannot be had.
    #[error("cannot start the mesh thread: {0}")]
    Thread(io::Error),
}
