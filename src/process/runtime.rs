use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use arc_swap::ArcSwapOption;
use parking_lot::{Mutex, RwLock};

use super::inbox::Inbox;
use super::pacer::Pacer;
use super::serial::{MAX_WORKERS, Place};
use super::slots::Slots;
use super::worker::{self, BodyFactory};
use super::{
    Address, Completion, Deliver, Delivery, Envelope, Hosts, Message, Names, Signal, SpawnReply,
    SpawnRequest, Ticket, Undelivered, Worker,
};
use crate::id::{Origin, Pid, Serial};

/// The process world of one node, for every thread: cheap to clone, never blocks.
#[derive(Clone)]
pub struct Runtime(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub origin: Arc<Origin>,
    pub hosts: Hosts,
    pub names: Names,
    pub workers: Vec<WorkerLink>,
    pub hooks: RwLock<Vec<Arc<dyn ExitHook>>>,
    pub remote: ArcSwapOption<Box<dyn Remote>>,
    pub pacer: Pacer,
    pub is_stopping: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
    pacer_thread: Mutex<Option<JoinHandle<()>>>,
}

/// What other threads see of a worker.
pub(super) struct WorkerLink {
    pub inbox: Inbox,
    pub slots: Slots,
    /// Processes that live on it.
    pub population: AtomicUsize,
    /// Processes in its run queue.
    pub backlog: AtomicUsize,
    /// Messages queued for its processes.
    pub messages: AtomicU64,
    /// Messages for processes that were no more.
    pub dead_letters: AtomicU64,
}

/// Cleans up after processes that asked for it, on the worker thread, after their names were
/// released and before anybody is told of the end.
pub trait ExitHook: Send + Sync {
    /// The process has ended. Must be done when it returns, and must not block for long.
    fn process_exited(&self, serial: Serial);
}

/// The way to processes of other nodes.
pub trait Remote: Send + Sync {
    /// Queues a message for a remote process; never waits.
    ///
    /// # Errors
    /// `Unreachable`, `Overloaded` or `TooLarge`; a dead process on a live node is no error here.
    fn deliver(&self, to: &Arc<Pid>, message: Message) -> Result<(), Undelivered>;

    /// Queues a signal for a remote process. Addresses inside it are those of this node.
    ///
    /// # Errors
    /// As [`Remote::deliver`].
    fn signal(&self, to: &Arc<Pid>, signal: Signal) -> Result<(), Undelivered>;
}

/// Why the runtime did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The machine gave no thread, or no Lua state.
    #[error("cannot start a worker: {0}")]
    Worker(String),
}

impl Runtime {
    /// Starts `workers` threads (1 to 64), each with a body factory of its own made by `factory`.
    ///
    /// # Errors
    /// [`StartError`] if a thread or its factory cannot be made.
    pub fn start(
        origin: Origin,
        workers: usize,
        factory: impl Fn(usize) -> Result<Box<dyn BodyFactory>, String> + Send + Sync + 'static,
        cut: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        let workers = workers.clamp(1, MAX_WORKERS);
        let link = |index| WorkerLink {
            inbox: Inbox::default(),
            slots: Slots::new(index),
            population: AtomicUsize::new(0),
            backlog: AtomicUsize::new(0),
            messages: AtomicU64::new(0),
            dead_letters: AtomicU64::new(0),
        };
        let runtime = Self(Arc::new(Shared {
            origin: Arc::new(origin),
            hosts: Hosts::default(),
            names: Names::default(),
            workers: (0..workers).map(link).collect(),
            hooks: RwLock::default(),
            remote: ArcSwapOption::empty(),
            pacer: Pacer::new(workers),
            is_stopping: AtomicBool::new(false),
            threads: Mutex::default(),
            pacer_thread: Mutex::default(),
        }));
        let threads = worker::start_threads(&runtime, Arc::new(factory))?;
        runtime.0.threads.lock().extend(threads);
        let pacer = runtime.0.pacer.start(cut).map_err(StartError::Worker)?;
        *runtime.0.pacer_thread.lock() = Some(pacer);
        Ok(runtime)
    }

