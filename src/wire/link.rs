use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::Generation;

/// Longest encoded [`LinkMessage`], in bytes.
pub const MAX_LINK_BYTES: usize = 256;

/// What two nodes say about their connection itself, after the hello, on the hello's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkMessage {
    /// The judge of the pair has chosen this connection.
    Chosen {
        /// The number of the session that begins; higher than any before.
        generation: Generation,
    },
    /// Are you there, and is this connection in use?
    Ping {
        /// Comes back in the answer.
        number: u64,
    },
    /// The answer to a ping.
    Pong {
        /// The number of the ping.
        number: u64,
    },
    /// The speaker's identity has changed within its run.
    Identity {
        /// See [`super::Identity::rejoin`].
        rejoin: u32,
        /// Where the speaker now accepts connections.
        addr: SocketAddr,
    },
    /// The speaker still holds the listener as failed and needs a higher rejoin count.
    Renew {
        /// The count that is held as failed.
        rejoin: u32,
    },
    /// The speaker leaves the cluster: its lanes end now and nothing follows.
    Leaving,
}

impl LinkMessage {
    /// The message as it goes on the wire: two bytes of length, then the body.
    pub fn encode(&self) -> Vec<u8> {
        let body = postcard::to_stdvec(self).unwrap_or_default();
        let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Reads a body; `None` if it is not one that this version knows.
    pub fn decode(body: &[u8]) -> Option<Self> {
        postcard::from_bytes(body).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_round_trip_and_stay_small() {
        for message in [
            LinkMessage::Chosen { generation: Generation(u64::MAX) },
            LinkMessage::Ping { number: 1 },
            LinkMessage::Pong { number: u64::MAX },
            LinkMessage::Identity { rejoin: u32::MAX, addr: "[::1]:65535".parse().unwrap() },
            LinkMessage::Renew { rejoin: 4 },
            LinkMessage::Leaving,
        ] {
            let bytes = message.encode();
            assert!(bytes.len() <= MAX_LINK_BYTES);
            assert_eq!(usize::from(bytes[1]), bytes.len() - 2);
            assert_eq!(LinkMessage::decode(&bytes[2..]), Some(message));
        }
        assert_eq!(LinkMessage::decode(&[200]), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            LinkMessage::decode(&bytes);
        }
    }
}
