use std::cell::Cell;
use std::ffi::CStr;
use std::sync::Arc;

use super::instance::ErrorOr;
use crate::id::GroupName;
use crate::lua::channel::Woken;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Object, Stack};
use crate::process::Message;
use crate::scope::{Operation, Pending, Reply, Scope};

/// A call of a scope's method under way.
pub(super) struct Call {
    pub(super) scope: Arc<Scope>,
    /// What it is about; none for the whole scope.
    pub(super) groups: Vec<GroupName>,
    /// What is to be sent, if it is a broadcast.
    pub(super) message: Option<Message>,
}

/// How one kind of call goes on with what the scope answered.
pub(super) trait Finish {
    /// The results, or `nil, err`.
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow;
}

/// What a call that waits for its turn keeps on the stack meanwhile.
pub(super) struct PendingObject(Cell<Option<(Pending, Call)>>);

impl Object for PendingObject {
    const NAME: &'static CStr = c"moonmesh.pg.pending";
    const LABEL: &'static str = "pg.pending";
}

/// Has `operation` done: at once if the scope is idle, else in its turn while the process waits.
/// Where Lua cannot suspend, the thread waits instead.
pub(super) fn take<F: Finish>(
    host: &Host,
    stack: Stack<'_>,
    call: Call,
    operation: Operation,
) -> Flow {
    let caller = host.process().serial();
    let operation = match call.scope.try_perform(caller, operation) {
        Ok(reply) => return F::finish(host, stack, call, reply),
        Err(operation) => operation,
    };
    let permit = match call.scope.reserve() {
        Ok(permit) => permit,
        Err(error) => return F::finish(host, stack, call, Err(error)),
    };
    match host.begin_wait(stack) {
        Some(ticket) => {
            let pending = call.scope.enqueue(permit, (caller, ticket), operation);
            stack.push_object(PendingObject(Cell::new(Some((pending, call)))));
            Flow::Wait(resumed::<F>)
        }
        None => {
            drop(permit);
            let reply = call.scope.perform(caller, operation);
            F::finish(host, stack, call, reply)
        }
    }
}

fn resumed<F: Finish>(host: &Host, stack: Stack<'_>) -> Flow {
    let woken = host.take_woken();
    let held = stack.object::<PendingObject>(-1).and_then(|object| object.0.take());
    let Some((pending, call)) = held else { return host.cannot_wait(stack, "pg") };
    match (woken, pending.take()) {
        (Woken::Done(_), Some(reply)) => F::finish(host, stack, call, reply),
        // The wait was refused after all, and the operation may be done by now or later.
        _ => host.cannot_wait(stack, "pg"),
    }
}

/// The results of a call that may fail before it begins.
pub(super) fn begin(host: &Host, begun: Result<Flow, ErrorOr>) -> Flow {
    begun.unwrap_or_else(|error| error.into_flow(host))
}
