use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::problem::Problem;

/// The signals that end a node: SIGINT and SIGTERM. SIGHUP is taken and ignored.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Takes the signals over; has to be called inside a tokio runtime.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn take() -> Result<Self, Problem> {
        let take = |kind| {
            signal(kind).map_err(|error| Problem::usage(format!("cannot take signals: {error}")))
        };
        Ok(Self {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
            hangup: take(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one; answers its name.
    pub(super) async fn next(&mut self) -> &'static str {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return "SIGINT",
                _ = self.terminate.recv() => return "SIGTERM",
                _ = self.hangup.recv() => tracing::debug!(target: "moonmesh::node", "SIGHUP is ignored"),
            }
        }
    }

    /// Ends the program at the next signal, whatever it does.
    pub(super) async fn force(&mut self) -> ! {
        let signal = self.next().await;
        tracing::warn!(target: "moonmesh::node", "{signal} again: stopping at once");
        // What is written to the log so far should be seen.
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::process::exit(1);
    }
}
