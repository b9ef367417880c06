use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::{Address, Completion, Outcome, Ticket};
use crate::id::Serial;

/// Who is told when a process ends.
pub enum Watcher {
    /// A process gets an EXIT event (`process.monitor`).
    Process(Address),
    /// A coroutine waits for the result (`process.exec`, `funcs.call`).
    Caller(Serial, Ticket),
    /// Something outside the process world: called on the worker thread, must not block.
    Callback(Box<dyn FnOnce(Serial, Outcome) + Send>),
}

/// What a process has to do with others; most have none, so it is kept apart.
#[derive(Default)]
pub(super) struct Relations {
    /// Told at the end, in the order in which they asked.
    pub watchers: Vec<Watcher>,
    /// Processes among `watchers`.
    pub watched_by: FxHashSet<Address>,
    /// Processes that this one monitors.
    pub watching: FxHashSet<Address>,
    /// The other ends of links.
    pub links: FxHashSet<Address>,
    /// LOCAL names.
    pub names: Vec<SmolStr>,
    /// Processes that run a call for this one and are cancelled at its end.
    pub calls: FxHashSet<Serial>,
    /// Results that coroutines wait for, not yet taken.
    pub completions: Vec<(Ticket, Completion)>,
}

impl Relations {
    pub fn watch(&mut self, watcher: Watcher) {
        if let Watcher::Process(address) = &watcher
            && !self.watched_by.insert(address.clone())
        {
            return;
        }
        self.watchers.push(watcher);
    }

    pub fn unwatch(&mut self, watcher: &Address) {
        if self.watched_by.remove(watcher) {
            self.watchers.retain(|w| !matches!(w, Watcher::Process(a) if a == watcher));
        }
    }
}
