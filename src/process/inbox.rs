use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Envelope;

/// The queue from other threads to one worker, in order of arrival.
#[derive(Default)]
pub(super) struct Inbox {
    queue: Mutex<Vec<Envelope>>,
    /// Something is queued: read without the lock at every slice.
    pending: AtomicBool,
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

/// How long a worker without work looks for more before it sleeps: waking a thread costs several
/// times this, and a reply from another thread usually comes sooner.
const SPIN: Duration = Duration::from_micros(20);

impl Inbox {
    /// Queues an envelope and wakes the worker if it sleeps.
    pub(super) fn push(&self, envelope: Envelope) {
        let mut queue = self.queue.lock();
        queue.push(envelope);
        self.pending.store(true, Ordering::SeqCst);
        drop(queue);
        if self.asleep.load(Ordering::SeqCst) {
            self.asleep.store(false, Ordering::SeqCst);
            if let Some(thread) = self.thread.get() {
                thread.unpark();
            }
        }
    }

    /// Says that the calling thread is the worker.
    pub(super) fn attach(&self) {
        let _ = self.thread.set(thread::current());
    }

    /// Moves everything queued into `into`, an empty vector whose buffer is reused.
    pub(super) fn drain(&self, into: &mut Vec<Envelope>) {
        if self.pending.load(Ordering::Relaxed) {
            let mut queue = self.queue.lock();
            self.pending.store(false, Ordering::Relaxed);
            std::mem::swap(&mut *queue, into);
        }
    }

    /// Sleeps until something is queued or the deadline has passed.
    pub(super) fn wait(&self, deadline: Option<Instant>) {
        let spin_until = Instant::now() + SPIN;
        while Instant::now() < spin_until {
            if self.pending.load(Ordering::Relaxed) {
                return;
            }
            std::hint::spin_loop();
        }
        self.asleep.store(true, Ordering::SeqCst);
        if !self.pending.load(Ordering::SeqCst) {
            match deadline {
                None => thread::park(),
                Some(deadline) => {
                    thread::park_timeout(deadline.saturating_duration_since(Instant::now()));
                }
            }
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}
