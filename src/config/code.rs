//! The stable identifiers of the problems that a configuration can have, besides those of any
//! [document](crate::document::code). Tools may rely on them.

/// A part of the configuration language that is not supported.
pub const UNSUPPORTED: &str = "unsupported";
/// A setting that is accepted and has no effect.
pub const NO_EFFECT: &str = "no-effect";
/// A `${env:NAME}` that is malformed or names a variable that is not set.
pub const BAD_PLACEHOLDER: &str = "bad-placeholder";
/// A `MOONMESH_*` variable that is no setting.
pub const UNKNOWN_VARIABLE: &str = "unknown-variable";
/// A node name that cannot be used.
pub const BAD_NODE_NAME: &str = "bad-node-name";
/// An address that cannot be used.
pub const BAD_ADDRESS: &str = "bad-address";
/// A shared secret that cannot be used.
pub const BAD_SECRET: &str = "bad-secret";
