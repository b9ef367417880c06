//! Layer 1: the optional configuration of a node.
//!
//! [`Config::load`] merges configuration files, environment variables and `--set` into one typed
//! value in which each setting knows where it comes from, or reports everything that is wrong.
//! Precedence, low to high: built-in values, files from left to right, `MOONMESH_*` variables,
//! `--set`. Sources: cli.md sections 2 and 9, cluster.md sections 1 to 3, observability.md
//! section 1.

mod address;
mod cluster;
pub mod code;
mod environment;
mod input;
mod layers;
mod load;
mod node_name;
mod placeholder;
mod runtime;
mod secret;
mod section;
mod setting;

pub use address::{Address, AddressError};
pub use cluster::{ClusterConfig, InternodeConfig, MembershipConfig, TlsConfig, TlsMode};
pub use input::ConfigInput;
pub use load::Config;
pub use runtime::{
    DisableConfig, HealthConfig, LogEncoding, LogManagerConfig, PrometheusConfig, SupervisorConfig,
};
pub use secret::Secret;
pub use setting::{Origin, Setting};

#[cfg(test)]
mod tests;
