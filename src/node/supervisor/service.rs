use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::record::{Action, Desired, Run, StateRecord, Status};
use super::spec::ServiceSpec;
use crate::id::EntryId;

/// The state machine of one service. It holds at most one run; a new one begins only after the end
/// of the one before was reported.
pub(super) struct Service {
    pub(super) spec: Arc<ServiceSpec>,
    pub(super) record: StateRecord,
    /// Why the last end is final, if it is.
    pub(super) verdict: Option<Verdict>,
    pub(super) deadline: Option<Instant>,
    pub(super) timer: Timer,
    pub(super) current: Option<Current>,
    pub(super) failures: u32,
    /// What went wrong while stopping.
    pub(super) forced: Option<String>,
}

/// A final end while the service is meant to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Finished,
    Failed,
}

#[derive(Clone, Copy)]
pub(super) enum Timer {
    Start,
    Retry,
    Stop,
    Grace,
}

#[derive(Clone, Copy)]
pub(super) struct Current {
    pub(super) run: Run,
    pub(super) phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Running,
    Stopping,
    Killed,
}

impl Service {
    pub(super) fn new(id: EntryId, spec: Arc<ServiceSpec>, now: Instant) -> Self {
        let record = StateRecord {
            id,
            status: Status::Unknown,
            desired: Desired::Stopped,
            retry_count: 0,
            last_update: now,
            started_at: None,
            details: String::new(),
        };
        let (deadline, timer) = (None, Timer::Start);
        Self {
            spec,
            record,
            verdict: None,
            deadline,
            timer,
            current: None,
            failures: 0,
            forced: None,
        }
    }

    /// Whether there is a run, however near its end.
    pub(super) fn is_live(&self) -> bool {
        self.current.is_some()
    }

    /// Whether it runs or has finished its work, so that dependents may start.
    pub(super) fn is_up(&self) -> bool {
        self.record.status == Status::Running || self.verdict == Some(Verdict::Finished)
    }

    /// Whether it only waits for permission to begin.
    pub(super) fn waits_to_begin(&self) -> bool {
        self.record.status == Status::Starting
            && self.current.is_none_or(|current| current.phase == Phase::Killed)
    }

    /// Whether it should stop and was not told yet.
    pub(super) fn waits_to_stop(&self) -> bool {
        let untold = |current: Current| matches!(current.phase, Phase::Starting | Phase::Running);
        self.record.desired == Desired::Stopped && self.current.is_some_and(untold)
    }

    /// Whether nothing of it has to be waited for when everything stops.
    pub(super) fn is_down(&self) -> bool {
        !matches!(self.record.status, Status::Starting | Status::Running | Status::Stopping)
    }

    /// Why it will not come up without help, if so.
    pub(super) fn hopeless(&self) -> bool {
        self.verdict == Some(Verdict::Failed) || self.record.desired == Desired::Stopped
    }

    /// What had to be forced during the last stop.
    pub(super) fn forced(&self) -> Option<&str> {
        self.forced.as_deref()
    }

    /// It is wanted; it begins as soon as [`Service::begin`] is called.
    pub(super) fn want_running(&mut self) {
        let stays = matches!(self.record.status, Status::Starting | Status::Running);
        if stays && self.record.desired == Desired::Running {
            return;
        }
        self.record.desired = Desired::Running;
        self.record.retry_count = 0;
        self.failures = 0;
        self.verdict = None;
        if self.current.is_none_or(|current| current.phase == Phase::Killed) {
            self.wait_to_begin(String::new());
        }
    }

    /// It is not wanted; a run goes on until [`Service::stop`] is called.
    pub(super) fn want_stopped(&mut self, now: Instant, actions: &mut VecDeque<Action>) {
        self.record.desired = Desired::Stopped;
        self.verdict = None;
        match self.current {
            None => {
                self.deadline = None;
                if matches!(self.record.status, Status::Starting | Status::Failed) {
                    self.enter(Status::Stopped, String::new());
                }
            }
            Some(Current { phase: Phase::Killed, .. })
                if self.record.status != Status::Stopping =>
            {
                // A start that timed out and whose remains are not gone yet.
                self.kill(now, actions);
            }
            Some(_) => {}
        }
    }

    /// Says what it waits for.
    pub(super) fn wait_to_begin(&mut self, reason: String) {
        self.deadline = None;
        self.enter(Status::Starting, reason);
    }

    /// Starts a run, unless the one before is not gone.
    pub(super) fn begin(&mut self, run: Run, now: Instant, actions: &mut VecDeque<Action>) {
        if self.current.is_some() {
            return self.wait_to_begin("waiting for the previous run to end".to_owned());
        }
        self.current = Some(Current { run, phase: Phase::Starting });
        self.forced = None;
        self.arm(Timer::Start, now, self.spec.lifecycle.start_timeout);
        self.enter(Status::Starting, String::new());
        actions.push_back(Action::Start { id: self.record.id.clone(), run });
    }

    /// The start of `run` succeeded.
    pub(super) fn started(&mut self, run: Run, details: String, now: Instant) {
        if let Some(current) = self.current.as_mut().filter(|current| current.run == run)
            && current.phase == Phase::Starting
        {
            current.phase = Phase::Running;
            self.deadline = None;
            self.record.started_at = Some(now);
            self.enter(Status::Running, details);
        }
    }

    /// Asks the run to stop, to be killed at `latest` or after the stop time-out.
    pub(super) fn stop(
        &mut self,
        now: Instant,
        latest: Option<Instant>,
        actions: &mut VecDeque<Action>,
    ) {
        let Some(current) =
            self.current.as_mut().filter(|_| self.record.desired == Desired::Stopped)
        else {
            return;
        };
        if !matches!(current.phase, Phase::Starting | Phase::Running) {
            return;
        }
        current.phase = Phase::Stopping;
        let run = current.run;
        self.arm(Timer::Stop, now, self.spec.lifecycle.stop_timeout);
        self.deadline = self.deadline.map(|own| latest.map_or(own, |latest| own.min(latest)));
        self.enter(Status::Stopping, String::new());
        let deadline = self.deadline.unwrap_or(now);
        actions.push_back(Action::Stop { id: self.record.id.clone(), run, deadline });
    }

    pub(super) fn arm(&mut self, timer: Timer, now: Instant, after: Duration) {
        self.timer = timer;
        // A wait that the clock cannot express has no end.
        self.deadline = now.checked_add(after);
    }

    pub(super) fn enter(&mut self, status: Status, details: String) {
        self.record.status = status;
        self.record.details = details;
    }
}
