//! Layer 0: YAML documents with positions, durations, and the diagnostics made from them.
//!
//! [`parse()`] turns the text of a [`Source`] into a [`Node`] tree that keeps the spelling and the
//! place of every value, within fixed [limits]. [`Decoder`] reads typed values out of such
//! a tree: the target's type decides what a bare word means, so `no` is a fine group name and
//! `0123` never becomes another number. Problems do not stop the reading; all of them end up as
//! [`Diagnostic`]s in a [`Report`]. Sources: registry.md sections 7 and 9, reports R44, R46, R47,
//! R49 and R50.

mod assignment;
mod build;
pub mod code;
mod decode;
mod defaults;
mod diagnostic;
mod duration;
mod field;
mod json;
pub mod limits;
mod merge;
mod node;
mod parse;
mod render;
mod report;
mod scalar;
mod size;
mod source;
mod suggest;
mod unknown;

pub use assignment::{Assignment, assignment};
pub use decode::{Decoder, Fields};
pub use diagnostic::{Diagnostic, Note, Related, Severity};
pub use duration::{DurationError, DurationText, parse_duration};
pub use field::{Field, Text, Zero};
pub use json::child_path;
pub use node::{Kind, Map, MapEntry, Node, Scalar, Spelling};
pub use parse::parse;
pub use render::Style;
pub use report::Report;
pub use scalar::{Ambiguity, Implied};
pub use size::{SizeError, parse_size};
pub use source::{Medium, ReadError, Source, Span};
pub use suggest::nearest;

#[cfg(test)]
mod tests;
