//! How a run of specs is told: for people, and in three forms for machines.

mod json;
mod junit;
mod pretty;
mod tap;

use std::io::{self, Write};
use std::time::Duration;

use super::suite::{Suite, Totals};

pub use json::JsonReport;
pub use junit::Junit;
pub use pretty::Pretty;
pub use tap::Tap;

/// Something that tells of suites as they end, and of the whole at the end.
pub trait Reporter {
    /// A suite has ended.
    fn suite(&mut self, suite: &Suite, out: &mut dyn Write) -> io::Result<()>;

    /// Everything has ended. The last line of a report for people is [`closing_line`].
    fn finish(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()>;
}

/// The whole run.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// How many of each.
    pub totals: Totals,
    /// How long it took.
    pub duration: Duration,
    /// The seed of the order, if it was shuffled.
    pub seed: Option<u64>,
}

/// The line that every run ends with.
pub fn closing_line(totals: Totals) -> String {
    format!("{} passed, {} failed, {} skipped", totals.passed, totals.failed, totals.skipped)
}

#[cfg(test)]
mod tests;
