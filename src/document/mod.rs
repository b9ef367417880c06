//! Layer 0: YAML documents with positions, durations, and the diagnostics made from them.
