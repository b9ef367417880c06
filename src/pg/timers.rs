use std::collections::BTreeSet;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::groups::PeerId;

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Timer {
    /// Reconcile with the next peer.
    AntiEntropy,
    /// Discover the next few peers.
    Discovery,
    /// Announcements to the peer are due to be sent again.
    Retry(PeerId),
    /// The peer did not answer a discover or sync request in time.
    Answer(PeerId),
}

/// Deadlines, at most one of each kind.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: BTreeSet<(Duration, Timer)>,
    at: FxHashMap<Timer, Duration>,
}

impl Timers {
    /// Sets or moves a deadline.
    pub(super) fn set(&mut self, timer: Timer, at: Duration) {
        self.clear(timer);
        self.at.insert(timer, at);
        self.queue.insert((at, timer));
    }

    pub(super) fn clear(&mut self, timer: Timer) {
        if let Some(at) = self.at.remove(&timer) {
            self.queue.remove(&(at, timer));
        }
    }

    /// The earliest deadline.
    pub(super) fn next(&self) -> Option<Duration> {
        self.queue.first().map(|(at, _)| *at)
    }

    /// Takes the earliest deadline if it has come.
    pub(super) fn pop(&mut self, now: Duration) -> Option<Timer> {
        let (at, timer) = *self.queue.first()?;
        if at > now {
            return None;
        }
        self.clear(timer);
        Some(timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_come_in_order_and_can_be_moved() {
        let at = Duration::from_secs;
        let mut timers = Timers::default();
        timers.set(Timer::AntiEntropy, at(5));
        timers.set(Timer::Retry(PeerId(1)), at(3));
        timers.set(Timer::Answer(PeerId(1)), at(4));
        timers.set(Timer::AntiEntropy, at(2));
        timers.clear(Timer::Answer(PeerId(1)));
        assert_eq!(timers.next(), Some(at(2)));
        assert_eq!(timers.pop(at(1)), None);
        assert_eq!(timers.pop(at(9)), Some(Timer::AntiEntropy));
        assert_eq!(timers.pop(at(9)), Some(Timer::Retry(PeerId(1))));
        assert_eq!((timers.pop(at(9)), timers.next()), (None, None));
    }
}
