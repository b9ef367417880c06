use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// How often the pacer looks. A slice that it has seen twice has run for one to two of these.
const TICK: Duration = Duration::from_millis(5);

/// Notices slices that have run for longer than about 10 ms and has them cut.
///
/// A worker only counts its slices; nothing is paid while slices are short. While every worker
/// sleeps, so does the pacer.
pub(super) struct Pacer(Arc<State>);

struct State {
    /// For each worker: twice the number of slices begun, plus one while one runs.
    pulses: Vec<AtomicU64>,
    cuts: AtomicU64,
    is_asleep: AtomicBool,
    is_stopped: Mutex<bool>,
    wake: Condvar,
}

impl Pacer {
    pub fn new(workers: usize) -> Self {
        Self(Arc::new(State {
            pulses: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            cuts: AtomicU64::new(0),
            is_asleep: AtomicBool::new(false),
            is_stopped: Mutex::new(false),
            wake: Condvar::new(),
        }))
    }

    /// A slice begins on `worker`.
    pub fn begin(&self, worker: usize) {
        let pulse = &self.0.pulses[worker];
        pulse.store((pulse.load(Ordering::Relaxed) + 2) | 1, Ordering::Relaxed);
        if self.0.is_asleep.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// The worker has nothing to run.
    pub fn rest(&self, worker: usize) {
        let pulse = &self.0.pulses[worker];
        pulse.store((pulse.load(Ordering::Relaxed) + 2) & !1, Ordering::Relaxed);
    }

    pub fn cuts(&self) -> u64 {
        self.0.cuts.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        *self.0.is_stopped.lock() = true;
        self.0.wake.notify_all();
    }

    pub fn start(&self, cut: impl Fn(usize) + Send + 'static) -> Result<JoinHandle<()>, String> {
        let state = self.0.clone();
        thread::Builder::new()
            .name("pacer".into())
            .spawn(move || state.watch(&cut))
            .map_err(|e| e.to_string())
    }

    #[cold]
    fn wake(&self) {
        let _stopped = self.0.is_stopped.lock();
        self.0.is_asleep.store(false, Ordering::Relaxed);
        self.0.wake.notify_all();
    }
}

impl State {
    fn watch(&self, cut: &dyn Fn(usize)) {
        let mut seen = vec![0; self.pulses.len()];
        let mut stopped = self.is_stopped.lock();
        while !*stopped {
            if self.look(&mut seen, cut) {
                self.wake.wait_for(&mut stopped, TICK);
                continue;
            }
            // A slice that began just before this store may have missed it, so one more look
            // follows before the long sleep.
            self.is_asleep.store(true, Ordering::SeqCst);
            self.wake.wait_for(&mut stopped, TICK);
            if !self.look(&mut seen, cut) {
                while self.is_asleep.load(Ordering::SeqCst) && !*stopped {
                    self.wake.wait(&mut stopped);
                }
            }
            self.is_asleep.store(false, Ordering::SeqCst);
        }
    }

    /// Cuts what has run since the last look; whether anything ran.
    fn look(&self, seen: &mut [u64], cut: &dyn Fn(usize)) -> bool {
        let mut is_busy = false;
        for (worker, (pulse, seen)) in self.pulses.iter().zip(seen).enumerate() {
            let now = pulse.load(Ordering::Relaxed);
            if now & 1 == 1 && now == *seen {
                self.cuts.fetch_add(1, Ordering::Relaxed);
                cut(worker);
            }
            is_busy |= now & 1 == 1 || now != *seen;
            *seen = now;
        }
        is_busy
    }
}
