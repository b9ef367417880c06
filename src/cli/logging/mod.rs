//! The log: `tracing` events as lines on standard error.
//!
//! Lines are made by the thread that logs and written by a thread of their own, so a reader of
//! standard error that stalls costs lines, which are counted, and never time. The filter can be
//! changed while the program runs. Field names are those of `spec/observability.md` section 6.

mod filter;
mod line;
mod writer;

use std::io::Write;
use std::time::Instant;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, reload};

pub use filter::{FilterError, Verbosity};
pub use line::Format;

use line::Lines;
use writer::Writer;

/// What is logged and how it looks.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How much.
    pub verbosity: Verbosity,
    /// Parts that log more or less than the rest, as `pg=trace,mesh=warn`.
    pub filter: Option<String>,
    /// The form of a line.
    pub format: Format,
    /// Whether lines for people are coloured.
    pub coloured: bool,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is not one.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// Somebody else takes the events of this program.
    #[error("the log of this program was set up before: {0}")]
    Taken(#[from] TryInitError),
}

/// The running log. Dropping it writes what is still queued, for at most a second.
pub struct Log {
    writer: Writer,
    filter: reload::Handle<Targets, Registry>,
}

impl Log {
    /// Sends the events of the whole program to `sink` from now on.
    pub fn start(settings: &Settings, sink: impl Write + Send + 'static) -> Result<Self, LogError> {
        let targets = filter::targets(settings.verbosity, settings.filter.as_deref())?;
        let writer = Writer::start(sink);
        let lines = Lines {
            format: settings.format,
            coloured: settings.coloured,
            places: settings.verbosity == Verbosity::Trace,
            began: Instant::now(),
            out: writer.queue(),
        };
        let (filter, handle) = reload::Layer::new(targets);
        tracing_subscriber::registry().with(lines.with_filter(filter)).try_init()?;
        Ok(Self { writer, filter: handle })
    }

    /// Changes what is logged from now on.
    pub fn set_filter(
        &self,
        verbosity: Verbosity,
        filter: Option<&str>,
    ) -> Result<(), FilterError> {
        let targets = filter::targets(verbosity, filter)?;
        // It fails only once the subscriber is gone, and then nothing is logged anyway.
        let _ = self.filter.reload(targets);
        Ok(())
    }

    /// Lines that were dropped because they were not written fast enough.
    pub fn lost(&self) -> u64 {
        self.writer.lost()
    }
}
