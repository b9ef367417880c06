//! Layer 5: the composition root.
//!
//! Work in progress in the worktree `cli`: what starts hosts, scopes and processes, and `Node`.

pub mod services;
pub mod supervisor;
