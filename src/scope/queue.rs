use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::operation::Waiting;

/// The operations that wait while somebody else is at work in a scope: bounded, in order.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Waiting>>,
    depth: Arc<AtomicUsize>,
    is_near_capacity: AtomicBool,
    refused: AtomicU64,
}

/// Room for one operation.
pub(super) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What reserving a place led to.
pub(super) enum Reserved {
    /// A place.
    Place(Place),
    /// A place, and for the first time since it was emptier the queue nears its capacity.
    NearCapacity(Place, usize),
    /// No place is left.
    Full,
}

impl Queue {
    /// Reserves room for one operation; the queue warns from `size` on and holds `max_size`.
    pub(super) fn reserve(&self, size: usize, max_size: usize) -> Reserved {
        let depth = self.depth.fetch_add(1, Ordering::AcqRel) + 1;
        let place = Place(self.depth.clone());
        if depth > max_size {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Reserved::Full;
        }
        if depth < size {
            self.is_near_capacity.store(false, Ordering::Relaxed);
        } else if !self.is_near_capacity.swap(true, Ordering::Relaxed) {
            return Reserved::NearCapacity(place, depth);
        }
        Reserved::Place(place)
    }

    pub(super) fn push(&self, waiting: Waiting) {
        self.waiting.lock().push_back(waiting);
    }

    pub(super) fn pop(&self) -> Option<Waiting> {
        self.waiting.lock().pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.lock().is_empty()
    }

    /// Operations that wait or are about to.
    pub(super) fn depth(&self) -> usize {
        self.depth.load(Ordering::Relaxed)
    }

    /// Operations refused for want of room so far.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_warns_once_for_each_crossing_and_refuses_at_its_limit() {
        let queue = Queue::default();
        let reserve = || queue.reserve(2, 3);
        let first = reserve();
        assert!(matches!(first, Reserved::Place(_)));
        let second = reserve();
        assert!(matches!(second, Reserved::NearCapacity(_, 2)));
        let third = reserve();
        assert!(matches!(third, Reserved::Place(_)));
        assert!(matches!(reserve(), Reserved::Full));
        assert_eq!((queue.depth(), queue.refused()), (3, 1));
        drop((first, second, third));
        assert_eq!(queue.depth(), 0);
        let _one = reserve();
        assert!(matches!(reserve(), Reserved::NearCapacity(..)));
    }
}
