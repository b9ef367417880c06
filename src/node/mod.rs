//! Layer 5: the composition root.
