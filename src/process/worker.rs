use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::runtime::WorkerLink;
use super::serial::Place;
use super::slots::Allocator;
use super::timers::{TimerKey, Timers};
use super::{
    Body, Completion, Envelope, Feed, Message, Process, Runtime, SpawnRequest, StartError, Step,
    Subscription, Ticket, spawn,
};
use crate::id::Serial;
use crate::value::{ErrorValue, Values};

/// One worker thread: it owns the processes placed on it and runs them in turn.
pub struct Worker {
    pub(super) index: usize,
    pub(super) runtime: Runtime,
    pub(super) factory: Box<dyn BodyFactory>,
    table: RefCell<Vec<Option<Rc<Process>>>>,
    pub(super) allocator: RefCell<Allocator>,
    run_queue: RefCell<VecDeque<Rc<Process>>>,
    timers: RefCell<Timers<Due>>,
    /// Spawns that run inside a slice of their parent, by depth.
    pub(super) nesting: Cell<usize>,
    is_stopped: Cell<bool>,
}

/// Makes bodies on one worker thread.
pub trait BodyFactory {
    /// Called once, before anything else.
    fn attach(&self, worker: &Rc<Worker>);

    /// The body for a new process; it has not run yet.
    ///
    /// # Errors
    /// What the spawning process is told.
    fn create(
        &self,
        process: &Rc<Process>,
        request: &mut SpawnRequest,
    ) -> Result<Rc<dyn Body>, ErrorValue>;

    /// Called between slices: a place for housekeeping that must not grow with the load.
    fn between_slices(&self) {}

    /// The worker stops: frees everything.
    fn detach(&self);
}

/// What a timer does when it fires.
pub enum Due {
    /// A coroutine goes on.
    Ticket(Serial, Ticket),
    /// A channel gets one event and closes: the value is the time in nanoseconds since the epoch.
    Once(Arc<Feed>),
    /// A channel gets an event and the timer is armed again after the period.
    Every(Arc<Feed>, std::time::Duration, Rc<Cell<Option<TimerKey>>>),
}

type FactoryMaker = dyn Fn(usize) -> Result<Box<dyn BodyFactory>, String> + Send + Sync;

