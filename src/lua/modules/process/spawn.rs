use std::sync::Arc;

use super::call::{Callee, call};
use crate::id::{EntryId, HostIndex};
use crate::lua::channel::Woken;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Stack, copy_out};
use crate::lua::{Identity, Program, Role, Seed};
use crate::process::{Message, SpawnReply, SpawnRequest, Spawned, Ties};
use crate::security::Check;
use crate::value::{ErrorValue, Values, kind};

/// One of the four ways to spawn.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub name: &'static str,
    /// What the refusal calls it.
    adjective: &'static str,
    pub ties: Ties,
}

pub(super) const PLAIN: Variant =
    Variant { name: "spawn", adjective: "", ties: Ties { monitor: false, link: false } };
pub(super) const MONITORED: Variant = Variant {
    name: "spawn_monitored",
    adjective: "monitored ",
    ties: Ties { monitor: true, link: false },
};
pub(super) const LINKED: Variant = Variant {
    name: "spawn_linked",
    adjective: "linked ",
    ties: Ties { monitor: false, link: true },
};
pub(super) const LINKED_MONITORED: Variant = Variant {
    name: "spawn_linked_monitored",
    adjective: "linked monitored ",
    ties: Ties { monitor: true, link: true },
};

pub fn spawn(host: &Host, stack: Stack<'_>) -> Flow {
    spawn_variant(host, stack, PLAIN)
}

pub fn spawn_monitored(host: &Host, stack: Stack<'_>) -> Flow {
    spawn_variant(host, stack, MONITORED)
}

pub fn spawn_linked(host: &Host, stack: Stack<'_>) -> Flow {
    spawn_variant(host, stack, LINKED)
}

pub fn spawn_linked_monitored(host: &Host, stack: Stack<'_>) -> Flow {
    spawn_variant(host, stack, LINKED_MONITORED)
}

fn spawn_variant(host: &Host, stack: Stack<'_>, variant: Variant) -> Flow {
    if stack.top() < 2 {
        let text = format!("{} requires at least id and host arguments", variant.name);
        return host.fail(ErrorValue::new(kind::INVALID, text));
    }
    let (id, on) = match entry_and_host(host, stack, 1, variant.name) {
        Ok(pair) => pair,
        Err(flow) => return flow,
    };
    let order = check_spawn(host, variant, id, on)
        .and_then(|()| copy_arguments(host, stack, 3, variant.name))
        .and_then(|arguments| {
            let identity = host.identity();
            Order::find(host, id, on, arguments, identity)
        });
    match order {
        Ok(order) => start(host, stack, variant, order),
        Err(error) => host.fail(error),
    }
}

/// The two string arguments from `first` on.
pub(super) fn entry_and_host<'a>(
    host: &Host,
    stack: Stack<'a>,
    first: i32,
    function: &str,
) -> Result<(&'a str, &'a str), Flow> {
    let text = |index: i32| {
        stack
            .text(index)
            .ok_or_else(|| host.wrong_type(stack, index - first + 1, function, "string"))
    };
    Ok((text(first)?, text(first + 1)?))
}

/// The permissions of a spawn: the process, how it is tied, and the host. Every way checks all.
pub(super) fn check_spawn(
    host: &Host,
    variant: Variant,
    id: &str,
    on: &str,
) -> Result<(), ErrorValue> {
    let refusal = || format!("not allowed to spawn {}process: {id}", variant.adjective);
    host.require(&Check::new("process.spawn", id), refusal)?;
    if variant.ties.monitor {
        host.require(&Check::new("process.spawn.monitored", id), refusal)?;
    }
    if variant.ties.link {
        host.require(&Check::new("process.spawn.linked", id), refusal)?;
    }
    host.require(&Check::new("process.host", on), || format!("not allowed to spawn on host: {on}"))
}

/// Copies the arguments for another process's main.
///
/// # Errors
/// `Invalid` with the path of what cannot be sent.
pub fn copy_arguments(
    host: &Host,
    stack: Stack<'_>,
    first: i32,
    function: &str,
) -> Result<Values, ErrorValue> {
    copy_out(host, stack, first)
        .map_err(|error| ErrorValue::new(kind::INVALID, format!("{function}: {error}")))
}

