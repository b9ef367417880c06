//! Layer 1: what two nodes say to each other, without sockets or clocks.
//!
//! Frames and lanes, the hello and its checks, coded close reasons, the rules that decide which of
//! two connections between a pair of nodes lives, and the reconnect back-off. Everything here is
//! plain data in, plain data out; `mesh` carries it. Source: `spec/cluster.md` section 3.

mod arrival;
mod backoff;
mod close;
mod frame;
mod hello;
mod lane;
mod link;
mod pair;
mod varint;

pub use arrival::{Standing, standing};
pub use backoff::{Backoff, BackoffRule};
pub use close::{CloseCode, Refusal, RetryAdvice};
pub use frame::{DecodeError, FrameDecoder, FrameHeader, Malformed, frame_header};
pub use hello::{Hello, HelloError, HelloHead, Identity, Limits, PROTOCOL_VERSION};
pub use lane::Lane;
pub use link::{LinkMessage, MAX_LINK_BYTES};
pub use pair::{Adoption, Follower, Generation, Judge, Verdict};
pub use varint::{MAX_VARINT_BYTES, Varint, read_varint, write_varint};
