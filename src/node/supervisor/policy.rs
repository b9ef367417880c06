use std::time::Duration;

use crate::registry::kind::RestartPolicy;

/// The wait after the `failures`-th failure in a row (1 for the first), as supervision.md section 5
/// has it; `chance` is between -1 and 1 and picks the place inside the jitter band.
pub(super) fn wait(policy: &RestartPolicy, failures: u32, chance: f64) -> Duration {
    if policy.initial_delay.is_zero() {
        return Duration::ZERO;
    }
    let longest = policy.max_delay.as_secs_f64();
    // A power that overflows is infinite, which the ceiling cuts like any other.
    let growth = policy.backoff_factor.powf(f64::from(failures.saturating_sub(1)));
    let grown = (policy.initial_delay.as_secs_f64() * growth).min(longest);
    let spread = grown * (1.0 + policy.jitter * chance.clamp(-1.0, 1.0));
    Duration::try_from_secs_f64(spread.clamp(0.0, longest)).unwrap_or(policy.max_delay)
}

/// Whether a service with this many failures in a row is given up.
pub(super) fn is_exhausted(policy: &RestartPolicy, failures: u32) -> bool {
    policy.max_attempts != 0 && failures >= policy.max_attempts
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
        let waits: Vec<_> = (1..=5).map(|n| wait(&policy, n, 1.0).as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 500, 500]);
    }

    #[test]
    fn jitter_spreads_around_the_wait_but_never_over_the_ceiling() {
        let policy = policy(100, 450, 2.0, 0.5);
        assert_eq!(wait(&policy, 1, -1.0).as_millis(), 50);
        assert_eq!(wait(&policy, 1, 1.0).as_millis(), 150);
        assert_eq!(wait(&policy, 3, 1.0).as_millis(), 450);
        assert_eq!(wait(&policy, 1, 40.0).as_millis(), 150);
    }

    #[test]
    fn extreme_numbers_give_a_wait_in_range() {
        let day = 24 * 3_600_000;
        assert_eq!(wait(&policy(1, day, 1e300, 1.0), u32::MAX, 1.0).as_millis(), u128::from(day));
        assert_eq!(wait(&policy(0, day, 1e300, 1.0), u32::MAX, 1.0), Duration::ZERO);
        let endless = RestartPolicy { max_delay: Duration::MAX, ..policy(1, 0, 1e300, 0.0) };
        assert_eq!(wait(&endless, u32::MAX, 0.0), Duration::MAX);
    }

    #[test]
    fn attempts_count_failures_in_total() {
        let limited = RestartPolicy { max_attempts: 3, ..RestartPolicy::default() };
        assert_eq!([1, 2, 3, 4].map(|n| is_exhausted(&limited, n)), [false, false, true, true]);
        assert!(!is_exhausted(&RestartPolicy::default(), u32::MAX));
    }
}