/// A process to be started, looked up and checked.
pub(super) struct Order {
    pub program: Arc<Program>,
    pub host: HostIndex,
    pub arguments: Values,
    pub identity: Identity,
    pub name: Option<String>,
    pub messages: Vec<Message>,
}

impl Order {
    pub fn find(
        host: &Host,
        id: &str,
        on: &str,
        arguments: Values,
        identity: Identity,
    ) -> Result<Self, ErrorValue> {
        let not_found = |text: &str, key: &str, value: &str| {
            ErrorValue::new(kind::NOT_FOUND, text)
                .with_json_details(&serde_json::json!({ key: value }))
        };
        let index = host
            .runtime()
            .hosts()
            .find(on)
            .ok_or_else(|| not_found("host not found", "host_id", on))?;
        let program = host
            .services()
            .programs
            .get(id)
            .filter(|program| matches!(program.role, Role::Process | Role::Script))
            .ok_or_else(|| not_found("factory not found", "factory_id", id))?;
        let (name, messages) = (None, Vec::new());
        Ok(Self { program, host: index, arguments, identity, name, messages })
    }
}

/// Starts a process and answers its PID, after its code has been loaded.
pub(super) fn start(host: &Host, stack: Stack<'_>, variant: Variant, order: Order) -> Flow {
    let Some(ticket) = host.begin_wait(stack) else {
        return host.cannot_wait(stack, variant.name);
    };
    let me = host.process().serial();
    let Order { program, host: on, arguments, identity, name, messages } = order;
    let request = SpawnRequest {
        entry: program.id.clone(),
        host: on,
        seed: Box::new(Seed { program, arguments, identity }),
        name: name.map(Into::into),
        messages,
        watcher: None,
        parent: Some(me),
        ties: variant.ties,
    };
    match host.worker().spawn(request, SpawnReply::Ticket(me, ticket)) {
        Spawned::Started(child) => {
            host.current().abort_wait(ticket.coroutine);
            host.push_pid(stack, child.serial());
            stack.push_nil();
            Flow::Return(2)
        }
        Spawned::Failed(error) => {
            host.current().abort_wait(ticket.coroutine);
            host.fail(error)
        }
        Spawned::Pending => Flow::Wait(started),
    }
}

/// Goes on with the PID of a process that took a while to start.
pub fn started(host: &Host, stack: Stack<'_>) -> Flow {
    match host.take_woken() {
        Woken::Spawned(Ok(child)) => {
            host.push_pid(stack, child.serial());
            stack.push_nil();
            Flow::Return(2)
        }
        Woken::Spawned(Err(error)) => host.fail(error),
        _ => host.cannot_wait(stack, "spawn"),
    }
}

/// `process.exec(id, host, ...)`
pub fn exec(host: &Host, stack: Stack<'_>) -> Flow {
    exec_as(host, stack, 1, host.identity())
}

/// `exec` with the arguments from `first` on, on behalf of `identity`.
pub(super) fn exec_as(host: &Host, stack: Stack<'_>, first: i32, identity: Identity) -> Flow {
    let invalid = |text: &str| host.fail(ErrorValue::new(kind::INVALID, text));
    if stack.top() < first + 1 {
        return invalid("exec requires id and host arguments");
    }
    let (id, on) = match entry_and_host(host, stack, first, "exec") {
        Ok(pair) => pair,
        Err(flow) => return flow,
    };
    if id.is_empty() {
        return invalid("process ID required");
    }
    if id.parse::<EntryId>().is_err() {
        return invalid("invalid process ID format (namespace:name required)");
    }
    if on.is_empty() {
        return invalid("host ID required");
    }
    let allowed = host
        .require(&Check::new("process.exec", id), || format!("not allowed to exec process: {id}"))
        .and_then(|()| {
            let refusal = || format!("not allowed to exec on host: {on}");
            host.require(&Check::new("process.host", on), refusal)
        })
        .and_then(|()| copy_arguments(host, stack, first + 2, "exec"));
    let order = allowed.and_then(|arguments| {
        Order::find(host, id, on, arguments, identity)
            .map_err(|error| ErrorValue { kind: kind::INTERNAL.into(), ..error })
    });
    match order {
        Ok(Order { program, host: on, arguments, identity, .. }) => {
            let callee = Callee { program, host: on, arguments, identity, timeout: None };
            call(host, stack, "process.exec", callee)
        }
        Err(error) => host.fail(error),
    }
}
