use std::rc::Rc;

use crate::id::Pid;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Kind, Stack};
use crate::process::{Address, Signal};
use crate::security::Check;
use crate::value::{ErrorValue, kind};

/// Where a name is valid (process.md section 8).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Local,
    Eventual,
    /// Consensus scopes, which this host does not have.
    Absent(&'static str),
}

pub(super) fn table(host: &Rc<Host>) -> mlua::Result<mlua::Table> {
    let table = host.lua.create_table()?;
    table.raw_set("register", host.primitive(register)?)?;
    table.raw_set("lookup", host.primitive(lookup)?)?;
    table.raw_set("unregister", host.primitive(unregister)?)?;
    for (name, value) in [("LOCAL", 0), ("EVENTUAL", 1), ("CONSISTENT", 2), ("STRONG", 3)] {
        table.raw_set(name, value)?;
    }
    Ok(table)
}

fn register(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(name) = stack.text(1) else { return host.wrong_type(stack, 1, "register", "string") };
    match owner(host, stack).and_then(|owner| give(host, stack, name, owner)) {
        Ok(()) => {
            stack.push_bool(true);
            stack.push_nil();
            Flow::Return(2)
        }
        Err(error) => host.fail(error),
    }
}

fn give(host: &Host, stack: Stack<'_>, name: &str, owner: Address) -> Result<(), ErrorValue> {
    let reach = reach(stack, 3)?;
    check(host, "register", name, reach)?;
    let me = host.process();
    if owner != Address::Local(me.serial()) {
        let pid = host.address_text(&owner);
        host.require(&Check::new("process.registry.foreign", &pid), || {
            format!("not allowed to register foreign pid {pid} under name \"{name}\"")
        })?;
    }
    let Address::Local(serial) = owner else {
        let text = "pid is not a process of this node";
        return Err(ErrorValue::new(kind::INVALID, text));
    };
    if !host.runtime().is_alive(serial) {
        return Err(ErrorValue::new(kind::NOT_FOUND, "process not found"));
    }
    match reach {
        Reach::Local => {
            if host.runtime().names().register(name, serial) != serial {
                return Err(ErrorValue::new(kind::ALREADY_EXISTS, "name already registered"));
            }
            own(host, owner, Signal::OwnsName(name.into()));
            Ok(())
        }
        Reach::Eventual => match host.services().cluster_names() {
            Some(names) => {
                own(host, owner, Signal::HookExit);
                names.register(name, serial)
            }
            None => Err(unavailable("eventual")),
        },
        Reach::Absent(_) => Err(unavailable("global")),
    }
}

/// Tells the owner's process what to clean up at its end.
fn own(host: &Host, owner: Address, signal: Signal) {
    let _ = host.worker().send_signal(&owner, signal);
}

fn lookup(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(name) = stack.text(1) else { return host.wrong_type(stack, 1, "lookup", "string") };
    match host.lookup_name(name) {
        Some(address) => {
            stack.push_str(host.address_text(&address));
            stack.push_nil();
            Flow::Return(2)
        }
        None => host.fail(ErrorValue::new(kind::NOT_FOUND, "name not registered")),
    }
}

fn unregister(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(name) = stack.text(1) else {
        return host.wrong_type(stack, 1, "unregister", "string");
    };
    let removed = reach(stack, 2).and_then(|reach| {
        check(host, "unregister", name, reach)?;
        match reach {
            Reach::Local => Ok(host.runtime().names().unregister(name).is_some()),
            Reach::Eventual => match host.services().cluster_names() {
                Some(names) => Ok(names.unregister(name)),
                None => Err(unavailable("eventual")),
            },
            Reach::Absent(_) => Err(unavailable("global")),
        }
    });
    match removed {
        Ok(removed) => {
            stack.push_bool(removed);
            Flow::Return(1)
        }
        Err(error) => host.fail(error),
    }
}

/// The process that gets the name: the second argument, else the caller.
fn owner(host: &Host, stack: Stack<'_>) -> Result<Address, ErrorValue> {
    match stack.kind(2) {
        Kind::None | Kind::Nil => Ok(Address::Local(host.process().serial())),
        Kind::String => stack
            .text(2)
            .unwrap_or_default()
            .parse::<Pid>()
            .map(|pid| host.runtime().address(pid))
            .map_err(|error| ErrorValue::new(kind::INVALID, error.to_string())),
        _ => Err(ErrorValue::new(kind::INVALID, "pid must be a string")),
    }
}

fn reach(stack: Stack<'_>, index: i32) -> Result<Reach, ErrorValue> {
    let wrong = "scope must be a number (process.registry.LOCAL, EVENTUAL, CONSISTENT or STRONG)";
    match (stack.kind(index), stack.integer(index)) {
        (Kind::None | Kind::Nil, _) | (Kind::Number, Some(0)) => Ok(Reach::Local),
        (Kind::Number, Some(1)) => Ok(Reach::Eventual),
        (Kind::Number, Some(2)) => Ok(Reach::Absent("consistent")),
        (Kind::Number, Some(3)) => Ok(Reach::Absent("strong")),
        _ => Err(ErrorValue::new(kind::INVALID, wrong)),
    }
}

fn check(host: &Host, verb: &str, name: &str, reach: Reach) -> Result<(), ErrorValue> {
    let suffix = match reach {
        Reach::Local => None,
        Reach::Eventual => Some("eventual"),
        Reach::Absent(name) => Some(name),
    };
    let action = match suffix {
        None => format!("process.registry.{verb}"),
        Some(suffix) => format!("process.registry.{verb}.{suffix}"),
    };
    host.require(&Check::new(&action, name), || match suffix {
        None => format!("not allowed to {verb} name: {name}"),
        Some(suffix) => format!("not allowed to {verb} name ({suffix}): {name}"),
    })
}

fn unavailable(which: &str) -> ErrorValue {
    ErrorValue::new(kind::INTERNAL, format!("{which} registry not available"))
}
