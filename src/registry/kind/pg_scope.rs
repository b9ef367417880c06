use std::ops::RangeInclusive;
use std::time::Duration;

use crate::document::{Fields, Zero};

use super::context::EntryContext;
use super::lifecycle::Lifecycle;
use super::ordered;

/// One independent namespace of process groups (pg.md section 1).
#[derive(Debug, Clone, PartialEq)]
pub struct PgScope {
    /// Bound on one sync or discover exchange with a peer. Default 5 s.
    pub protocol_timeout: Duration,
    /// Bound on delivering a broadcast to one member. Default 5 s.
    pub broadcast_timeout: Duration,
    /// One peer is reconciled per tick; zero is off. Default 30 s.
    pub anti_entropy_interval: Duration,
    /// Consecutive send failures to a node before its circuit opens, at least 1. Default 3.
    pub circuit_breaker_failures: u32,
    /// From open to half-open. Default 10 s.
    pub circuit_breaker_reset_time: Duration,
    /// Retries of a failed announcement; 0 is none. Default 3.
    pub max_retries: u32,
    /// First back-off. Default 100 ms.
    pub retry_base_delay: Duration,
    /// Ceiling of the back-off, at least the base. Default 1 s.
    pub retry_max_delay: Duration,
    /// Queue depth at which a warning is logged, at least 1. Default 256.
    pub action_queue_size: u32,
    /// Most queued operations, at least `action_queue_size`. Default 1024.
    pub action_queue_max_size: u32,
    /// Events buffered per subscription, at least 1. Default 64.
    pub monitor_buffer: u32,
    /// Most groups in the view of the whole cluster; 0 is no limit, the default.
    pub max_groups: u32,
    /// Most member slots in a group, each join counted; 0 is no limit, the default.
    pub max_members_per_group: u32,
    /// How it is started.
    pub lifecycle: Lifecycle,
}

impl Default for PgScope {
    fn default() -> Self {
        Self {
            protocol_timeout: Duration::from_secs(5),
            broadcast_timeout: Duration::from_secs(5),
            anti_entropy_interval: Duration::from_secs(30),
            circuit_breaker_failures: 3,
            circuit_breaker_reset_time: Duration::from_secs(10),
            max_retries: 3,
            retry_base_delay: Duration::from_millis(100),
            retry_max_delay: Duration::from_secs(1),
            action_queue_size: 256,
            action_queue_max_size: 1024,
            monitor_buffer: 64,
            max_groups: 0,
            max_members_per_group: 0,
            lifecycle: Lifecycle::default(),
        }
    }
}

impl PgScope {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Self {
        use Zero::{Allowed, Refused};
        const ANY: RangeInclusive<u32> = 0..=u32::MAX;
        const POSITIVE: RangeInclusive<u32> = 1..=u32::MAX;
        let d = Self::default();
        // Fields are read in the order of the table, for it is that of the list in messages.
        let protocol_timeout = fields.duration_or("protocol_timeout", Refused, d.protocol_timeout);
        let broadcast_timeout =
            fields.duration_or("broadcast_timeout", Refused, d.broadcast_timeout);
        let anti_entropy_interval =
            fields.duration_or("anti_entropy_interval", Allowed, d.anti_entropy_interval);
        let circuit_breaker_failures =
            fields.integer_or("circuit_breaker_failures", POSITIVE, d.circuit_breaker_failures);
        let circuit_breaker_reset_time =
            fields.duration_or("circuit_breaker_reset_time", Refused, d.circuit_breaker_reset_time);
        let max_retries = fields.integer_or("max_retries", ANY, d.max_retries);
        let (retry_base_delay, retry_max_delay) = ordered::delays(
            fields,
            ("retry_base_delay", d.retry_base_delay),
            ("retry_max_delay", d.retry_max_delay),
        );
        let (action_queue_size, action_queue_max_size) = ordered::counts(
            fields,
            ("action_queue_size", d.action_queue_size),
            ("action_queue_max_size", d.action_queue_max_size),
        );
        Self {
            protocol_timeout,
            broadcast_timeout,
            anti_entropy_interval,
            circuit_breaker_failures,
            circuit_breaker_reset_time,
            max_retries,
            retry_base_delay,
            retry_max_delay,
            action_queue_size,
            action_queue_max_size,
            monitor_buffer: fields.integer_or("monitor_buffer", POSITIVE, d.monitor_buffer),
            max_groups: fields.integer_or("max_groups", ANY, d.max_groups),
            max_members_per_group: fields.integer_or(
                "max_members_per_group",
                ANY,
                d.max_members_per_group,
            ),
            lifecycle: Lifecycle::of(fields, context),
        }
    }
}
