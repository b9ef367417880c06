//! Layer 5: the composition root. [`Node`] puts a node together: registry, process world, Lua,
//! scopes, services; and takes it apart again.

mod backend;
pub mod code;
pub mod services;
mod start;
pub mod supervisor;

pub use start::{Execution, FUNCTIONS_HOST, Node, NodeError, NodeOptions};
