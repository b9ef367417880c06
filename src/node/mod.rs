//! Layer 5: the composition root.

pub mod services;
pub mod supervisor;
