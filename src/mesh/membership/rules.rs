use std::cmp::Ordering;
use std::num::{NonZeroU8, NonZeroUsize};
use std::time::{Duration, Instant};

use foca::{PeriodicParams, Timer};

use crate::wire::Identity;

/// Largest membership datagram, in bytes. A QUIC datagram of this size fits the smallest packet that
/// a QUIC path must carry (1200 bytes).
const MAX_DATAGRAM_BYTES: usize = 1100;

const INDIRECT_PROBES: NonZeroUsize = NonZeroUsize::new(3).unwrap();
const ONE: NonZeroUsize = NonZeroUsize::MIN;
const TRANSMISSIONS: NonZeroU8 = NonZeroU8::new(10).unwrap();

/// The timing of failure detection (cluster.md section 2). With these defaults a node that dies
/// without a word is noticed after four to five seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MembershipRules {
    /// How often one member is probed.
    pub probe_interval: Duration,
    /// How long a probe waits before others are asked to probe for us; less than the interval.
    pub probe_timeout: Duration,
    /// How many probe intervals a suspect has to object; grows with the logarithm of the cluster.
    pub suspicion_mult: u32,
    /// How often news are passed on besides the probes.
    pub gossip_interval: Duration,
    /// How often the whole member list of another node is asked for.
    pub push_pull_interval: Duration,
    /// How long failed and departed members are remembered.
    pub dead_node_reclaim_time: Duration,
}

impl Default for MembershipRules {
    fn default() -> Self {
        Self {
            probe_interval: Duration::from_secs(1),
            probe_timeout: Duration::from_millis(200),
            suspicion_mult: 3,
            gossip_interval: Duration::from_millis(500),
            push_pull_interval: Duration::from_secs(5),
            dead_node_reclaim_time: Duration::from_secs(30),
        }
    }
}

impl MembershipRules {
    /// What is wrong with the values, if anything.
    pub fn problem(&self) -> Option<&'static str> {
        let times = [
            (self.probe_interval, "probe_interval must be above zero"),
            (self.probe_timeout, "probe_timeout must be above zero"),
            (self.gossip_interval, "gossip_interval must be above zero"),
            (self.push_pull_interval, "push_pull_interval must be above zero"),
            (self.dead_node_reclaim_time, "dead_node_reclaim_time must be above zero"),
        ];
        let zero = times.into_iter().find(|(time, _)| time.is_zero()).map(|(_, text)| text);
        if zero.is_some() {
            zero
        } else if self.suspicion_mult == 0 {
            Some("suspicion_mult must be above zero")
        } else if self.probe_timeout >= self.probe_interval {
            Some("probe_timeout must be below probe_interval")
        } else {
            None
        }
    }

    /// How long a suspect has to object in a cluster of this size.
    pub fn suspicion(&self, cluster_size: usize) -> Duration {
        let factor = (cluster_size.max(1) as f64).log10().max(1.0);
        self.probe_interval.mul_f64(factor * f64::from(self.suspicion_mult))
    }

    pub(super) fn foca(&self, cluster_size: usize) -> foca::Config {
        let mut config = foca::Config::simple();
        config.probe_period = self.probe_interval;
        config.probe_rtt = self.probe_timeout;
        config.num_indirect_probes = INDIRECT_PROBES;
        config.max_transmissions = TRANSMISSIONS;
        config.suspect_to_down_after = self.suspicion(cluster_size);
        config.remove_down_after = Some(self.dead_node_reclaim_time);
        config.max_packet_size = NonZeroUsize::new(MAX_DATAGRAM_BYTES).unwrap_or(ONE);
        config.notify_down_members = true;
        config.periodic_announce =
            Some(PeriodicParams { frequency: self.push_pull_interval, num_members: ONE });
        config.periodic_gossip =
            Some(PeriodicParams { frequency: self.gossip_interval, num_members: INDIRECT_PROBES });
        config
    }
}

/// A foca timer and when it fires; the heap pops the earliest first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) at: Instant,
    pub(super) number: u64,
    pub(super) timer: Timer<Identity>,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .at
            .cmp(&self.at)
            .then_with(|| other.timer.cmp(&self.timer))
            .then_with(|| other.number.cmp(&self.number))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
