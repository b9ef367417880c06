use std::time::Duration;

use super::config::Config;

/// The circuit to one peer: after some consecutive failures nothing is sent for a while, then one
/// probe decides (pg.md section 3, rule 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Breaker {
    failures: u32,
    circuit: Circuit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Circuit {
    #[default]
    Closed,
    Open {
        until: Duration,
    },
    Probing,
}

/// Where a circuit stands, as the metric `pg_circuit_breaker_state` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// 0: everything is sent.
    Closed,
    /// 1: one probe is on its way, or may be sent.
    HalfOpen,
    /// 2: nothing is sent.
    Open,
}

impl Breaker {
    /// Whether something may be sent now. A yes from a half-open circuit is its one probe: the
    /// outcome has to be told before the next one.
    pub(super) fn admit(&mut self, now: Duration) -> bool {
        match self.circuit {
            Circuit::Closed => true,
            Circuit::Open { until } if now >= until => {
                self.circuit = Circuit::Probing;
                true
            }
            Circuit::Open { .. } | Circuit::Probing => false,
        }
    }

    /// Something that was admitted got through.
    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// A send failed; answers whether that opened the circuit.
    pub(super) fn failed(&mut self, now: Duration, config: &Config) -> bool {
        self.failures = self.failures.saturating_add(1);
        let opens = match self.circuit {
            Circuit::Closed => self.failures >= config.circuit_breaker_failures,
            Circuit::Probing => true,
            Circuit::Open { .. } => false,
        };
        if opens {
            self.circuit = Circuit::Open { until: now + config.circuit_breaker_reset_time };
        }
        opens
    }

    pub(super) fn state(&self, now: Duration) -> BreakerState {
        match self.circuit {
            Circuit::Closed => BreakerState::Closed,
            Circuit::Open { until } if now < until => BreakerState::Open,
            Circuit::Open { .. } | Circuit::Probing => BreakerState::HalfOpen,
        }
    }
}

/// How long to wait before retry number `attempt` (from 1): anything up to the back-off, which
/// doubles from attempt to attempt up to its ceiling. `random` decides, evenly.
pub(super) fn backoff(config: &Config, attempt: u32, random: u64) -> Duration {
    let doubled = 2u32.saturating_pow(attempt.saturating_sub(1));
    let ceiling = config.retry_base_delay.saturating_mul(doubled).min(config.retry_max_delay);
    let ceiling_nanos = u64::try_from(ceiling.as_nanos()).unwrap_or(u64::MAX);
    let nanos = (u128::from(random) * u128::from(ceiling_nanos)) >> u64::BITS;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(ceiling_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_opens_after_consecutive_failures_only() {
        let config = Config::default();
        let mut breaker = Breaker::default();
        assert!(!breaker.failed(SECOND, &config));
        assert!(!breaker.failed(SECOND, &config));
        breaker.succeeded();
        assert!(!breaker.failed(SECOND, &config));
        assert!(!breaker.failed(SECOND, &config));
        assert!(breaker.failed(SECOND, &config));
        assert_eq!(breaker.state(SECOND), BreakerState::Open);
        assert!(!breaker.admit(SECOND));
        assert!(!breaker.failed(SECOND, &config));
    }

    #[test]
    fn half_open_lets_exactly_one_probe_through() {
        let config = Config { circuit_breaker_failures: 1, ..Config::default() };
        let mut breaker = Breaker::default();
        assert!(breaker.failed(SECOND, &config));
        let later = SECOND + config.circuit_breaker_reset_time;
        assert_eq!(breaker.state(later), BreakerState::HalfOpen);
        assert!(breaker.admit(later));
        assert!(!breaker.admit(later));
        assert!(breaker.failed(later, &config));
        assert!(!breaker.admit(later + SECOND));
        let last = later + config.circuit_breaker_reset_time;
        assert!(breaker.admit(last));
        breaker.succeeded();
        assert_eq!(breaker.state(last), BreakerState::Closed);
        assert!(breaker.admit(last) && breaker.admit(last));
    }

    #[test]
    fn back_off_doubles_up_to_its_ceiling_and_jitter_is_full() {
        let config = Config::default();
        let most = |attempt| backoff(&config, attempt, u64::MAX).as_secs_f64();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(near(most(1), 0.1) && near(most(2), 0.2) && near(most(4), 0.8));
        assert!(near(most(5), 1.0) && near(most(40), 1.0));
        assert_eq!(backoff(&config, 3, 0), Duration::ZERO);
        assert!(near(backoff(&config, 3, 1 << 63).as_secs_f64(), 0.2));
    }
}
