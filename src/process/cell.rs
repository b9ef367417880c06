use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::relations::Relations;
use super::{Mailbox, Outcome, SpawnReply, Ties, Worker};
use crate::id::{EntryId, Serial};

/// One process on its worker thread.
pub struct Process {
    serial: Serial,
    entry: RefCell<EntryId>,
    mailbox: RefCell<Mailbox>,
    body: RefCell<Option<Rc<dyn Body>>>,
    pub(super) relations: RefCell<Option<Box<Relations>>>,
    /// Whoever waits for the start to succeed.
    pub(super) started: RefCell<Option<Box<PendingStart>>>,
    /// The end that was decided while the process could not be stopped.
    pub(super) doom: RefCell<Option<Box<Outcome>>>,
    pub(super) is_queued: Cell<bool>,
    pub(super) is_loading: Cell<bool>,
    is_exit_hooked: Cell<bool>,
    trap_links: Cell<bool>,
    upgradable: Cell<bool>,
}

pub(super) struct PendingStart {
    pub reply: SpawnReply,
    pub ties: Ties,
}

/// What runs inside a process. A body never runs on two threads, nor twice at a time.
pub trait Body {
    /// Goes on until everything inside waits, the time slice was cut, or the end.
    ///
    /// Before it answers [`Step::Waiting`] the body has taken everything that its waiting
    /// receivers can get; later arrivals wake the process.
    fn run(&self, worker: &Rc<Worker>, process: &Rc<Process>) -> Step;

    /// The process is over: frees everything; nothing of it may run again.
    fn abandon(&self);

    /// For people: one line for each coroutine, where it is and what it waits for.
    fn describe(&self) -> Vec<String>;
}

/// How a slice ended.
pub enum Step {
    /// Everything waits.
    Waiting,
    /// There is more to do.
    Ready,
    /// The code has been loaded; main has not begun.
    Loaded,
    /// The process is over.
    Done(Outcome),
}

impl Process {
    pub(super) fn new(serial: Serial, entry: EntryId) -> Self {
        Self {
            serial,
            entry: RefCell::new(entry),
            mailbox: RefCell::default(),
            body: RefCell::default(),
            relations: RefCell::default(),
            started: RefCell::default(),
            doom: RefCell::default(),
            is_queued: Cell::new(false),
            is_loading: Cell::new(true),
            is_exit_hooked: Cell::new(false),
            trap_links: Cell::new(false),
            upgradable: Cell::new(false),
        }
    }

    /// Its number.
    pub fn serial(&self) -> Serial {
        self.serial
    }

    /// The entry whose code it runs.
    pub fn entry(&self) -> EntryId {
        self.entry.borrow().clone()
    }

    /// Says that other code runs from now on (`process.upgrade`).
    pub fn set_entry(&self, entry: EntryId) {
        *self.entry.borrow_mut() = entry;
    }

    /// Its mailbox. Whoever takes a message gives its room back: [`Worker::take_message`].
    pub fn mailbox(&self) -> &RefCell<Mailbox> {
        &self.mailbox
    }

    /// What runs in it, from when it has been made to the end.
    pub fn body(&self) -> Option<Rc<dyn Body>> {
        self.body.borrow().clone()
    }

    pub(super) fn set_body(&self, body: Rc<dyn Body>) {
        *self.body.borrow_mut() = Some(body);
    }

    /// Frees what ran in it.
    pub(super) fn abandon(&self) {
        let body = self.body.borrow_mut().take();
        if let Some(body) = body {
            body.abandon();
        }
    }

    /// Whether failed links become events instead of the process's own failure.
    pub fn trap_links(&self) -> bool {
        self.trap_links.get()
    }

    /// Sets [`Process::trap_links`].
    pub fn set_trap_links(&self, on: bool) {
        self.trap_links.set(on);
    }

    /// Whether it wants OUTDATED events.
    pub fn upgradable(&self) -> bool {
        self.upgradable.get()
    }

    /// Sets [`Process::upgradable`].
    pub fn set_upgradable(&self, on: bool) {
        self.upgradable.set(on);
    }

    /// Asks for the runtime's exit hooks to be run at the end of this process. Without it they
    /// are not: most processes leave nothing behind.
    pub fn hook_exit(&self) {
        self.is_exit_hooked.set(true);
    }

    pub(super) fn is_exit_hooked(&self) -> bool {
        self.is_exit_hooked.get()
    }

    /// Whether its end has been decided.
    pub fn is_doomed(&self) -> bool {
        self.doom.borrow().is_some()
    }

    pub(super) fn with_relations<R>(&self, change: impl FnOnce(&mut Relations) -> R) -> R {
        change(self.relations.borrow_mut().get_or_insert_default())
    }
}
