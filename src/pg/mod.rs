//! Layer 1: the rulebook of process groups, sans-IO.