    /// Ends every process at once, without any event, and waits for the threads. For a graceful
    /// end stop the services first. Must not be called from a worker thread.
    pub fn stop(&self) {
        self.0.is_stopping.store(true, Ordering::SeqCst);
        for worker in &self.0.workers {
            worker.inbox.push(Envelope::Stop);
        }
        // The pacer goes last: a worker in a long slice stops because it is cut.
        for thread in self.0.threads.lock().drain(..) {
            let _ = thread.join();
        }
        self.0.pacer.stop();
        if let Some(pacer) = self.0.pacer_thread.lock().take() {
            let _ = pacer.join();
        }
        self.0.hooks.write().clear();
        self.0.remote.store(None);
    }

    /// This node in this run.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.0.origin
    }

    /// The host table.
    pub fn hosts(&self) -> &Hosts {
        &self.0.hosts
    }

    /// The LOCAL names.
    pub fn names(&self) -> &Names {
        &self.0.names
    }

    /// The PID of a process of this runtime, alive or not; `None` if no such host ever was.
    pub fn pid(&self, serial: Serial) -> Option<Pid> {
        let host = self.0.hosts.with(serial.host_index(), |host| host.id.clone())?;
        Some(Pid { origin: self.0.origin.clone(), host, serial })
    }

    /// The PID text of an address.
    pub fn text(&self, address: &Address) -> String {
        match address {
            Address::Local(serial) => self.pid(*serial).map(|p| p.to_string()).unwrap_or_default(),
            Address::Remote(pid) => pid.to_string(),
        }
    }

    /// What a PID addresses: a process of this runtime, or one elsewhere (an earlier run of this
    /// node included).
    pub fn address(&self, pid: Pid) -> Address {
        let is_ours = *pid.origin == *self.0.origin
            && self.0.hosts.with(pid.serial.host_index(), |h| h.id == pid.host) == Some(true);
        if is_ours { Address::Local(pid.serial) } else { Address::Remote(Arc::new(pid)) }
    }

    /// Whether the process runs.
    pub fn is_alive(&self, serial: Serial) -> bool {
        self.worker_of(serial).is_some_and(|worker| worker.slots.is_alive(serial))
    }

    /// Messages and bytes in a process's mailbox, those on their way included.
    pub fn mailbox_load(&self, serial: Serial) -> (u64, u64) {
        self.worker_of(serial).map_or((0, 0), |worker| worker.slots.load(serial))
    }

    /// Adds an exit hook; see [`super::Process::hook_exit`].
    pub fn on_exit(&self, hook: Arc<dyn ExitHook>) {
        self.0.hooks.write().push(hook);
    }

    /// Sets the way to other nodes.
    pub fn set_remote(&self, remote: Box<dyn Remote>) {
        self.0.remote.store(Some(Arc::new(remote)));
    }

    /// Starts a process on the worker with the fewest; the answer goes to `reply`.
    pub fn spawn(&self, request: SpawnRequest, reply: SpawnReply) {
        let least = (0..self.0.workers.len())
            .min_by_key(|i| self.0.workers[*i].population.load(Ordering::Relaxed))
            .unwrap_or(0);
        self.0.workers[least].inbox.push(Envelope::Spawn(Box::new(request), reply));
    }

    /// Sends a signal to a process.
    ///
    /// # Errors
    /// `NotFound` if it is dead; for remote ones as [`Remote::signal`].
    pub fn signal(&self, to: &Address, signal: Signal) -> Result<(), Undelivered> {
        match to {
            Address::Local(serial) => {
                let worker = self.worker_of(*serial).ok_or(Undelivered::NotFound)?;
                if !worker.slots.is_alive(*serial) {
                    return Err(Undelivered::NotFound);
                }
                worker.inbox.push(Envelope::Signal(*serial, signal));
                Ok(())
            }
            Address::Remote(pid) => self.remote(pid, |remote| remote.signal(pid, signal)),
        }
    }

    /// Hands a waiting coroutine what it waits for; nothing happens if it no longer waits.
    pub fn complete(&self, to: Serial, ticket: Ticket, completion: Completion) {
        if let Some(worker) = self.worker_of(to) {
            worker.inbox.push(Envelope::Complete(to, ticket, completion));
        }
    }

    /// Queues a message for a remote process.
    ///
    /// # Errors
    /// As [`Remote::deliver`]; `NotFound` for a process of an earlier run of this node.
    pub fn deliver_remote(&self, to: &Arc<Pid>, message: Message) -> Result<(), Undelivered> {
        self.remote(to, |remote| remote.deliver(to, message))
    }

    /// Makes a process look for what it can take.
    pub fn wake(&self, serial: Serial) {
        if let Some(worker) = self.worker_of(serial) {
            worker.inbox.push(Envelope::Wake(serial));
        }
    }

    /// Runs `call` on every worker thread, between slices. Answers come in any order.
    pub fn on_workers(&self, call: impl Fn(&std::rc::Rc<Worker>) + Send + Sync + 'static) {
        let call = Arc::new(call);
        for worker in &self.0.workers {
            let call = call.clone();
            worker.inbox.push(Envelope::Call(Box::new(move |worker| call(worker))));
        }
    }

    /// Worker threads.
    pub fn workers(&self) -> usize {
        self.0.workers.len()
    }

    /// Processes that live, and those that wait for their turn.
    pub fn population(&self) -> (usize, usize) {
        self.0.workers.iter().fold((0, 0), |(live, queued), worker| {
            (
                live + worker.population.load(Ordering::Relaxed),
                queued + worker.backlog.load(Ordering::Relaxed),
            )
        })
    }

    /// Messages queued since the start, and those for processes that were no more.
    pub fn traffic(&self) -> (u64, u64) {
        self.0.workers.iter().fold((0, 0), |(messages, dead), worker| {
            (
                messages + worker.messages.load(Ordering::Relaxed),
                dead + worker.dead_letters.load(Ordering::Relaxed),
            )
        })
    }

    /// Slices that had to be cut so far.
    pub fn preemptions(&self) -> u64 {
        self.0.pacer.cuts()
    }

    pub(super) fn worker_of(&self, serial: Serial) -> Option<&WorkerLink> {
        self.0.workers.get(Place::from(serial).worker)
    }

    /// Makes room in the mailbox of a process of this runtime.
    pub(super) fn reserve(&self, to: Serial, message: &Message) -> Result<(), Undelivered> {
        let worker = self.worker_of(to).ok_or(Undelivered::NotFound)?;
        self.0
            .hosts
            .with(to.host_index(), |host| {
                let result = worker.slots.reserve(to, message.values.size_bytes(), &host.limits);
                match result {
                    Ok(()) => &worker.messages,
                    Err(Undelivered::MailboxFull) => &host.counters.mailbox_dropped,
                    Err(_) => &worker.dead_letters,
                }
                .fetch_add(1, Ordering::Relaxed);
                result
            })
            .unwrap_or(Err(Undelivered::NotFound))
    }

    fn remote(
        &self,
        pid: &Pid,
        call: impl FnOnce(&dyn Remote) -> Result<(), Undelivered>,
    ) -> Result<(), Undelivered> {
        if pid.origin.node == self.0.origin.node {
            return Err(Undelivered::NotFound);
        }
        match &*self.0.remote.load() {
            Some(remote) => call(&***remote),
            None => Err(Undelivered::Unreachable),
        }
    }
}

