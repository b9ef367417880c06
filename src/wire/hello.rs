use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::{CloseCode, Generation, Refusal};
use crate::id::{Incarnation, NodeName, Origin};

/// The version of everything in this module. Two nodes must have the same.
pub const PROTOCOL_VERSION: u16 = 1;

const MAGIC: [u8; 4] = *b"MOON";
const HEAD_BYTES: usize = 8;
const MAX_BODY_BYTES: usize = 2048;

/// Who a node is and where others reach it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The node in its present run.
    pub origin: Origin,
    /// Counts the times that this run had to come back after being declared failed, and changes of
    /// `addr`.
    pub rejoin: u32,
    /// Where the node accepts connections.
    pub addr: SocketAddr,
}

/// What a node is prepared to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Largest payload of a frame, in bytes.
    pub max_frame_bytes: u32,
}

/// The first thing each side says on the first bidirectional stream of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The cluster that the node belongs to.
    pub cluster: String,
    /// Who speaks.
    pub identity: Identity,
    /// Optional abilities, one bit each; unknown bits are ignored.
    pub features: u64,
    /// What the speaker accepts.
    pub limits: Limits,
    /// The last session with the other node that the speaker had and no longer has; zero when there
    /// was none, or the dialler does not know whom it is about to reach.
    pub lost: Generation,
    /// Proof that the speaker knows the cluster secret, if the cluster has one.
    pub proof: Option<[u8; 32]>,
}

/// Why bytes are not a hello of this version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// It is no hello at all.
    #[error("not a hello: {0}")]
    Malformed(&'static str),
    /// It is a hello of another protocol version.
    #[error("protocol version {found}, this node speaks {PROTOCOL_VERSION}")]
    Version {
        /// The version of the other side.
        found: u16,
    },
}

impl From<HelloError> for Refusal {
    fn from(error: HelloError) -> Self {
        let code = match error {
            HelloError::Malformed(_) => CloseCode::Protocol,
            HelloError::Version { .. } => CloseCode::Version,
        };
        Refusal::new(code, error.to_string())
    }
}

/// The fixed-size start of a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HelloHead {
    /// Length of the body that follows, in bytes.
    pub body_bytes: usize,
}

impl HelloHead {
    /// Bytes to read before [`HelloHead::decode`].
    pub const BYTES: usize = HEAD_BYTES;

    /// Checks that this is a hello of this version.
    pub fn decode(bytes: [u8; HEAD_BYTES]) -> Result<Self, HelloError> {
        let [m0, m1, m2, m3, v0, v1, l0, l1] = bytes;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(HelloError::Malformed("wrong magic"));
        }
        let found = u16::from_be_bytes([v0, v1]);
        if found != PROTOCOL_VERSION {
            return Err(HelloError::Version { found });
        }
        let body_bytes = usize::from(u16::from_be_bytes([l0, l1]));
        if body_bytes > MAX_BODY_BYTES {
            return Err(HelloError::Malformed("too long"));
        }
        Ok(Self { body_bytes })
    }
}

impl Hello {
    /// The hello as it goes on the wire, head included.
    pub fn encode(&self) -> Vec<u8> {
        let body = postcard::to_stdvec(self).unwrap_or_default();
        let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&PROTOCOL_VERSION.to_be_bytes());
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Reads the body; bytes after the known fields are left for later versions.
    pub fn decode_body(body: &[u8]) -> Result<Self, HelloError> {
        let (hello, _) = postcard::take_from_bytes::<Hello>(body)
            .map_err(|_| HelloError::Malformed("fields cannot be read"))?;
        if hello.cluster.is_empty() || hello.cluster.len() > 64 {
            return Err(HelloError::Malformed("cluster name must have 1 to 64 bytes"));
        }
        Ok(hello)
    }

    /// Whether `self`, which came over a connection whose certificate carries `certified` names,
    /// may talk to the node that says `own`. `expected` is the name that the dialler asked for.
    pub fn check(
        &self,
        own: &Hello,
        certified: &[String],
        expected: Option<&NodeName>,
    ) -> Result<(), Refusal> {
        let Origin { node, incarnation } = &self.identity.origin;
        let refuse = |code, reason: String| Err(Refusal::new(code, reason));
        if self.cluster != own.cluster {
            return refuse(
                CloseCode::Cluster,
                format!(
                    "node {node} is in cluster {:?}, node {} in cluster {:?}",
                    self.cluster, own.identity.origin.node, own.cluster
                ),
            );
        }
        if !certified.iter().any(|name| name == node.as_str()) {
            let names = certified.join(", ");
            return refuse(
                CloseCode::Name,
                format!("node says it is {node}, its certificate is for [{names}]"),
            );
        }
        if *node == own.identity.origin.node {
            return if *incarnation == own.identity.origin.incarnation {
                refuse(CloseCode::Itself, format!("node {node} reached itself"))
            } else {
                refuse(
                    CloseCode::NameTaken,
                    format!(
                        "two live nodes are called {node}: {} and {}",
                        own.place(),
                        self.place()
                    ),
                )
            };
        }
        match expected {
            Some(name) if name != node => {
                refuse(CloseCode::Name, format!("expected node {name}, reached {node}"))
            }
            _ => Ok(()),
        }
    }

    fn place(&self) -> String {
        let Identity { origin, addr, .. } = &self.identity;
        format!("{addr} (incarnation {})", Incarnation(origin.incarnation.0))
    }
}

#[cfg(test)]
mod tests;
