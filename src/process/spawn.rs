use std::rc::Rc;
use std::sync::atomic::Ordering;

use super::cell::PendingStart;
use super::{
    Address, Child, Completion, Deliver, Envelope, Outcome, Process, Source, SpawnReply,
    SpawnRequest, Step, Ties, Watcher, Worker,
};
use crate::id::Serial;
use crate::value::{ErrorValue, kind};

/// Spawns inside spawns that run on the parent's stack; deeper ones wait for their own slice.
const MAX_NESTING: usize = 8;

/// What became of a spawn from a process of this worker.
pub enum Spawned {
    /// The process exists, its code is loaded and its ties are set.
    Started(Child),
    /// There is none.
    Failed(ErrorValue),
    /// The code is still being loaded, here or on another worker: the answer goes to the reply.
    Pending,
}

enum Begun {
    Started(Child),
    Failed(ErrorValue),
    Loading(Rc<Process>),
}

impl Worker {
    /// Starts a process from a process of this worker. Usually the answer is there at once and
    /// `reply` is dropped unused.
    pub fn spawn(self: &Rc<Self>, request: SpawnRequest, reply: SpawnReply) -> Spawned {
        if let Some(other) = self.better_worker() {
            let inbox = &self.runtime.0.workers[other].inbox;
            inbox.push(Envelope::Spawn(Box::new(request), reply));
            return Spawned::Pending;
        }
        let (parent, ties) = (request.parent, request.ties);
        match self.begin(request) {
            Begun::Started(child) => {
                if let Some(parent) = parent.and_then(|parent| self.process(parent)) {
                    tie(&parent, child, ties);
                }
                Spawned::Started(child)
            }
            Begun::Failed(error) => Spawned::Failed(error),
            Begun::Loading(process) => {
                await_start(&process, reply, ties);
                Spawned::Pending
            }
        }
    }

    pub(super) fn spawn_for(self: &Rc<Self>, request: SpawnRequest, reply: SpawnReply) {
        let ties = request.ties;
        match self.begin(request) {
            Begun::Started(child) => self.answer(reply, Ok(child), ties),
            Begun::Failed(error) => self.answer(reply, Err(error), ties),
            Begun::Loading(process) => await_start(&process, reply, ties),
        }
    }

    fn begin(self: &Rc<Self>, mut request: SpawnRequest) -> Begun {
        if let Some(owner) = self.signal_owner(&request) {
            return Begun::Started(Child::Owner(owner));
        }
        let process = match self.admit(&request) {
            Ok(process) => process,
            Err(error) => return Begun::Failed(error),
        };
        if let Some(name) = &request.name
            && self.runtime.names().register(name, process.serial()) == process.serial()
        {
            process.with_relations(|relations| relations.names.push(name.clone()));
        }
        match self.factory.create(&process, &mut request) {
            Ok(body) => process.set_body(body),
            Err(error) => {
                self.discard(&process);
                return Begun::Failed(error);
            }
        }
        self.introduce(&process, request);
        self.load(process)
    }

    /// Runs the process's own code up to where main could begin.
    fn load(self: &Rc<Self>, process: Rc<Process>) -> Begun {
        let step = match process.body() {
            Some(body) if self.nesting.get() < MAX_NESTING => {
                self.nesting.set(self.nesting.get() + 1);
                let step = body.run(self, &process);
                self.nesting.set(self.nesting.get() - 1);
                step
            }
            _ => Step::Ready,
        };
        match step {
            Step::Loaded => {
                process.is_loading.set(false);
                self.make_ready(&process);
                Begun::Started(Child::New(process.serial()))
            }
            Step::Done(outcome) => {
                self.discard(&process);
                Begun::Failed(start_error(outcome))
            }
            step => {
                self.after_slice(&process, step);
                Begun::Loading(process)
            }
        }
    }

    pub(super) fn loaded(&self, process: &Process) {
        process.is_loading.set(false);
        let pending = process.started.borrow_mut().take();
        if let Some(pending) = pending {
            self.answer(pending.reply, Ok(Child::New(process.serial())), pending.ties);
        }
    }

    /// The end of a process whose code failed to load: nobody has seen it.
    pub(super) fn failed_to_load(&self, process: &Rc<Process>, outcome: Outcome) {
        let pending = process.started.borrow_mut().take();
        self.discard(process);
        if let Some(pending) = pending {
            self.answer(pending.reply, Err(start_error(outcome)), pending.ties);
        }
    }

