use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::error::ScopeError;
use super::operation::{Operation, Pending, Permit, Reply, Waiting};
use super::queue::{Queue, Reserved};
use super::run::Run;
use super::shared::Shared;
use super::snapshot::Snapshots;
use crate::id::{Origin, ScopeId, Serial};
use crate::pg::message::Generation;
use crate::pg::{Config, Retained, State, Stats, SubscriptionId, View};
use crate::process::{Completion, Ticket};
use crate::value::Values;

/// One `pg.scope` entry of this node, running or not. It outlives its runs: a later start takes
/// over the memberships of processes that still live (report R07).
pub struct Scope {
    id: ScopeId,
    pub(super) shared: Arc<Shared>,
    interior: Mutex<Interior>,
    queue: Queue,
    pub(super) snapshots: Snapshots,
    config: Mutex<Config>,
    /// When somebody last began to work in the serial section, in nanoseconds of the clock.
    entered_at: AtomicU64,
    /// When the rulebook wants to be called, in nanoseconds of the clock.
    pub(super) deadline: AtomicU64,
    pub(super) deadline_moved: Notify,
}

/// What only one at a time may touch.
#[derive(Default)]
struct Interior {
    run: Option<Run>,
    retained: Retained,
    generation: u64,
}

/// What a scope has done and how it stands.
#[derive(Clone, Debug, Default)]
pub struct ScopeStats {
    /// The rulebook's own numbers.
    pub pg: Stats,
    /// Operations that wait now.
    pub queue_depth: u64,
    /// Operations refused because the queue was full.
    pub queue_refused: u64,
    /// Events that subscribers lost because their buffers were full.
    pub events_dropped: u64,
}

/// Tries to get in before an operation is queued: about as long as another one takes.
const SPINS: u32 = 60;

/// No deadline.
pub(super) const NEVER: u64 = u64::MAX;

