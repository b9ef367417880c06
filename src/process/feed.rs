use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::Runtime;
use crate::id::Serial;
use crate::value::Values;

/// A bounded queue of events from any thread into one channel of one process: `pg` subscriptions,
/// the event bus, timers, futures. The producer never waits.
///
/// What does not fit is dropped and counted; the next event that fits is told how many were lost.
pub struct Feed {
    owner: Serial,
    runtime: Runtime,
    capacity: usize,
    queue: Mutex<Queue>,
    dropped: AtomicU64,
    waiting: AtomicBool,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<Values>,
    dropped_since: u64,
    closed: bool,
}

/// What a receiver finds.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// The oldest event.
    Event(Values),
    /// Nothing now.
    Empty,
    /// Nothing now or later.
    Closed,
}

impl Feed {
    /// A feed into `owner` that holds at most `capacity` events.
    pub fn new(runtime: &Runtime, owner: Serial, capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            owner,
            runtime: runtime.clone(),
            capacity: capacity.max(1),
            queue: Mutex::default(),
            dropped: AtomicU64::new(0),
            waiting: AtomicBool::new(false),
        })
    }

    /// The process whose channel this feeds.
    pub fn owner(&self) -> Serial {
        self.owner
    }

    /// Queues the event that `make` builds from the number of events dropped since the last one
    /// that fitted. False if the feed is closed or full; a full one counts the drop.
    pub fn push(&self, make: impl FnOnce(u64) -> Values) -> bool {
        let mut queue = self.queue.lock();
        if queue.closed {
            return false;
        }
        if queue.events.len() >= self.capacity {
            queue.dropped_since += 1;
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let dropped_since = std::mem::take(&mut queue.dropped_since);
        queue.events.push_back(make(dropped_since));
        drop(queue);
        self.wake();
        true
    }

    /// Queues an event; if the feed is full the oldest gives way, uncounted. For clocks, whose
    /// latest tick is the only one of use.
    pub fn push_latest(&self, event: Values) {
        let mut queue = self.queue.lock();
        if queue.closed {
            return;
        }
        if queue.events.len() >= self.capacity {
            queue.events.pop_front();
        }
        queue.events.push_back(event);
        drop(queue);
        self.wake();
    }

    /// Events dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Refuses further events. Those queued can still be taken.
    pub fn close(&self) {
        let mut queue = self.queue.lock();
        if !queue.closed {
            queue.closed = true;
            drop(queue);
            self.wake();
        }
    }

    /// Forgets the queued events.
    pub fn flush(&self) {
        self.queue.lock().events.clear();
    }

    /// Opens a closed feed again, empty: a timer that is reset.
    pub fn reopen(&self) {
        *self.queue.lock() = Queue::default();
    }

    /// Whether [`Feed::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }

    /// Takes the oldest event. After [`Taken::Empty`] the next event wakes the owner.
    pub fn take(&self) -> Taken {
        let mut queue = self.queue.lock();
        match queue.events.pop_front() {
            Some(event) => Taken::Event(event),
            None if queue.closed => Taken::Closed,
            None => {
                self.waiting.store(true, Ordering::Relaxed);
                Taken::Empty
            }
        }
    }

    fn wake(&self) {
        if self.waiting.swap(false, Ordering::Relaxed) {
            self.runtime.wake(self.owner);
        }
    }
}
