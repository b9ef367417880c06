//! Layer 4: Lua VMs, environments, and one file per Lua module.

pub mod error;
pub mod modules;
pub mod plain;
pub mod sandbox;
pub mod spec;
