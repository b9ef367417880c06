use std::time::Duration;

/// Whether a node is ready without this service (supervision.md section 2, `lifecycle.startup`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Startup {
    /// Boot waits for it, and the node is not ready while it is down.
    Required,
    /// Started and retried in the background.
    Optional,
}

/// When and how often a failed service is started again (supervision.md section 5).
#[derive(Debug, Clone, PartialEq)]
pub struct RestartPolicy {
    /// Wait before the first retry.
    pub initial_delay: Duration,
    /// No wait is longer, jitter included.
    pub max_delay: Duration,
    /// Growth of the wait per consecutive failure; at least 1.
    pub backoff_factor: f64,
    /// Share of the wait, 0 to 1, by which chance may lengthen or shorten it.
    pub jitter: f64,
    /// Failures in a row after which the service is given up: 1 never retries, 0 has no limit.
    pub max_attempts: u32,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            initial_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(90),
            backoff_factor: 2.0,
            jitter: 0.1,
            max_attempts: 0,
        }
    }
}

impl RestartPolicy {
    /// The wait after the `failures`-th failure in a row (1 for the first); `chance` is between -1
    /// and 1 and picks the place inside the jitter band.
    pub fn wait(&self, failures: u32, chance: f64) -> Duration {
        if self.initial_delay.is_zero() {
            return Duration::ZERO;
        }
        let longest = self.max_delay.as_secs_f64();
        // A power that overflows is infinite, which the ceiling cuts like any other.
        let growth = self.backoff_factor.powf(f64::from(failures.saturating_sub(1)));
        let grown = (self.initial_delay.as_secs_f64() * growth).min(longest);
        let spread = grown * (1.0 + self.jitter * chance.clamp(-1.0, 1.0));
        Duration::try_from_secs_f64(spread.clamp(0.0, longest)).unwrap_or(self.max_delay)
    }

    /// Whether a service with this many failures in a row is given up.
    pub fn is_exhausted(&self, failures: u32) -> bool {
        self.max_attempts != 0 && failures >= self.max_attempts
    }
}

/// How one run of a service ended, or why its start failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It finished its work; it is not started again.
    Normal,
    /// It ended because it was asked to.
    Stopped,
    /// It failed and says that trying again is of no use.
    Fatal(String),
    /// It failed, was killed or panicked; the restart policy decides.
    Retry(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(initial: u64, max: u64, factor: f64, jitter: f64) -> RestartPolicy {
        let (initial_delay, max_delay) =
            (Duration::from_millis(initial), Duration::from_millis(max));
        RestartPolicy { initial_delay, max_delay, backoff_factor: factor, jitter, max_attempts: 0 }
    }

    #[test]
    fn waits_grow_and_stop_at_the_ceiling() {
        let policy = policy(100, 500, 2.0, 0.0);
        let waits: Vec<_> = (1..=5).map(|n| policy.wait(n, 1.0).as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 500, 500]);
    }

    #[test]
    fn jitter_spreads_around_the_wait_but_never_over_the_ceiling() {
        let policy = policy(100, 450, 2.0, 0.5);
        assert_eq!(policy.wait(1, -1.0).as_millis(), 50);
        assert_eq!(policy.wait(1, 1.0).as_millis(), 150);
        assert_eq!(policy.wait(3, 1.0).as_millis(), 450);
        assert_eq!(policy.wait(1, 40.0).as_millis(), 150);
    }

    #[test]
    fn extreme_numbers_give_a_wait_in_range() {
        let day = 24 * 3_600_000;
        assert_eq!(policy(1, day, 1e300, 1.0).wait(u32::MAX, 1.0).as_millis(), u128::from(day));
        assert_eq!(policy(0, day, 1e300, 1.0).wait(u32::MAX, 1.0), Duration::ZERO);
        let endless = RestartPolicy { max_delay: Duration::MAX, ..policy(1, 0, 1e300, 0.0) };
        assert_eq!(endless.wait(u32::MAX, 0.0), Duration::MAX);
    }

    #[test]
    fn attempts_count_failures_in_total() {
        let limited = RestartPolicy { max_attempts: 3, ..RestartPolicy::default() };
        assert_eq!([1, 2, 3, 4].map(|n| limited.is_exhausted(n)), [false, false, true, true]);
        assert!(!RestartPolicy::default().is_exhausted(u32::MAX));
    }
}
