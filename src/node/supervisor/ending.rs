use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::policy::{Outcome, is_exhausted, wait};
use super::record::{Action, Desired, Run, Status};
use super::service::{Phase, Service, Timer, Verdict};

/// How long a killed run may take to disappear before its service counts as stopped.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// How a run ends, by itself or by force, and what follows.
impl Service {
    /// The run is gone. `chance` is asked for a number between -1 and 1 if there is a retry.
    pub(super) fn ended(
        &mut self,
        run: Run,
        outcome: Outcome,
        now: Instant,
        chance: &mut dyn FnMut() -> f64,
    ) {
        let Some(current) = self.current.take_if(|current| current.run == run) else { return };
        match (self.record.desired, current.phase) {
            (Desired::Stopped, _) => self.stopped(),
            // Its failure was counted when the start timed out.
            (Desired::Running, Phase::Killed) if self.record.status == Status::Failed => {}
            // Wanted again while it was being stopped: begin afresh.
            (Desired::Running, Phase::Stopping | Phase::Killed) => {
                self.wait_to_begin(String::new())
            }
            (Desired::Running, phase) => self.judge(outcome, phase, now, chance),
        }
    }

    /// A deadline of this service may have passed.
    pub(super) fn timeout(
        &mut self,
        now: Instant,
        chance: &mut dyn FnMut() -> f64,
        actions: &mut VecDeque<Action>,
    ) {
        if self.deadline.take_if(|deadline| *deadline <= now).is_none() {
            return;
        }
        match self.timer {
            Timer::Start => {
                let error = format!("start timeout after {:?}", self.spec.lifecycle.start_timeout);
                match self.record.desired {
                    Desired::Running => {
                        self.send_kill(actions);
                        self.fail(error, now, chance);
                    }
                    Desired::Stopped => {
                        self.forced = Some(error);
                        self.kill(now, actions);
                    }
                }
            }
            Timer::Retry => {
                self.record.retry_count = self.record.retry_count.saturating_add(1);
                self.wait_to_begin(String::new());
            }
            Timer::Stop => {
                self.forced = Some(format!(
                    "stop timeout after {:?}, terminated",
                    self.spec.lifecycle.stop_timeout
                ));
                self.kill(now, actions);
            }
            Timer::Grace => {
                self.forced = Some(format!("still there {GRACE:?} after it was terminated"));
                match self.record.desired {
                    Desired::Running => self.wait_to_begin(String::new()),
                    Desired::Stopped => self.stopped(),
                }
            }
        }
    }

    /// Kills whatever is left, without waiting for its end.
    pub(super) fn abandon(&mut self, reason: &str, actions: &mut VecDeque<Action>) {
        self.send_kill(actions);
        self.record.desired = Desired::Stopped;
        self.forced = Some(reason.to_owned());
        self.stopped();
    }

    fn judge(
        &mut self,
        outcome: Outcome,
        phase: Phase,
        now: Instant,
        chance: &mut dyn FnMut() -> f64,
    ) {
        let (verdict, details) = match outcome {
            Outcome::Retry(error) => {
                let ran = self.record.started_at.filter(|_| phase == Phase::Running);
                if ran.is_some_and(|since| {
                    now.duration_since(since) >= self.spec.lifecycle.stable_threshold
                }) {
                    self.failures = 0;
                    self.record.retry_count = 0;
                }
                return self.fail(error, now, chance);
            }
            Outcome::Normal => (Verdict::Finished, String::new()),
            Outcome::Stopped => (Verdict::Failed, "stopped from outside".to_owned()),
            Outcome::Fatal(error) => (Verdict::Failed, error),
        };
        self.deadline = None;
        self.verdict = Some(verdict);
        self.enter(Status::Exited, details);
    }

    fn fail(&mut self, error: String, now: Instant, chance: &mut dyn FnMut() -> f64) {
        self.failures = self.failures.saturating_add(1);
        if is_exhausted(&self.spec.lifecycle.restart, self.failures) {
            self.deadline = None;
            self.verdict = Some(Verdict::Failed);
            self.enter(
                Status::Failed,
                format!("given up after {} failures: {error}", self.failures),
            );
        } else {
            let wait = wait(&self.spec.lifecycle.restart, self.failures, chance());
            self.arm(Timer::Retry, now, wait);
            self.enter(Status::Failed, error);
        }
    }

    fn stopped(&mut self) {
        self.deadline = None;
        self.enter(Status::Stopped, self.forced.clone().unwrap_or_default());
    }

    pub(super) fn kill(&mut self, now: Instant, actions: &mut VecDeque<Action>) {
        self.send_kill(actions);
        self.arm(Timer::Grace, now, GRACE);
        self.enter(Status::Stopping, self.forced.clone().unwrap_or_default());
    }

    fn send_kill(&mut self, actions: &mut VecDeque<Action>) {
        if let Some(current) =
            self.current.as_mut().filter(|current| current.phase != Phase::Killed)
        {
            current.phase = Phase::Killed;
            actions.push_back(Action::Terminate { id: self.record.id.clone(), run: current.run });
        }
    }
}
