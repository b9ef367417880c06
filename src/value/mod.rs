//! Layer 0: the values that cross processes and nodes.
//!
//! A [`Values`] is what one message, call or exit result carries: a short sequence of Lua values,
//! copied once when it is made and immutable from then on. It is flat bytes, so a broadcast to ten
//! thousand members shares one allocation and a remote send puts the same bytes on the wire.
//!
//! What survives the copy: nil, booleans, integers and floats (kept apart), binary strings, tables
//! with shared parts, cycles and plain-data metatables, and error objects. Anything else is refused
//! where the copy is made, with the path of the offending value (`spec/cluster.md` section 4,
//! report R37).

mod encode;
mod error;
mod json;
mod read;
mod values;

pub use encode::{Encoder, TableId, TableMark};
pub use error::{ErrorValue, kind};
pub use json::JsonError;
pub use read::{Reader, Token, ValueError};
pub use values::{MAX_DEPTH, MAX_VALUES_BYTES, Values, View};
