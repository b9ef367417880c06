use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::channel::{Channel, Source, Woken};
use super::host::Host;
use super::raw::{self, Anchor, Kind, Stack, Stopped, Thread};
use super::{Identity, Program};
use crate::process::{
    Body, Message, Outcome, Process, Step, Subscription, Ticket, TimerKey, Worker,
};
use crate::value::{ErrorValue, Values, kind};

/// A Lua process: its coroutines, what they wait for, and whose behalf it acts on.
pub struct LuaBody {
    me: Weak<LuaBody>,
    host: Rc<Host>,
    process: Rc<Process>,
    program: RefCell<Arc<Program>>,
    pub(super) identity: RefCell<Identity>,
    coroutines: RefCell<SmallVec<[Option<Coroutine>; 1]>>,
    ready: RefCell<VecDeque<u32>>,
    waits: Cell<u32>,
    arguments: RefCell<Option<Values>>,
    /// The end of the process, found where it could not be acted on at once.
    fatal: RefCell<Option<Box<Outcome>>>,
    /// Code that replaces the present one at the next suspension.
    pub(super) upgrade: RefCell<Option<Box<Upgrade>>>,
    /// Channels of mailbox and feeds on which somebody waits.
    watched: RefCell<SmallVec<[Rc<Channel>; 1]>>,
    /// The channel of each subscription, so that asking again gives the same one.
    pub(super) subscriptions: RefCell<SmallVec<[Subscribed; 1]>>,
    globals: RefCell<Option<Anchor>>,
    /// What `require` has loaded.
    pub(super) loaded: RefCell<Option<Anchor>>,
    /// Script-made coroutines inside which a coroutine of the process waits.
    pub(super) waiting_inside: RefCell<FxHashSet<usize>>,
}

/// A subscription, its channel, and the object that scripts hold.
type Subscribed = (Subscription, Rc<Channel>, Anchor);

/// What `process.upgrade` asks for.
pub struct Upgrade {
    /// The new code.
    pub program: Arc<Program>,
    /// What its main is called with.
    pub arguments: Values,
}

/// A coroutine of a process; the first runs main.
struct Coroutine {
    /// Out while it runs.
    thread: Option<Thread>,
    /// Values on its stack that its function is to be called with.
    arguments: c_int,
    wait: Option<u32>,
    /// It waits for nothing that could ever come.
    is_hopeless: bool,
    woken: Option<Box<Woken>>,
    timer: Option<TimerKey>,
}

/// Coroutine resumptions in one slice; then others get their turn.
const RESUMPTIONS: usize = 256;

