use std::collections::BTreeMap;
use std::time::Instant;

/// Names an armed timer for `Timers::cancel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerKey(Instant, u64);

/// The timers of one worker, in order of their deadlines; equal deadlines fire in the order in
/// which they were armed. Cancelling removes: nothing of a cancelled timer stays in memory.
pub struct Timers<T> {
    armed: BTreeMap<TimerKey, T>,
    next: u64,
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self { armed: BTreeMap::new(), next: 0 }
    }
}

impl<T> Timers<T> {
    /// Arms a timer.
    pub fn arm(&mut self, deadline: Instant, target: T) -> TimerKey {
        let key = TimerKey(deadline, self.next);
        self.next += 1;
        self.armed.insert(key, target);
        key
    }

    /// Disarms a timer; `None` if it has fired or was cancelled.
    pub fn cancel(&mut self, key: TimerKey) -> Option<T> {
        self.armed.remove(&key)
    }

    /// The next timer that is due.
    pub fn pop_due(&mut self, now: Instant) -> Option<T> {
        let entry = self.armed.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }

    /// When the next timer is due.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.armed.first_key_value().map(|(key, _)| key.0)
    }

    /// Armed timers.
    pub fn len(&self) -> usize {
        self.armed.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn timers_fire_in_order_and_cancelled_ones_do_not() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut timers = Timers::default();
        timers.arm(at(20), "b");
        let cancelled = timers.arm(at(10), "x");
        timers.arm(at(10), "a");
        timers.arm(at(30), "c");
        assert_eq!(timers.cancel(cancelled), Some("x"));
        assert_eq!(timers.cancel(cancelled), None);
        assert_eq!(timers.next_deadline(), Some(at(10)));
        let mut fired = Vec::new();
        while let Some(target) = timers.pop_due(at(25)) {
            fired.push(target);
        }
        assert_eq!(fired, ["a", "b"]);
        assert_eq!(timers.len(), 1);
    }
}
