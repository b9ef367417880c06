use std::time::Duration;

/// How long to wait between attempts to reach a peer: `base` x 2^n, never above `max`, with full
/// jitter, starting anew only after a session has lived for `settled` (cluster.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffRule {
    /// The first ceiling.
    pub base: Duration,
    /// The highest ceiling.
    pub max: Duration,
    /// How long a session must have lived for the next failure to count as the first.
    pub settled: Duration,
}

impl Default for BackoffRule {
    fn default() -> Self {
        Self {
            base: Duration::from_millis(100),
            max: Duration::from_secs(10),
            settled: Duration::from_secs(10),
        }
    }
}

/// The attempts made so far to reach one peer.
#[derive(Clone, Debug)]
pub struct Backoff {
    rule: BackoffRule,
    attempt: u32,
}

impl Backoff {
    /// No attempt made yet.
    pub fn new(rule: BackoffRule) -> Self {
        Self { rule, attempt: 0 }
    }

    /// The wait before the next attempt; `random` is uniform in 0.0 to 1.0.
    pub fn next(&mut self, random: f64) -> Duration {
        let delay = self.ceiling().mul_f64(unit(random));
        self.attempt = self.attempt.saturating_add(1);
        delay
    }

    /// The wait before the next attempt after a refusal that will not pass soon: between half of
    /// the highest ceiling and the whole.
    pub fn next_slow(&mut self, random: f64) -> Duration {
        self.attempt = u32::MAX;
        self.rule.max.mul_f64(0.5 + 0.5 * unit(random))
    }

    /// A session ended after `lived`.
    pub fn session_ended(&mut self, lived: Duration) {
        if lived >= self.rule.settled {
            self.attempt = 0;
        }
    }

    /// Starts anew, because there is fresh news of the peer.
    pub fn restart(&mut self) {
        self.attempt = 0;
    }

    fn ceiling(&self) -> Duration {
        let factor = 1_u32.checked_shl(self.attempt).unwrap_or(u32::MAX);
        self.rule.base.saturating_mul(factor).min(self.rule.max)
    }
}

/// `random` forced into 0.0 to 1.0; a NaN counts as 0.0.
fn unit(random: f64) -> f64 {
    if random.is_nan() { 0.0 } else { random.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_doubles_up_to_the_maximum() {
        let mut backoff = Backoff::new(BackoffRule::default());
        let ceilings: Vec<u128> = (0..9).map(|_| backoff.next(1.0).as_millis()).collect();
        assert_eq!(ceilings, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
        for _ in 0..100 {
            assert_eq!(backoff.next(1.0).as_secs(), 10);
        }
    }

    #[test]
    fn jitter_covers_the_whole_range() {
        let mut backoff = Backoff::new(BackoffRule::default());
        assert_eq!(backoff.next(0.0), Duration::ZERO);
        assert_eq!(backoff.next(0.5), Duration::from_millis(100));
        assert_eq!(backoff.next(7.0), Duration::from_millis(400));
        assert_eq!(backoff.next(f64::NAN), Duration::ZERO);
    }

    #[test]
    fn only_a_session_that_lived_resets_it() {
        let mut backoff = Backoff::new(BackoffRule::default());
        backoff.next(1.0);
        backoff.next(1.0);
        backoff.session_ended(Duration::from_millis(9_999));
        assert_eq!(backoff.next(1.0), Duration::from_millis(400));
        backoff.session_ended(Duration::from_secs(10));
        assert_eq!(backoff.next(1.0), Duration::from_millis(100));
    }

    #[test]
    fn slow_waits_stay_long() {
        let mut backoff = Backoff::new(BackoffRule::default());
        assert_eq!(backoff.next_slow(0.0), Duration::from_secs(5));
        assert_eq!(backoff.next_slow(1.0), Duration::from_secs(10));
        assert_eq!(backoff.next(1.0), Duration::from_secs(10));
    }
}
