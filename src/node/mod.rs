//! Layer 5: the composition root.

pub mod supervisor;
