//! Layer 2: the QUIC mesh and membership.
