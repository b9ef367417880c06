use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{NodeBackend, Running};
use crate::id::{EntryId, HostIndex};
use crate::node::services::Reporter;
use crate::node::supervisor::Outcome;
use crate::process::{Address, HostLimits, Runtime, Signal, events};
use crate::registry::kind::ProcessHost;

/// The reason that processes are given when their host stops (process.md section 6).
const STOPPING: &str = "scheduler shutdown";

/// How often a stopping host looks whether its last process is gone.
const LOOK: Duration = Duration::from_millis(5);

/// A running process host.
pub(super) struct HostRun {
    index: HostIndex,
}

impl NodeBackend {
    pub(super) fn start_host(&self, id: &EntryId, host: &ProcessHost, reporter: Reporter) {
        let limits = HostLimits {
            max_processes: u64::from(host.limits.max_processes),
            mailbox_messages: u64::from(host.limits.mailbox_messages),
            mailbox_bytes: usize::try_from(host.limits.mailbox_bytes).unwrap_or(usize::MAX),
        };
        match self.0.runtime.hosts().open(id, limits) {
            Ok(index) => {
                reporter.started("");
                self.keep(id, Running::Host(HostRun { index }));
                let runtime = self.0.runtime.clone();
                tokio::spawn(report_end(runtime, index, reporter));
            }
            Err(error) => reporter.ended(Outcome::Fatal(error.to_string())),
        }
    }
}

/// Reports the end once the host takes no more processes and has none left.
async fn report_end(runtime: Runtime, index: HostIndex, reporter: Reporter) {
    let is_over = || {
        runtime.hosts().with(index, |host| {
            !host.accepting.load(Ordering::Relaxed)
                && host.counters.running.load(Ordering::Relaxed) == 0
        })
    };
    while is_over() == Some(false) {
        tokio::time::sleep(LOOK).await;
    }
    reporter.ended(Outcome::Stopped);
}

impl HostRun {
    /// Takes no new process and asks those that run to stop.
    pub(super) fn stop(&self, runtime: &Runtime) {
        runtime.hosts().with(self.index, |host| host.accepting.store(false, Ordering::Relaxed));
        let cancel = || Signal::Cancel { from: events::NOBODY.into(), reason: STOPPING.to_owned() };
        self.signal_all(runtime, cancel);
    }

    /// Kills what still runs.
    pub(super) fn terminate(&self, runtime: &Runtime) {
        runtime.hosts().with(self.index, |host| host.accepting.store(false, Ordering::Relaxed));
        self.signal_all(runtime, || Signal::Terminate);
    }

    fn signal_all(&self, runtime: &Runtime, signal: impl Fn() -> Signal + Send + Sync + 'static) {
        let index = self.index;
        runtime.on_workers(move |worker| {
            for process in worker.processes() {
                if process.serial().host_index() == index {
                    let _ = worker.send_signal(&Address::Local(process.serial()), signal());
                }
            }
        });
    }
}
