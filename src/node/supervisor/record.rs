use std::fmt;
use std::time::Instant;

use crate::id::EntryId;

/// Where a service is (supervision.md section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Never started.
    Unknown,
    /// Being started, or waiting for what it needs.
    Starting,
    /// Its start succeeded.
    Running,
    /// Asked to stop.
    Stopping,
    /// Stopped on request.
    Stopped,
    /// Ended by an error; will be tried again, or was given up.
    Failed,
    /// Ended for good: finished, or an error that no retry mends.
    Exited,
}

impl Status {
    /// The name that scripts and logs see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Exited => "exited",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a service is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desired {
    /// It should run.
    Running,
    /// It should not.
    Stopped,
}

impl Desired {
    /// The name that scripts and logs see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

/// What is known about one service: the value of `supervisor.state(id)`.
#[derive(Debug, Clone, PartialEq)]
pub struct StateRecord {
    /// The service.
    pub id: EntryId,
    /// Where it is.
    pub status: Status,
    /// Where it should be.
    pub desired: Desired,
    /// Restarts since it was last asked for or last ran stably.
    pub retry_count: u32,
    /// When this record last changed.
    pub last_update: Instant,
    /// When its present or last run began to run.
    pub started_at: Option<Instant>,
    /// For people: the PID of a running service, what is waited for, the last error.
    pub details: String,
}

/// One run of a service. Reports about a run that is no longer the current one are ignored, so a
/// late report never changes the state of its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run(pub(super) u64);

/// What the driver has to do. Actions come in order; each change of a record is published before
/// the actions that follow from it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Start the service afresh; report `handle_started` or `handle_ended`.
    Start {
        /// The service.
        id: EntryId,
        /// The run to name in reports.
        run: Run,
    },
    /// Ask the run to stop; report `handle_ended` when it is gone. It may still be starting.
    Stop {
        /// The service.
        id: EntryId,
        /// The run to stop.
        run: Run,
        /// When it will be killed.
        deadline: Instant,
    },
    /// Kill the run; report `handle_ended` when it is gone.
    Terminate {
        /// The service.
        id: EntryId,
        /// The run to kill.
        run: Run,
    },
    /// Tell subscribers that a record changed.
    Publish(StateRecord),
    /// A service is no longer in the registry; its record is no more.
    Gone(EntryId),
    /// The wait of boot is over. Comes once.
    Booted(BootReport),
    /// Everything is stopped or given up. Comes once, as the last action.
    Down(ShutdownReport),
}

/// How boot went (supervision.md section 4).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BootReport {
    /// Required services that ended by an error, were given up or wait for one of those, with why.
    pub failed: Vec<(EntryId, String)>,
    /// Required services that were still on their way when the time was over, with their details.
    pub late: Vec<(EntryId, String)>,
}

impl BootReport {
    /// Every required service runs or has done its work.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.late.is_empty()
    }
}

/// How the stop of everything went (supervision.md section 8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    /// Services that had to be killed or did not end, with what happened.
    pub forced: Vec<(EntryId, String)>,
    /// Services that were not stopped when the overall deadline passed; they got killed then.
    pub left: Vec<EntryId>,
}
