//! Layer 2: the QUIC mesh and membership.

pub mod certs;