impl LuaBody {
    pub(super) fn new(
        host: &Rc<Host>,
        process: &Rc<Process>,
        program: Arc<Program>,
        identity: Identity,
        arguments: Values,
    ) -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            host: host.clone(),
            process: process.clone(),
            program: RefCell::new(program),
            identity: RefCell::new(identity),
            coroutines: RefCell::default(),
            ready: RefCell::default(),
            waits: Cell::new(0),
            arguments: RefCell::new(Some(arguments)),
            fatal: RefCell::default(),
            upgrade: RefCell::default(),
            watched: RefCell::default(),
            subscriptions: RefCell::default(),
            globals: RefCell::default(),
            loaded: RefCell::default(),
            waiting_inside: RefCell::default(),
        })
    }

    /// The process.
    pub fn process(&self) -> &Rc<Process> {
        &self.process
    }

    /// The code it runs.
    pub fn program(&self) -> Arc<Program> {
        self.program.borrow().clone()
    }

    /// On whose behalf it acts.
    pub fn identity(&self) -> Identity {
        self.identity.borrow().clone()
    }

    pub(super) fn set_globals(&self, globals: Anchor) {
        *self.globals.borrow_mut() = Some(globals);
    }

    /// The environment of the process's own code.
    pub(super) fn globals(&self, lua: &mlua::Lua) -> mlua::Result<mlua::Table> {
        match &*self.globals.borrow() {
            Some(globals) => globals.to_mlua(lua),
            None => lua.create_table(),
        }
    }

    /// What main is called with; once.
    pub(super) fn take_arguments(&self) -> Values {
        self.arguments.borrow_mut().take().unwrap_or(Values::EMPTY)
    }

    /// Adds a coroutine whose function lies under `arguments` values on its stack.
    pub(super) fn add_coroutine(&self, thread: Thread, arguments: c_int) -> u32 {
        let coroutine = Coroutine {
            thread: Some(thread),
            arguments,
            wait: None,
            is_hopeless: false,
            woken: None,
            timer: None,
        };
        let mut coroutines = self.coroutines.borrow_mut();
        let index = match coroutines.iter().position(Option::is_none) {
            Some(free) => {
                coroutines[free] = Some(coroutine);
                free
            }
            None => {
                coroutines.push(Some(coroutine));
                coroutines.len() - 1
            }
        };
        index as u32
    }

    pub(super) fn make_ready(&self, coroutine: u32) {
        self.ready.borrow_mut().push_back(coroutine);
    }

    pub(super) fn begin_wait(&self, coroutine: u32) -> Ticket {
        let wait = self.waits.get().wrapping_add(1);
        self.waits.set(wait);
        self.with_coroutine(coroutine, |coroutine| coroutine.wait = Some(wait));
        Ticket { coroutine, wait }
    }

    /// Says that nothing can end the wait that has just begun.
    pub(super) fn give_up_hope(&self, ticket: Ticket) {
        self.with_coroutine(ticket.coroutine, |coroutine| coroutine.is_hopeless = true);
    }

    fn with_coroutine<R>(&self, index: u32, change: impl FnOnce(&mut Coroutine) -> R) -> Option<R> {
        self.coroutines.borrow_mut().get_mut(index as usize)?.as_mut().map(change)
    }

    /// Remembers the timer of the wait that has just begun, to be disarmed at the end.
    pub(super) fn set_timer(&self, ticket: Ticket, timer: TimerKey) {
        self.with_coroutine(ticket.coroutine, |coroutine| coroutine.timer = Some(timer));
    }

    pub(super) fn abort_wait(&self, coroutine: u32) {
        let timer = self.with_coroutine(coroutine, |coroutine| {
            coroutine.wait = None;
            coroutine.timer.take()
        });
        if let Some(timer) = timer.flatten() {
            self.host.worker().cancel_timer(timer);
        }
    }

    /// Whether the wait is still on.
    pub fn is_waiting(&self, ticket: Ticket) -> bool {
        let coroutines = self.coroutines.borrow();
        matches!(coroutines.get(ticket.coroutine as usize), Some(Some(c)) if c.wait == Some(ticket.wait))
    }

    /// Ends a wait; false if it was over.
    pub fn wake(&self, ticket: Ticket, woken: Woken) -> bool {
        let mut coroutines = self.coroutines.borrow_mut();
        match coroutines.get_mut(ticket.coroutine as usize) {
            Some(Some(entry)) if entry.wait == Some(ticket.wait) => {
                entry.wait = None;
                entry.timer = None;
                entry.is_hopeless = false;
                entry.woken = Some(Box::new(woken));
                self.ready.borrow_mut().push_back(ticket.coroutine);
                true
            }
            _ => false,
        }
    }

    pub(super) fn take_message(&self, from: Subscription) -> Option<Message> {
        self.host.worker().take_message(&self.process, from)
    }

    pub(super) fn unlisten(&self, subscription: Subscription) -> Option<Message> {
        let buffered = self.process.mailbox().borrow_mut().unlisten(subscription);
        if let Some(message) = &buffered {
            self.host.worker().release(&self.process, message);
        }
        self.subscriptions.borrow_mut().retain(|(known, ..)| *known != subscription);
        buffered
    }

    /// A receiver waits on a channel that is fed from outside.
    pub(super) fn watch_source(&self, channel: &Rc<Channel>) {
        if let Source::Mailbox { subscription, .. } = channel.source() {
            self.process.mailbox().borrow_mut().set_waiting(*subscription, true);
        }
        let mut watched = self.watched.borrow_mut();
        if !watched.iter().any(|known| Rc::ptr_eq(known, channel)) {
            watched.push(channel.clone());
        }
    }

    /// Serves waiting receivers from mailbox and feeds.
    fn pump(&self) {
        let mut index = 0;
        loop {
            let Some(channel) = self.watched.borrow().get(index).cloned() else { return };
            if channel.pump(self) {
                index += 1;
                continue;
            }
            if let Source::Mailbox { subscription, .. } = channel.source() {
                self.process.mailbox().borrow_mut().set_waiting(*subscription, false);
            }
            self.watched.borrow_mut().retain(|known| !Rc::ptr_eq(known, &channel));
        }
    }

    fn take_completions(&self, worker: &Worker) {
        for (ticket, completion) in worker.take_completions(&self.process) {
            self.wake(ticket, completion.into());
        }
    }

    /// Runs one coroutine until it stops; `Some` if the slice ends with that.
    pub(super) fn resume(self: &Rc<Self>, index: u32) -> Option<Step> {
        let (thread, arguments, woken) = self.with_coroutine(index, |coroutine| {
            let arguments = std::mem::take(&mut coroutine.arguments);
            (coroutine.thread.take(), arguments, coroutine.woken.take())
        })?;
        let thread = thread?;
        if let Some(woken) = woken {
            self.host.set_woken(*woken);
        }
        let stopped = self
            .host
            .run_as(self, index, || raw::resume_process(&thread, &self.host.lua, arguments));
        match stopped {
            Stopped::Waiting => {
                self.put_back(index, thread);
                None
            }
            Stopped::Loaded => {
                self.put_back(index, thread);
                self.make_ready(index);
                Some(Step::Loaded)
            }
            Stopped::Yielded => {
                self.put_back(index, thread);
                self.make_ready(index);
                Some(Step::Ready)
            }
            Stopped::Returned(_) if index != 0 => {
                self.drop_coroutine(index);
                None
            }
            Stopped::Returned(_) => {
                Some(Step::Done(self.host.run_as(self, 0, || self.outcome(thread.stack()))))
            }
            Stopped::Failed => {
                let error = self.host.run_as(self, index, || self.host.raised(thread.stack()));
                Some(Step::Done(Outcome::Failed(error)))
            }
        }
    }

    fn put_back(&self, index: u32, thread: Thread) {
        self.with_coroutine(index, |coroutine| coroutine.thread = Some(thread));
    }

    fn drop_coroutine(&self, index: u32) {
        if let Some(entry) = self.coroutines.borrow_mut().get_mut(index as usize) {
            *entry = None;
        }
    }

    /// What the values that main returned mean (process.md section 9).
    fn outcome(&self, stack: Stack<'_>) -> Outcome {
        match stack.kind(2) {
            Kind::String => {
                let text = String::from_utf8_lossy(stack.str(2).unwrap_or_default()).into_owned();
                return Outcome::Failed(ErrorValue::new(kind::INTERNAL, text));
            }
            Kind::Userdata => {
                if let Some(error) = self.host.read_error(stack, 2) {
                    return Outcome::Failed(error.across_boundary());
                }
            }
            _ => {}
        }
        if stack.top() == 0 {
            return Outcome::Normal(Values::NIL);
        }
        stack.set_top(1);
        match raw::copy_out(&self.host, stack, 1) {
            Ok(value) => Outcome::Normal(value),
            Err(error) => {
                let text = format!("main returned {error}");
                Outcome::Failed(ErrorValue::new(kind::INVALID, text))
            }
        }
    }

    /// Ends the process from inside a slice, as soon as the running coroutine suspends.
    pub(super) fn fail(&self, outcome: Outcome) {
        self.fatal.borrow_mut().get_or_insert_with(|| Box::new(outcome));
    }

    /// Whether the end of the process has been decided.
    pub(super) fn is_over(&self) -> bool {
        self.fatal.borrow().is_some()
    }

    fn run_ready(self: &Rc<Self>) -> Option<Step> {
        for _ in 0..RESUMPTIONS {
            let Some(index) = self.next_ready() else { return Some(self.idle()) };
            let step = self.resume(index);
            if let Some(outcome) = self.fatal.borrow_mut().take() {
                return Some(Step::Done(*outcome));
            }
            let upgrade = self.upgrade.borrow_mut().take();
            if let Some(upgrade) = upgrade {
                return Some(self.replace_code(*upgrade));
            }
            if step.is_some() {
                return step;
            }
            if self.process.is_doomed() {
                return Some(Step::Waiting);
            }
        }
        Some(Step::Ready)
    }

    fn next_ready(&self) -> Option<u32> {
        if let Some(index) = self.ready.borrow_mut().pop_front() {
            return Some(index);
        }
        self.pump();
        self.ready.borrow_mut().pop_front()
    }

    /// Nothing can run: the process waits, unless nothing can ever come.
    fn idle(&self) -> Step {
        let coroutines = self.coroutines.borrow();
        let is_stuck = coroutines.iter().flatten().all(|coroutine| coroutine.is_hopeless);
        if is_stuck && self.watched.borrow().is_empty() {
            let text = "all coroutines blocked with no pending operations";
            return Step::Done(Outcome::Failed(ErrorValue::new(kind::INTERNAL, text)));
        }
        Step::Waiting
    }

    /// Starts over with other code (process.md section 10).
    fn replace_code(self: &Rc<Self>, upgrade: Upgrade) -> Step {
        self.clear();
        self.process.mailbox().borrow_mut().reset_subscriptions();
        self.process.set_trap_links(false);
        self.process.set_entry(upgrade.program.id.clone());
        *self.program.borrow_mut() = upgrade.program;
        *self.arguments.borrow_mut() = Some(upgrade.arguments);
        match self.host.start_main(self) {
            Ok(()) => Step::Ready,
            Err(error) => {
                let message = format!("upgrade: create failed: {}", error.message);
                Step::Done(Outcome::Failed(ErrorValue { message: message.into(), ..error }))
            }
        }
    }

    fn clear(&self) {
        let coroutines = std::mem::take(&mut *self.coroutines.borrow_mut());
        for coroutine in coroutines.into_iter().flatten() {
            if let Some(timer) = coroutine.timer {
                self.host.worker().cancel_timer(timer);
            }
        }
        self.ready.borrow_mut().clear();
        self.watched.borrow_mut().clear();
        self.subscriptions.borrow_mut().clear();
        *self.globals.borrow_mut() = None;
        *self.loaded.borrow_mut() = None;
        self.waiting_inside.borrow_mut().clear();
    }
}

impl Body for LuaBody {
    fn run(&self, worker: &Rc<Worker>, _process: &Rc<Process>) -> Step {
        let Some(me) = self.me.upgrade() else { return Step::Done(Outcome::Terminated) };
        self.take_completions(worker);
        self.pump();
        me.run_ready().unwrap_or(Step::Ready)
    }

    fn abandon(&self) {
        self.clear();
    }

    fn describe(&self) -> Vec<String> {
        let coroutines = self.coroutines.borrow();
        let threads = coroutines.iter().flatten().filter_map(|coroutine| coroutine.thread.as_ref());
        threads.map(|thread| thread.stack().traceback()).collect()
    }
}
