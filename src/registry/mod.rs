//! Layer 1: YAML text in, typed entries out.
