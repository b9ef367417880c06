use super::groups::Totals;

/// What a scope has done so far and where it stands: the numbers behind the `pg_*` metrics
/// (observability.md section 5). Counters only grow.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Joins that were carried out, one for each call.
    pub joins: u64,
    /// Joins that were refused for a limit.
    pub joins_refused: u64,
    /// Leaves that were carried out, one for each call.
    pub leaves: u64,
    /// Leaves by processes that were in none of the named groups.
    pub leaves_refused: u64,
    /// Broadcasts to the whole cluster.
    pub broadcasts: u64,
    /// Broadcasts to this node only.
    pub local_broadcasts: u64,
    /// Member slots addressed by each broadcast.
    pub recipients: Histogram,
    /// Broadcast frames that were not sent to a node because its circuit was open.
    pub broadcasts_skipped: u64,
    /// Broadcast frames that a node's link refused, or that had no link.
    pub broadcasts_failed: u64,
    /// Broadcast frames that came from other nodes.
    pub broadcasts_received: u64,
    /// Retries of announcements by attempt: first, second and third, later.
    pub retries: [u64; 3],
    /// Announcements given up after the last retry; the peer needs a sync then.
    pub retry_giveups: u64,
    /// Retries that could not be carried out because the announcements were not kept long enough.
    pub retry_drops: u64,
    /// Circuits that opened.
    pub breaker_trips: u64,
    /// Peers that a discovery wave went to.
    pub discover_targets: Histogram,
    /// Peers that a discovery wave could choose from.
    pub discover_pool: Histogram,
    /// Full states sent.
    pub syncs_sent: u64,
    /// Full states received that changed nothing.
    pub syncs_same: u64,
    /// Full states received that changed something.
    pub syncs_changed: u64,
    /// Member slots of each full state received.
    pub sync_slots: Histogram,
    /// Gaps noticed in a peer's announcements.
    pub gaps: u64,
    /// Frames of an earlier run or start, or announcements already held: ignored.
    pub stale_frames: u64,
    /// Frames that claimed another origin than the peer that sent them: refused.
    pub foreign_frames: u64,
    /// Frames that could not be read: refused.
    pub malformed_frames: u64,
    /// Frames from peers without a session: refused.
    pub unknown_frames: u64,
    /// Frames handed out for sending, and their bytes.
    pub frames_sent: u64,
    /// Bytes of the frames handed out for sending.
    pub bytes_sent: u64,
    /// This node's memberships now.
    pub local: Totals,
    /// Other nodes' memberships now.
    pub remote: Totals,
    /// Subscriptions now.
    pub subscriptions: u64,
    /// Peers with a session now.
    pub peers_connected: u64,
    /// Peers with a session that are known to run this scope.
    pub peers_present: u64,
    /// Peers that an announcement waits to be retried for.
    pub peers_retrying: u64,
    /// Peers that gave up on announcements and wait for a sync.
    pub peers_needing_sync: u64,
}

/// Counts of observations by size, with the upper bounds of [`Histogram::BOUNDS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Observations up to each bound and above the one before; the last one has no bound.
    pub buckets: [u64; Self::BOUNDS.len() + 1],
    /// Sum of all observations.
    pub sum: u64,
}

impl Histogram {
    /// Inclusive upper bounds of the buckets.
    pub const BOUNDS: [u64; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

    /// Number of observations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    pub(super) fn observe(&mut self, value: u64) {
        let bucket = Self::BOUNDS.partition_point(|bound| *bound < value);
        if let Some(count) = self.buckets.get_mut(bucket) {
            *count += 1;
        }
        self.sum = self.sum.saturating_add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive() {
        let mut histogram = Histogram::default();
        for value in [0, 1, 2, 3, 10_000, 10_001] {
            histogram.observe(value);
        }
        assert_eq!(histogram.buckets, [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!((histogram.count(), histogram.sum), (6, 20_007));
    }
}
