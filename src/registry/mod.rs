//! Layer 1: YAML text in, typed entries out.
//!
//! [`Registry::load`] reads a directory of entry files, checks all of it and answers with an
//! immutable snapshot, or with a report of every problem in every file: nothing is half-loaded.
//! Each [`Entry`] has its data as JSON and as the typed [`Definition`] of its kind. Sources:
//! registry.md, cli.md sections 5 and 9, pg.md section 1, supervision.md section 2, security.md.

pub mod code;
mod commands;
mod cycle;
mod diff;
mod disable;
mod discover;
mod entry;
mod file;
mod file_text;
mod find;
mod glob;
pub mod kind;
pub mod limits;
mod load;
mod overrides;
mod pattern;
mod raw;
mod reference;
mod script;
mod snapshot;

pub use commands::Command;
pub use diff::Changes;
pub use disable::Disable;
pub use discover::holds_entries;
pub use entry::Entry;
pub use find::{Filter, FilterError, MetaCondition};
pub use glob::Glob;
pub use kind::{Definition, Kind};
pub use load::LoadOptions;
pub use snapshot::Registry;

#[cfg(test)]
mod tests;
