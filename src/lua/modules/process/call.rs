use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::id::HostIndex;
use crate::lua::channel::Woken;
use crate::lua::host::Host;
use crate::lua::raw::{self, Flow, Stack};
use crate::lua::{Identity, Program, Seed};
use crate::process::{
    Address, Completion, Due, Signal, SpawnReply, SpawnRequest, Spawned, Ticket, Ties, Watcher,
};
use crate::value::{ErrorValue, Values, kind};

/// A process that is started to be waited for: `process.exec`, `funcs.call`.
pub struct Callee {
    /// Its code.
    pub program: Arc<Program>,
    /// Where it runs.
    pub host: HostIndex,
    /// What main is called with.
    pub arguments: Values,
    /// On whose behalf it acts.
    pub identity: Identity,
    /// How long the caller waits.
    pub timeout: Option<Duration>,
}

/// Starts a callee and waits for its result; `name` is the Lua function, for messages.
pub fn call(host: &Host, stack: Stack<'_>, name: &str, callee: Callee) -> Flow {
    let Some(ticket) = host.begin_wait(stack) else { return host.cannot_wait(stack, name) };
    let timeout = callee.timeout;
    match start(host, callee, ticket) {
        Ok(()) => {}
        Err(error) => {
            host.current().abort_wait(ticket.coroutine);
            return host.fail(ErrorValue { kind: kind::INTERNAL.into(), ..error });
        }
    }
    if let Some(timeout) = timeout {
        let due = Due::Ticket(host.process().serial(), ticket);
        let timer = host.worker().arm_timer(Instant::now() + timeout, due);
        host.current().set_timer(ticket, timer);
    }
    Flow::Wait(called)
}

fn start(host: &Host, callee: Callee, ticket: Ticket) -> Result<(), ErrorValue> {
    let caller = host.process();
    let me = caller.serial();
    let Callee { program, host: on, arguments, identity, .. } = callee;
    let request = SpawnRequest {
        entry: program.id.clone(),
        host: on,
        seed: Box::new(Seed { program, arguments, identity }),
        name: None,
        messages: Vec::new(),
        watcher: Some(Watcher::Caller(me, ticket)),
        parent: None,
        ties: Ties::default(),
    };
    let runtime = host.runtime().clone();
    let reply = SpawnReply::Callback(Box::new(move |started| match started {
        Ok(child) => {
            let _ = runtime.signal(&Address::Local(me), Signal::CallStarted(child.serial()));
        }
        Err(error) => {
            let error = ErrorValue { kind: kind::INTERNAL.into(), ..error };
            runtime.complete(me, ticket, Completion::Done(Err(error)));
        }
    }));
    match host.worker().spawn(request, reply) {
        Spawned::Started(child) => {
            host.worker().remember_call(&caller, child.serial());
            Ok(())
        }
        Spawned::Pending => Ok(()),
        Spawned::Failed(error) => Err(error),
    }
}

/// Goes on with the callee's result.
pub fn called(host: &Host, stack: Stack<'_>) -> Flow {
    match host.take_woken() {
        Woken::Done(Ok(value)) => {
            if raw::push_values(host, stack, &value) == 0 {
                stack.push_nil();
            }
            stack.push_nil();
            Flow::Return(2)
        }
        Woken::Done(Err(error)) => host.fail(error.across_boundary()),
        Woken::Elapsed => {
            host.fail(ErrorValue::new(kind::TIMEOUT, "the call took too long").retryable())
        }
        _ => host.cannot_wait(stack, "a call"),
    }
}