pub(super) fn start_threads(
    runtime: &Runtime,
    factory: Arc<FactoryMaker>,
) -> Result<Vec<JoinHandle<()>>, StartError> {
    let (ready, started) = std::sync::mpsc::channel();
    let mut threads = Vec::new();
    for index in 0..runtime.workers() {
        let (runtime, factory, ready) = (runtime.clone(), factory.clone(), ready.clone());
        let thread = thread::Builder::new()
            .name(format!("worker-{index}"))
            .stack_size(8 << 20)
            .spawn(move || match factory(index) {
                Ok(factory) => {
                    let worker = Worker::new(index, runtime, factory);
                    let _ = ready.send(Ok(()));
                    drop(ready);
                    worker.run();
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            })
            .map_err(|e| StartError::Worker(e.to_string()))?;
        threads.push(thread);
    }
    drop(ready);
    for result in started {
        result.map_err(StartError::Worker)?;
    }
    Ok(threads)
}

impl Worker {
    fn new(index: usize, runtime: Runtime, factory: Box<dyn BodyFactory>) -> Rc<Self> {
        let worker = Rc::new(Self {
            index,
            runtime,
            factory,
            table: RefCell::default(),
            allocator: RefCell::default(),
            run_queue: RefCell::default(),
            timers: RefCell::default(),
            nesting: Cell::new(0),
            is_stopped: Cell::new(false),
        });
        worker.link().inbox.attach();
        worker.factory.attach(&worker);
        worker
    }

    /// The runtime that this worker belongs to.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Its number, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// A process of this worker.
    pub fn process(&self, serial: Serial) -> Option<Rc<Process>> {
        let slot = Place::from(serial).slot;
        let table = self.table.borrow();
        table.get(slot)?.as_ref().filter(|process| process.serial() == serial).cloned()
    }

    /// All processes of this worker, by slot.
    pub fn processes(&self) -> Vec<Rc<Process>> {
        self.table.borrow().iter().flatten().cloned().collect()
    }

    /// Takes a process's next message of a subscription and gives its room back.
    pub fn take_message(&self, process: &Process, from: Subscription) -> Option<Message> {
        let message = process.mailbox().borrow_mut().take(from)?;
        if from != Subscription::Events {
            self.release(process, &message);
        }
        Some(message)
    }

    /// Gives the room of a message back that was taken otherwise.
    pub fn release(&self, process: &Process, message: &Message) {
        self.link().slots.release(process.serial(), message.values.size_bytes());
    }

    /// Puts a process at the end of the run queue, unless it is there.
    pub fn make_ready(&self, process: &Rc<Process>) {
        if !process.is_queued.replace(true) {
            self.run_queue.borrow_mut().push_back(process.clone());
        }
    }

    /// Processes waiting for their turn.
    pub fn backlog(&self) -> usize {
        self.run_queue.borrow().len()
    }

    /// Arms a timer. Cancel it with [`Worker::cancel_timer`] when it is no longer wanted, at the
    /// latest when its process ends.
    pub fn arm_timer(&self, deadline: Instant, due: Due) -> TimerKey {
        self.timers.borrow_mut().arm(deadline, due)
    }

    /// Disarms a timer; false if it has fired.
    pub fn cancel_timer(&self, key: TimerKey) -> bool {
        self.timers.borrow_mut().cancel(key).is_some()
    }

    /// Timers armed on this worker.
    pub fn timers(&self) -> usize {
        self.timers.borrow().len()
    }

    pub(super) fn link(&self) -> &WorkerLink {
        &self.runtime.0.workers[self.index]
    }

    pub(super) fn insert(&self, process: &Rc<Process>) {
        let slot = Place::from(process.serial()).slot;
        let mut table = self.table.borrow_mut();
        if slot >= table.len() {
            table.resize_with(slot + 1, || None);
        }
        table[slot] = Some(process.clone());
        drop(table);
        self.link().population.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, serial: Serial) {
        if let Some(entry) = self.table.borrow_mut().get_mut(Place::from(serial).slot) {
            *entry = None;
        }
        self.allocator.borrow_mut().free(serial);
        self.link().population.fetch_sub(1, Ordering::Relaxed);
    }

    fn run(self: &Rc<Self>) {
        let mut arrived = Vec::new();
        while !self.is_stopped.get() {
            self.link().inbox.drain(&mut arrived);
            arrived.drain(..).for_each(|envelope| self.open(envelope));
            self.fire_timers();
            self.run_batch();
            self.factory.between_slices();
            if self.run_queue.borrow().is_empty() && !self.is_stopped.get() {
                self.runtime.0.pacer.rest(self.index);
                let deadline = self.timers.borrow().next_deadline();
                self.link().inbox.wait(deadline);
            }
        }
        self.shut_down();
    }

    /// Runs what was ready at the start, at most a few slices, so that arrivals and timers are
    /// looked at in between.
    fn run_batch(self: &Rc<Self>) {
        const SLICES: usize = 32;
        let ready = self.run_queue.borrow().len();
        self.link().backlog.store(ready, Ordering::Relaxed);
        for _ in 0..ready.min(SLICES) {
            let Some(process) = self.run_queue.borrow_mut().pop_front() else { return };
            self.run_slice(&process);
        }
    }

    fn run_slice(self: &Rc<Self>, process: &Rc<Process>) {
        process.is_queued.set(false);
        let doom = process.doom.borrow_mut().take();
        if let Some(outcome) = doom {
            self.finish(process, *outcome);
            return;
        }
        let Some(body) = process.body() else { return };
        self.runtime.0.pacer.begin(self.index);
        let step = body.run(self, process);
        self.after_slice(process, step);
    }

    /// Acts on how a slice ended.
    pub(super) fn after_slice(self: &Rc<Self>, process: &Rc<Process>, step: Step) {
        match step {
            Step::Done(outcome) => {
                process.doom.borrow_mut().take();
                self.finish(process, outcome);
            }
            Step::Waiting if !process.is_doomed() => {}
            Step::Waiting | Step::Ready => self.make_ready(process),
            Step::Loaded => {
                self.loaded(process);
                self.make_ready(process);
            }
        }
    }

    fn open(self: &Rc<Self>, envelope: Envelope) {
        match envelope {
            Envelope::Deliver(to, message) => self.accept(to, message),
            Envelope::DeliverMany(to, message) => {
                for (serial, times) in to {
                    (0..times).for_each(|_| self.accept(serial, message.clone()));
                }
            }
            Envelope::Spawn(request, reply) => self.spawn_for(*request, reply),
            Envelope::Complete(to, ticket, completion) => self.complete(to, ticket, completion),
            Envelope::Wake(serial) => {
                if let Some(process) = self.process(serial) {
                    self.make_ready(&process);
                }
            }
            Envelope::Signal(to, signal) => self.handle_signal(to, signal),
            Envelope::Call(call) => call(self),
            Envelope::Stop => self.is_stopped.set(true),
        }
    }

    /// Puts a message whose room is reserved into its mailbox.
    pub(super) fn accept(&self, to: Serial, message: Message) {
        if let Some(process) = self.process(to)
            && process.mailbox().borrow_mut().push(message)
        {
            self.make_ready(&process);
        }
    }

    /// Hands a coroutine of this worker what it waits for.
    pub fn complete(&self, to: Serial, ticket: Ticket, completion: Completion) {
        if let Some(process) = self.process(to) {
            if let Completion::Spawned(Ok(child), ties) = &completion {
                // Here and not when the coroutine goes on: the child's end may follow at once.
                spawn::tie(&process, *child, *ties);
            }
            process.with_relations(|relations| relations.completions.push((ticket, completion)));
            self.make_ready(&process);
        }
    }

    /// Takes the results that have come for a process's coroutines.
    pub fn take_completions(&self, process: &Process) -> Vec<(Ticket, Completion)> {
        match &mut *process.relations.borrow_mut() {
            Some(relations) => std::mem::take(&mut relations.completions),
            None => Vec::new(),
        }
    }

    fn fire_timers(&self) {
        if self.timers.borrow().next_deadline().is_none() {
            return;
        }
        let now = Instant::now();
        loop {
            let Some(due) = self.timers.borrow_mut().pop_due(now) else { return };
            match due {
                Due::Ticket(serial, ticket) => self.complete(serial, ticket, Completion::Elapsed),
                Due::Once(feed) => {
                    feed.push_latest(wall_clock());
                    feed.close();
                }
                Due::Every(feed, period, key) => {
                    feed.push_latest(wall_clock());
                    let next = self.arm_timer(now + period, Due::Every(feed, period, key.clone()));
                    key.set(Some(next));
                }
            }
        }
    }

    fn shut_down(self: &Rc<Self>) {
        for process in self.processes() {
            self.link().slots.vacate(process.serial());
            process.abandon();
        }
        self.run_queue.borrow_mut().clear();
        *self.timers.borrow_mut() = Timers::default();
        self.table.borrow_mut().clear();
        self.link().population.store(0, Ordering::Relaxed);
        self.factory.detach();
    }
}

/// The time as the timer channels carry it: nanoseconds since the Unix epoch.
fn wall_clock() -> Values {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Values::int(now.unwrap_or_default().as_nanos() as i64)
}
