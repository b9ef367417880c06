//! The `pg` module: process groups for scripts (pg.md section 2).

mod argument;
mod broadcast;
mod fault;
mod instance;
mod list;
mod membership;
mod subscription;
#[cfg(test)]
mod tests;
mod turn;

use std::rc::Rc;

use instance::Instance;
use subscription::SubscriptionObject;
use turn::PendingObject;

use crate::lua::host::Host;
use crate::lua::raw::{self, Flow, Primitive, Stack};
use crate::value::{ErrorValue, kind};

/// The module's table; registers the types.
///
/// # Errors
/// Out of memory.
pub fn table(host: &Rc<Host>) -> mlua::Result<mlua::Table> {
    let lua = &host.lua;
    let class = |functions: &[(&str, Primitive)]| -> mlua::Result<mlua::Table> {
        let methods = lua.create_table()?;
        for (name, function) in functions {
            methods.raw_set(*name, host.primitive(*function)?)?;
        }
        Ok(methods)
    };
    let methods = class(&[
        ("join", membership::join),
        ("leave", membership::leave),
        ("get_members", list::get_members),
        ("get_local_members", list::get_local_members),
        ("which_groups", list::which_groups),
        ("which_local_groups", list::which_local_groups),
        ("broadcast", broadcast::broadcast),
        ("broadcast_local", broadcast::broadcast_local),
        ("monitor", subscription::monitor),
        ("events", subscription::events),
        ("release", instance::release),
    ])?;
    let text = host.primitive(instance::text)?;
    raw::register_class::<Instance>(lua, methods, Some(text))?;
    let methods = class(&[
        ("channel", subscription::channel),
        ("close", subscription::close),
        ("dropped", subscription::dropped),
    ])?;
    raw::register_class::<SubscriptionObject>(lua, methods, None)?;
    raw::register_class::<PendingObject>(lua, lua.create_table()?, None)?;
    class(&[("open", open)])
}

fn open(host: &Host, stack: Stack<'_>) -> Flow {
    let call = "pg.open";
    let id = match argument::text(host, stack, 1, "open", "scope id") {
        Ok(id) => id,
        Err(error) => return error.into_flow(host),
    };
    if id.is_empty() {
        return host.fail(ErrorValue::new(kind::INVALID, "pg.open: the scope id is empty"));
    }
    if let Err(error) = instance::require_on_scope(host, call, id) {
        return host.fail(error);
    }
    let scope = match host.services().scopes.get().map(|scopes| scopes.open(id)) {
        Some(Ok(scope)) => scope,
        Some(Err(_)) => {
            let text = format!("pg.open: no pg.scope entry is called \"{id}\"");
            return host.fail(ErrorValue::new(kind::NOT_FOUND, text));
        }
        None => {
            return host.fail(ErrorValue::new(kind::UNAVAILABLE, "pg.open: no scopes run here"));
        }
    };
    if !scope.is_running() {
        return host.fail(fault::of_scope(call, id, &crate::scope::ScopeError::Stopped));
    }
    stack.push_object(Instance::new(scope));
    stack.push_nil();
    Flow::Return(2)
}
