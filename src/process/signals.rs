use std::rc::Rc;

use super::{
    Address, Message, Outcome, Process, Signal, Source, Undelivered, Watcher, Worker, events, exit,
};
use crate::id::Serial;
use crate::value::{ErrorValue, kind};

/// What a monitor or link of a process that does not exist reports.
pub fn no_process() -> ErrorValue {
    ErrorValue::new(kind::NOT_FOUND, "noproc")
}

impl Worker {
    /// `process.monitor`: one EXIT event to `watcher` when the target ends.
    ///
    /// # Errors
    /// `AlreadyMonitoring` or why the target cannot be reached.
    pub fn monitor(self: &Rc<Self>, watcher: &Process, target: &Address) -> Result<(), TieError> {
        let is_new = watcher.with_relations(|r| r.watching.insert(target.clone()));
        if !is_new {
            return Err(TieError::AlreadyMonitoring);
        }
        let signal = Signal::Monitor(Address::Local(watcher.serial()));
        self.send_signal(target, signal).inspect_err(|_| {
            watcher.with_relations(|r| r.watching.remove(target));
        })?;
        Ok(())
    }

    /// `process.unmonitor`: no EXIT of the target reaches the watcher after this returns.
    pub fn unmonitor(self: &Rc<Self>, watcher: &Process, target: &Address) {
        if watcher.with_relations(|r| r.watching.remove(target)) {
            let _ = self.send_signal(target, Signal::Demonitor(Address::Local(watcher.serial())));
        }
        let source = Source::Process(target.clone());
        watcher.mailbox().borrow_mut().retract(events::topic::EXIT, &source);
    }

    /// `process.link`: two-way, and still one link if made twice.
    ///
    /// # Errors
    /// Why the target cannot be reached.
    pub fn link_to(self: &Rc<Self>, process: &Process, target: &Address) -> Result<(), TieError> {
        if *target == Address::Local(process.serial()) {
            return Ok(());
        }
        let is_new = process.with_relations(|r| r.links.insert(target.clone()));
        let signal = Signal::Link(Address::Local(process.serial()));
        self.send_signal(target, signal).inspect_err(|_| {
            if is_new {
                process.with_relations(|r| r.links.remove(target));
            }
        })?;
        Ok(())
    }

    /// `process.unlink`: no LINK_DOWN of the pair reaches this side after this returns.
    pub fn unlink(self: &Rc<Self>, process: &Process, target: &Address) {
        if process.with_relations(|r| r.links.remove(target)) {
            let _ = self.send_signal(target, Signal::Unlink(Address::Local(process.serial())));
        }
        let source = Source::Process(target.clone());
        process.mailbox().borrow_mut().retract(events::topic::LINK_DOWN, &source);
    }

    /// Sends a signal; one to a process of this worker acts before this returns.
    ///
    /// # Errors
    /// As [`super::Runtime::signal`].
    pub fn send_signal(self: &Rc<Self>, to: &Address, signal: Signal) -> Result<(), Undelivered> {
        match to {
            Address::Local(serial) if self.process(*serial).is_some() => {
                self.handle_signal(*serial, signal);
                Ok(())
            }
            _ => self.runtime.signal(to, signal),
        }
    }

    pub(super) fn handle_signal(self: &Rc<Self>, to: Serial, signal: Signal) {
        let Some(process) = self.process(to) else {
            self.answer_for_the_dead(to, signal);
            return;
        };
        match signal {
            Signal::Cancel { from, reason } => {
                self.put_event(&process, events::cancel(&from, &reason));
            }
            Signal::Terminate => self.doom(&process, Outcome::Terminated),
            Signal::Monitor(watcher) => {
                process.with_relations(|r| r.watch(Watcher::Process(watcher)));
            }
            Signal::Demonitor(watcher) => process.with_relations(|r| r.unwatch(&watcher)),
            Signal::Link(peer) => {
                process.with_relations(|r| r.links.insert(peer));
            }
            Signal::Unlink(peer) | Signal::LinkGone(peer) => {
                process.with_relations(|r| r.links.remove(&peer));
            }
            Signal::LinkDown(peer, error) => self.link_down(&process, peer, &error),
            Signal::Exit(target, outcome) => {
                if process.with_relations(|r| r.watching.remove(&target)) {
                    let event = events::exit(&self.runtime.text(&target), &outcome);
                    self.put_event(&process, Message { source: Source::Process(target), ..event });
                }
            }
            Signal::OwnsName(name) => process.with_relations(|r| r.names.push(name)),
            Signal::HookExit => process.hook_exit(),
            Signal::CallStarted(callee) => self.remember_call(&process, callee),
            Signal::Outdated(sources) => {
                if process.upgradable() {
                    let pid = self.runtime.text(&Address::Local(to));
                    self.put_event(&process, events::outdated(&pid, &sources));
                }
            }
        }
    }

    /// Ends a process at its next suspension point, or now if it is suspended.
    pub(super) fn doom(&self, process: &Rc<Process>, outcome: Outcome) {
        process.doom.borrow_mut().get_or_insert_with(|| Box::new(outcome));
        self.make_ready(process);
    }

    fn link_down(&self, process: &Rc<Process>, peer: Address, error: &ErrorValue) {
        if !process.with_relations(|r| r.links.remove(&peer)) {
            return;
        }
        if process.trap_links() {
            let event = events::link_down(&self.runtime.text(&peer), error);
            self.put_event(process, Message { source: Source::Process(peer), ..event });
        } else {
            let error = ErrorValue::new(kind::INTERNAL, "linked process failed");
            self.doom(process, Outcome::Failed(error));
        }
    }

    fn put_event(&self, process: &Rc<Process>, event: Message) {
        if process.mailbox().borrow_mut().push(event) {
            self.make_ready(process);
        }
    }

    fn answer_for_the_dead(self: &Rc<Self>, dead: Serial, signal: Signal) {
        let (serial, dead) = (dead, Address::Local(dead));
        let _ = match signal {
            Signal::Monitor(watcher) => {
                self.send_signal(&watcher, Signal::Exit(dead, Outcome::Failed(no_process())))
            }
            Signal::Link(peer) => self.send_signal(&peer, Signal::LinkDown(dead, no_process())),
            Signal::OwnsName(name) => {
                self.runtime.names().release(serial, &[name]);
                Ok(())
            }
            Signal::HookExit => {
                self.run_exit_hooks(serial);
                Ok(())
            }
            Signal::CallStarted(callee) => {
                self.send_signal(&Address::Local(callee), exit::caller_gone())
            }
            _ => Ok(()),
        };
    }
}

/// Why a monitor or link was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TieError {
    /// The watcher monitors the target already.
    #[error("already monitoring pid")]
    AlreadyMonitoring,
    /// The target is dead or out of reach.
    #[error(transparent)]
    Unreachable(#[from] Undelivered),
}
