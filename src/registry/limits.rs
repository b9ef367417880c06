//! What one registry may cost to load.

/// Longest text that a `file://` value may bring in, in bytes.
pub const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Most bytes that all `file://` values together may bring in, each use counted.
pub const MAX_ALL_TEXTS_BYTES: u64 = 256 << 20;

/// Deepest directory below the root.
pub const MAX_DIRECTORY_DEPTH: usize = 64;

/// Most files and directories that are looked at.
pub const MAX_DIRECTORY_ENTRIES: usize = 200_000;
