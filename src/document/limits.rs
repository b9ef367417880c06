//! What one document may cost. A file beyond a limit is refused before it takes memory or time
//! (report R50).

/// Longest document, in bytes. Larger files are refused unread.
pub const MAX_DOCUMENT_BYTES: u64 = 8 << 20;

/// Most values in a document, keys included, each alias counted with all that it stands for.
pub const MAX_NODES: usize = 300_000;

/// Deepest nesting of lists and maps, aliases followed.
pub const MAX_DEPTH: usize = 64;

/// Most anchors (`&name`) in a document.
pub const MAX_ANCHORS: usize = 10_000;
