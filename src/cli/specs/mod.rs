//! Lua specs (`spec/testing.md`): which there are, what they report, how that is told.

mod choice;
mod discover;
mod event;
pub mod report;
mod suite;

pub use choice::{Choice, Order};
pub use discover::{DiscoverError, SpecFile, is_registry, spec_files};
pub use event::{Event, Failure, Leaks, Mishap, Test};
pub use suite::{Ended, Outcome, Suite, Totals};
