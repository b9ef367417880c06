use std::rc::Rc;
use std::sync::atomic::Ordering;

use super::relations::Relations;
use super::{Address, Completion, Outcome, Process, Signal, Watcher, Worker, events};
use crate::id::Serial;

/// The reason a called process gets when its caller has ended (process.md section 6).
const CALLER_GONE: &str = "caller context canceled";

/// What a called process is told when its caller has ended.
pub(super) fn caller_gone() -> Signal {
    Signal::Cancel { from: events::NOBODY.into(), reason: CALLER_GONE.into() }
}

impl Worker {
    /// Ends a process, in the order that process.md section 9 and report R10 ask for: from here
    /// on it cannot be reached; its names are free; exit hooks have cleaned up; then monitors are
    /// told, then links, then the calls that ran for it are cancelled.
    pub(super) fn finish(self: &Rc<Self>, process: &Rc<Process>, outcome: Outcome) {
        if process.is_loading.get() {
            self.failed_to_load(process, outcome);
            return;
        }
        let serial = process.serial();
        self.link().slots.vacate(serial);
        process.abandon();
        let relations = process.relations.borrow_mut().take();
        if let Some(relations) = &relations {
            self.runtime.names().release(serial, &relations.names);
        }
        if process.is_exit_hooked() {
            self.run_exit_hooks(serial);
        }
        self.remove(serial);
        self.count_exit(serial, &outcome);
        if let Some(relations) = relations {
            self.announce_exit(serial, *relations, &outcome);
        }
    }

    pub(super) fn run_exit_hooks(&self, serial: Serial) {
        let hooks = self.runtime.0.hooks.read().clone();
        hooks.iter().for_each(|hook| hook.process_exited(serial));
    }

    fn announce_exit(self: &Rc<Self>, serial: Serial, relations: Relations, outcome: &Outcome) {
        let me = Address::Local(serial);
        for watcher in relations.watchers {
            match watcher {
                Watcher::Process(address) => {
                    let _ = self.send_signal(&address, Signal::Exit(me.clone(), outcome.clone()));
                }
                Watcher::Caller(caller, ticket) => {
                    self.forget_call(caller, serial);
                    self.runtime.complete(caller, ticket, Completion::Done(outcome.result()));
                }
                Watcher::Callback(call) => call(serial, outcome.clone()),
            }
        }
        for peer in relations.links {
            let signal = match outcome.result() {
                Err(error) => Signal::LinkDown(me.clone(), error),
                Ok(_) => Signal::LinkGone(me.clone()),
            };
            let _ = self.send_signal(&peer, signal);
        }
        for target in relations.watching {
            let _ = self.send_signal(&target, Signal::Demonitor(me.clone()));
        }
        for call in relations.calls {
            let _ = self.send_signal(&Address::Local(call), caller_gone());
        }
    }

    /// Remembers that `callee` runs a call for `caller`, to be cancelled when the caller ends.
    pub fn remember_call(&self, caller: &Process, callee: Serial) {
        caller.with_relations(|relations| relations.calls.insert(callee));
    }

    fn forget_call(&self, caller: Serial, callee: Serial) {
        if let Some(caller) = self.process(caller) {
            caller.with_relations(|relations| relations.calls.remove(&callee));
        }
    }

    fn count_exit(&self, serial: Serial, outcome: &Outcome) {
        self.runtime.hosts().with(serial.host_index(), |host| {
            let counter = match outcome {
                Outcome::Normal(_) => &host.counters.exited_normally,
                Outcome::Failed(_) => &host.counters.exited_with_error,
                Outcome::Terminated => &host.counters.terminated,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            host.counters.running.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
