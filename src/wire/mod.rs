//! Layer 1: frames, hello, version and tie-break rules, limits.
