//! Layer 3: one running `pg.scope`.
//!
//! Work in progress in the worktree `scope`; whoever else was to write this layer need not.