impl Deliver for Runtime {
    fn deliver(&self, to: Serial, message: Message) -> Result<(), Undelivered> {
        self.reserve(to, &message)?;
        if let Some(worker) = self.worker_of(to) {
            worker.inbox.push(Envelope::Deliver(to, message));
        }
        Ok(())
    }

    fn deliver_many(
        &self,
        to: &mut dyn Iterator<Item = (Serial, u32)>,
        message: &Message,
    ) -> Delivery {
        let mut batches = Batches::new(self);
        to.for_each(|(serial, times)| batches.add(serial, times, message));
        batches.send(message)
    }
}

/// Recipients of one message by worker, so that each worker is woken once.
pub(super) struct Batches<'a> {
    runtime: &'a Runtime,
    workers: Vec<Vec<(Serial, u32)>>,
    pub result: Delivery,
}

impl<'a> Batches<'a> {
    pub fn new(runtime: &'a Runtime) -> Self {
        Self { runtime, workers: vec![Vec::new(); runtime.workers()], result: Delivery::default() }
    }

    pub fn add(&mut self, to: Serial, times: u32, message: &Message) {
        let mut fitting = 0;
        for _ in 0..times {
            let reserved = self.runtime.reserve(to, message);
            fitting += u32::from(reserved.is_ok());
            self.result.count(reserved);
        }
        if fitting > 0
            && let Some(batch) = self.workers.get_mut(Place::from(to).worker)
        {
            batch.push((to, fitting));
        }
    }

    pub fn send(self, message: &Message) -> Delivery {
        for (worker, batch) in self.runtime.0.workers.iter().zip(self.workers) {
            if !batch.is_empty() {
                worker.inbox.push(Envelope::DeliverMany(batch, message.clone()));
            }
        }
        self.result
    }
}