impl Scope {
    pub(super) fn new(id: ScopeId, shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self {
            id,
            shared,
            interior: Mutex::default(),
            queue: Queue::default(),
            snapshots: Snapshots::default(),
            config: Mutex::default(),
            entered_at: AtomicU64::new(0),
            deadline: AtomicU64::new(NEVER),
            deadline_moved: Notify::new(),
        })
    }

    /// The entry.
    pub fn id(&self) -> &ScopeId {
        &self.id
    }

    /// Whether its service runs.
    pub fn is_running(&self) -> bool {
        self.read(|_| ()).is_ok()
    }

    /// Does `operation` for the process `caller` now, unless somebody else is at work here.
    ///
    /// # Errors
    /// The operation, to be queued with [`Scope::reserve`] or done with [`Scope::perform`].
    pub fn try_perform(&self, caller: Serial, operation: Operation) -> Result<Reply, Operation> {
        for _ in 0..SPINS {
            if let Some(interior) = self.interior.try_lock() {
                return Ok(self.work(interior, |interior, now| {
                    self.carry_out(interior, now, caller, operation)
                }));
            }
            std::hint::spin_loop();
        }
        Err(operation)
    }

    /// Does `operation`, waiting for whoever is at work here: for callers that cannot queue.
    ///
    /// # Errors
    /// As [`Operation`]s fail.
    pub fn perform(&self, caller: Serial, operation: Operation) -> Reply {
        let interior = self.interior.lock();
        self.work(interior, |interior, now| self.carry_out(interior, now, caller, operation))
    }

    /// A place in the queue.
    ///
    /// # Errors
    /// [`ScopeError::Full`], which is counted.
    pub fn reserve(&self) -> Result<Permit, ScopeError> {
        let (size, limit) = {
            let config = self.config.lock();
            (config.action_queue_size, config.action_queue_max_size)
        };
        match self.queue.reserve(size, limit) {
            Reserved::Place(place) => Ok(Permit(place)),
            Reserved::NearCapacity(place, depth) => {
                tracing::warn!(
                    target: "moonmesh::pg", scope = self.id.as_str(), depth, limit,
                    "the action queue is approaching its capacity"
                );
                Ok(Permit(place))
            }
            Reserved::Full => Err(ScopeError::Full { limit }),
        }
    }

    /// Queues `operation`; the coroutine that waits with `ticket` goes on when it is done.
    pub fn enqueue(
        &self,
        permit: Permit,
        (caller, ticket): (Serial, Ticket),
        operation: Operation,
    ) -> Pending {
        let pending = Pending::new();
        let waiting =
            Waiting { caller, operation, ticket, pending: pending.clone(), _place: permit.0 };
        self.queue.push(waiting);
        self.serve_queue();
        pending
    }

    /// Ends a subscription: nothing is emitted once this returns.
    pub fn unsubscribe(&self, id: SubscriptionId) {
        self.enter(|run, _| {
            if let Some(run) = run {
                run.unsubscribe(id);
            }
        });
    }

    /// Looks at who is in which group now. Waits at most for one short operation.
    ///
    /// # Errors
    /// [`ScopeError::Stopped`].
    pub fn read<R>(&self, read: impl FnOnce(&View) -> R) -> Result<R, ScopeError> {
        let published = match self.snapshots.current() {
            Some(current) => current,
            None => {
                self.refresh();
                match self.snapshots.current() {
                    Some(current) => current,
                    // Another change has come since; that one is later than this read.
                    None => return self.read_inside(read),
                }
            }
        };
        published.view.as_ref().map(read).ok_or(ScopeError::Stopped)
    }

    /// What it has done and how it stands.
    pub fn stats(&self) -> ScopeStats {
        let (pg, events_dropped) = self.enter(|run, _| match run {
            Some(run) => (run.state.stats(), run.events_dropped),
            None => (Stats::default(), 0),
        });
        ScopeStats {
            pg,
            queue_depth: self.queue.depth() as u64,
            queue_refused: self.queue.refused(),
            events_dropped,
        }
    }

    /// Starts a run with what an earlier one retained; answers its number.
    pub(super) fn start(
        &self,
        config: Config,
        sessions: impl IntoIterator<Item = Arc<Origin>>,
    ) -> u64 {
        *self.config.lock() = config.clone();
        let interior = self.interior.lock();
        let generation = self.work(interior, |interior, now| {
            interior.generation += 1;
            let generation = Generation(interior.generation);
            let origin = self.shared.runtime.origin().clone();
            let mut state = State::new(self.id.clone(), origin, generation, config, rand::random());
            state.restore(std::mem::take(&mut interior.retained));
            let mut run = Run::new(state);
            let random = run.random();
            run.state.handle_start(now, sessions, random);
            interior.run = Some(run);
            self.snapshots.changed();
            interior.generation
        });
        self.refresh();
        generation
    }

    /// Ends the run: peers are told, subscriptions close, memberships are retained.
    pub(super) fn stop(&self) {
        let interior = self.interior.lock();
        self.work(interior, |interior, now| {
            let Some(mut run) = interior.run.take() else { return };
            run.state.handle_stop();
            run.settle(&self.shared, now);
            run.close_feeds();
            interior.retained = run.state.retain();
            self.snapshots.changed();
        });
        self.refresh();
        self.deadline_moved.notify_one();
    }

    /// Whether the run `generation` goes on.
    pub(super) fn runs(&self, generation: u64) -> bool {
        let interior = self.interior.lock();
        interior.run.is_some() && interior.generation == generation
    }

    /// Takes a process that has ended out of the scope.
    pub(super) fn process_exited(&self, process: Serial) {
        let interior = self.interior.lock();
        self.work(interior, |interior, _| {
            match &mut interior.run {
                Some(run) => run.process_exited(process),
                None => interior.retained.remove(process),
            }
            self.snapshots.changed();
        });
    }

    /// Runs `work` at one point of the serial order, waiting for it.
    pub(super) fn enter<R>(&self, work: impl FnOnce(Option<&mut Run>, Duration) -> R) -> R {
        self.work(self.interior.lock(), |interior, now| work(interior.run.as_mut(), now))
    }

    /// Whether and what runs, if nobody is at work.
    pub(super) fn try_enter<R>(&self, look: impl FnOnce(Option<&Run>) -> R) -> Option<R> {
        Some(look(self.interior.try_lock()?.run.as_ref()))
    }

    /// Publishes the newest view for readers.
    pub(super) fn refresh(&self) {
        let interior = self.interior.lock();
        self.snapshots.publish(interior.run.as_ref().map(|run| run.state.view()));
    }

    /// How long somebody has been at work, if somebody is.
    pub(super) fn busy_for(&self, now: Duration) -> Duration {
        now.saturating_sub(Duration::from_nanos(self.entered_at.load(Ordering::Relaxed)))
    }

    pub(super) fn protocol_timeout(&self) -> Duration {
        self.config.lock().protocol_timeout
    }

    fn read_inside<R>(&self, read: impl FnOnce(&View) -> R) -> Result<R, ScopeError> {
        let view = self.interior.lock().run.as_ref().map(|run| run.state.view().clone());
        view.as_ref().map(read).ok_or(ScopeError::Stopped)
    }

    /// One turn in the serial section: those who waited first, then `work`, then what follows.
    fn work<R>(
        &self,
        mut interior: MutexGuard<'_, Interior>,
        work: impl FnOnce(&mut Interior, Duration) -> R,
    ) -> R {
        let now = self.shared.clock.now();
        self.entered_at.store(now.as_nanos() as u64, Ordering::Relaxed);
        self.drain(&mut interior, now);
        let result = work(&mut interior, now);
        self.settle(&mut interior, now);
        drop(interior);
        self.serve_queue();
        result
    }

    /// Serves those who queued while the last turn ended and may have found nobody to serve them.
    fn serve_queue(&self) {
        while !self.queue.is_empty() {
            let Some(mut interior) = self.interior.try_lock() else { return };
            let now = self.shared.clock.now();
            self.entered_at.store(now.as_nanos() as u64, Ordering::Relaxed);
            self.drain(&mut interior, now);
        }
    }

    fn drain(&self, interior: &mut Interior, now: Duration) {
        while let Some(waiting) = self.queue.pop() {
            let Waiting { caller, operation, ticket, pending, _place } = waiting;
            // A process that was ended while it waited must not become a member afterwards.
            let reply = match self.shared.runtime.is_alive(caller) {
                true => self.carry_out(interior, now, caller, operation),
                false => Err(ScopeError::CallerGone),
            };
            self.settle(interior, now);
            pending.fill(reply);
            self.shared.runtime.complete(caller, ticket, Completion::Done(Ok(Values::EMPTY)));
        }
    }

    fn carry_out(
        &self,
        interior: &mut Interior,
        now: Duration,
        caller: Serial,
        operation: Operation,
    ) -> Reply {
        let run = interior.run.as_mut().ok_or(ScopeError::Stopped)?;
        let changes = matches!(operation, Operation::Join(_) | Operation::Leave(_));
        let reply = run.carry_out(&self.shared, now, caller, operation);
        if changes && reply.is_ok() {
            self.snapshots.changed();
        }
        reply
    }

    fn settle(&self, interior: &mut Interior, now: Duration) {
        let deadline = match &mut interior.run {
            Some(run) => {
                run.settle(&self.shared, now);
                run.state.next_deadline().map_or(NEVER, |at| at.as_nanos() as u64)
            }
            None => NEVER,
        };
        if self.deadline.swap(deadline, Ordering::Relaxed) > deadline {
            self.deadline_moved.notify_one();
        }
    }
}