    fn answer(&self, reply: SpawnReply, result: Result<Child, ErrorValue>, ties: Ties) {
        match reply {
            SpawnReply::Ticket(to, ticket) => {
                self.runtime.complete(to, ticket, Completion::Spawned(result, ties));
            }
            SpawnReply::Callback(call) => call(result),
        }
    }

    /// "Spawn or signal": if the name is taken, its owner gets the messages.
    fn signal_owner(&self, request: &SpawnRequest) -> Option<Serial> {
        let owner = self.runtime.names().lookup(request.name.as_ref()?)?;
        for message in &request.messages {
            let _ = self.runtime.deliver(owner, message.clone());
        }
        Some(owner)
    }

    fn admit(&self, request: &SpawnRequest) -> Result<Rc<Process>, ErrorValue> {
        let host = self
            .runtime
            .hosts()
            .get(request.host)
            .ok_or_else(|| ErrorValue::new(kind::NOT_FOUND, "host not found"))?;
        if !host.accepting.load(Ordering::Relaxed) {
            let text = format!("host {} is not running", host.id);
            return Err(ErrorValue::new(kind::UNAVAILABLE, text));
        }
        if host.counters.running.load(Ordering::Relaxed) >= host.limits.max_processes {
            let text = format!(
                "host {} is at its limit of {} processes",
                host.id, host.limits.max_processes
            );
            return Err(ErrorValue::new(kind::LIMIT_EXCEEDED, text));
        }
        let serial =
            self.allocator.borrow_mut().allocate(&self.link().slots, request.host).ok_or_else(
                || ErrorValue::new(kind::LIMIT_EXCEEDED, "worker has no process left"),
            )?;
        host.counters.running.fetch_add(1, Ordering::Relaxed);
        host.counters.spawned.fetch_add(1, Ordering::Relaxed);
        let process = Rc::new(Process::new(serial, request.entry.clone()));
        self.insert(&process);
        Ok(process)
    }

    fn introduce(&self, process: &Rc<Process>, request: SpawnRequest) {
        for message in request.messages {
            if self.runtime.reserve(process.serial(), &message).is_ok() {
                process.mailbox().borrow_mut().push(message);
            }
        }
        if request.watcher.is_none() && request.ties == Ties::default() {
            return;
        }
        process.with_relations(|relations| {
            if let Some(watcher) = request.watcher {
                relations.watch(watcher);
            }
            let Some(parent) = request.parent.map(Address::Local) else { return };
            if request.ties.monitor {
                relations.watch(Watcher::Process(parent.clone()));
            }
            if request.ties.link {
                relations.links.insert(parent);
            }
        });
    }

    /// Takes back a process that never was.
    fn discard(&self, process: &Rc<Process>) {
        self.link().slots.vacate(process.serial());
        process.abandon();
        let relations = process.relations.borrow_mut().take();
        if let Some(relations) = relations {
            self.runtime.names().release(process.serial(), &relations.names);
        }
        if process.is_exit_hooked() {
            self.run_exit_hooks(process.serial());
        }
        self.runtime.hosts().with(process.serial().host_index(), |host| {
            host.counters.running.fetch_sub(1, Ordering::Relaxed);
        });
        self.remove(process.serial());
    }

    /// Another worker, if this one has much more to do than it.
    fn better_worker(&self) -> Option<usize> {
        let workers = &self.runtime.0.workers;
        let mine = workers[self.index].population.load(Ordering::Relaxed);
        let (least, population) = workers
            .iter()
            .map(|worker| worker.population.load(Ordering::Relaxed))
            .enumerate()
            .min_by_key(|(_, population)| *population)?;
        (mine > 2 * population + 64).then_some(least)
    }
}

fn start_error(outcome: Outcome) -> ErrorValue {
    match outcome.result() {
        Err(error) => ErrorValue {
            message: format!("failed to execute script: {}", error.message).into(),
            ..error
        },
        Ok(_) => ErrorValue::new(kind::INTERNAL, "failed to execute script: it returned no main"),
    }
}

fn await_start(process: &Process, reply: SpawnReply, ties: Ties) {
    *process.started.borrow_mut() = Some(Box::new(PendingStart { reply, ties }));
}

/// The parent's side of the ties to a new child.
pub(super) fn tie(parent: &Process, child: Child, ties: Ties) {
    if let Child::New(serial) = child
        && ties != Ties::default()
    {
        parent.with_relations(|relations| {
            if ties.monitor {
                relations.watching.insert(Address::Local(serial));
            }
            if ties.link {
                relations.links.insert(Address::Local(serial));
            }
        });
    }
}

impl From<&Process> for Source {
    fn from(process: &Process) -> Self {
        process.serial().into()
    }
}
