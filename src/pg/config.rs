use std::time::Duration;

/// The settings of one `pg.scope` entry as plain values (pg.md section 1).
///
/// Where the entry may write `0` to switch something off, the field is an [`Option`] and `None`
/// means off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bound on one sync or discover exchange with a peer.
    pub protocol_timeout: Duration,
    /// Bound on delivering a broadcast to one member. Deliveries never block here, so it bounds
    /// nothing but is kept for whoever adds a delivery that waits.
    pub broadcast_timeout: Duration,
    /// How often one peer is reconciled; `None` switches anti-entropy off.
    pub anti_entropy_interval: Option<Duration>,
    /// Consecutive send failures to a node before its circuit opens, at least 1.
    pub circuit_breaker_failures: u32,
    /// How long an open circuit waits before it lets one probe through.
    pub circuit_breaker_reset_time: Duration,
    /// How often a failed announcement is retried; 0 switches retries off.
    pub max_retries: u32,
    /// Ceiling of the first back-off.
    pub retry_base_delay: Duration,
    /// Ceiling of every back-off, at least `retry_base_delay`.
    pub retry_max_delay: Duration,
    /// Queue depth at which the scope warns that it nears its capacity, 1 to
    /// `action_queue_max_size`.
    pub action_queue_size: usize,
    /// Queue depth at which further operations are refused.
    pub action_queue_max_size: usize,
    /// Events buffered for each subscription, at least 1.
    pub monitor_buffer: usize,
    /// Most distinct groups in the view of the whole cluster; `None` is no limit.
    pub max_groups: Option<u64>,
    /// Most member slots in one group, joined twice counting twice; `None` is no limit.
    pub max_members_per_group: Option<u64>,
}

/// A setting that contradicts pg.md section 1, by the field to correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A duration that must be positive is zero.
    #[error("{0} must be greater than zero")]
    NotPositive(&'static str),
    /// A number that must be at least one is zero.
    #[error("{0} must be at least 1")]
    BelowOne(&'static str),
    /// The first field is larger than the second allows.
    #[error("{0} must not be greater than {1}")]
    Order(&'static str, &'static str),
}

impl Default for Config {
    fn default() -> Self {
        Self {
            protocol_timeout: Duration::from_secs(5),
            broadcast_timeout: Duration::from_secs(5),
            anti_entropy_interval: Some(Duration::from_secs(30)),
            circuit_breaker_failures: 3,
            circuit_breaker_reset_time: Duration::from_secs(10),
            max_retries: 3,
            retry_base_delay: Duration::from_millis(100),
            retry_max_delay: Duration::from_secs(1),
            action_queue_size: 256,
            action_queue_max_size: 1024,
            monitor_buffer: 64,
            max_groups: None,
            max_members_per_group: None,
        }
    }
}

impl Config {
    /// Checks what types alone cannot say.
    ///
    /// # Errors
    /// The first [`ConfigError`] in the order of the fields.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let durations = [
            ("protocol_timeout", self.protocol_timeout),
            ("broadcast_timeout", self.broadcast_timeout),
            ("circuit_breaker_reset_time", self.circuit_breaker_reset_time),
            ("retry_base_delay", self.retry_base_delay),
            ("anti_entropy_interval", self.anti_entropy_interval.unwrap_or(Duration::MAX)),
        ];
        if let Some((field, _)) = durations.iter().find(|(_, value)| value.is_zero()) {
            return Err(ConfigError::NotPositive(field));
        }
        let numbers = [
            ("circuit_breaker_failures", self.circuit_breaker_failures as usize),
            ("action_queue_size", self.action_queue_size),
            ("monitor_buffer", self.monitor_buffer),
        ];
        if let Some((field, _)) = numbers.iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError::BelowOne(field));
        }
        if self.retry_base_delay > self.retry_max_delay {
            return Err(ConfigError::Order("retry_base_delay", "retry_max_delay"));
        }
        if self.action_queue_size > self.action_queue_max_size {
            return Err(ConfigError::Order("action_queue_size", "action_queue_max_size"));
        }
        Ok(())
    }

    /// The two queue sizes when the entry gives `size`, `max_size`, one of them or neither: the
    /// missing one takes its default, moved as far as the given one demands.
    pub fn queue_sizes(size: Option<usize>, max_size: Option<usize>) -> (usize, usize) {
        let default = Self::default();
        let max =
            max_size.unwrap_or_else(|| default.action_queue_max_size.max(size.unwrap_or_default()));
        (size.unwrap_or_else(|| default.action_queue_size.min(max)), max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid() {
        assert_eq!(Config::default().validate(), Ok(()));
    }

    #[test]
    fn each_bad_field_is_named() {
        type Case = (fn(&mut Config), ConfigError);
        let cases: [Case; 8] = [
            (|c| c.protocol_timeout = Duration::ZERO, ConfigError::NotPositive("protocol_timeout")),
            (
                |c| c.broadcast_timeout = Duration::ZERO,
                ConfigError::NotPositive("broadcast_timeout"),
            ),
            (
                |c| c.anti_entropy_interval = Some(Duration::ZERO),
                ConfigError::NotPositive("anti_entropy_interval"),
            ),
            (|c| c.circuit_breaker_failures = 0, ConfigError::BelowOne("circuit_breaker_failures")),
            (
                |c| c.circuit_breaker_reset_time = Duration::ZERO,
                ConfigError::NotPositive("circuit_breaker_reset_time"),
            ),
            (
                |c| c.retry_base_delay = Duration::from_secs(2),
                ConfigError::Order("retry_base_delay", "retry_max_delay"),
            ),
            (
                |c| c.action_queue_max_size = 10,
                ConfigError::Order("action_queue_size", "action_queue_max_size"),
            ),
            (|c| c.monitor_buffer = 0, ConfigError::BelowOne("monitor_buffer")),
        ];
        for (spoil, error) in cases {
            let mut config = Config::default();
            spoil(&mut config);
            assert_eq!(config.validate(), Err(error));
        }
    }

    #[test]
    fn one_queue_size_moves_the_other() {
        assert_eq!(Config::queue_sizes(None, None), (256, 1024));
        assert_eq!(Config::queue_sizes(Some(4096), None), (4096, 4096));
        assert_eq!(Config::queue_sizes(None, Some(100)), (100, 100));
        assert_eq!(Config::queue_sizes(Some(8), Some(9)), (8, 9));
    }
}
