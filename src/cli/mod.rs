//! Layer 6: commands, reports, exit codes.
