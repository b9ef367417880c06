//! Layer 4: Lua VMs, environments, and one file per Lua module.
//!
//! Each worker thread has one VM ([`LuaFactory`]). A process is a [`LuaBody`]: a coroutine with an
//! environment of its own, and those it spawned. [`host::Host`] is what the functions of a VM share;
//! `raw` is the only part that speaks Lua's C API.

mod body;
mod channel;
pub mod error;
mod factory;
/// What the functions of one VM share.
pub mod host;
mod identity;
pub mod modules;
mod pid;
pub mod plain;
mod program;
mod raw;
pub mod sandbox;
mod services;
pub mod spec;
mod start;
mod vm;

#[cfg(test)]
mod tests;

use std::rc::{Rc, Weak};

pub use body::LuaBody;
pub use factory::{LuaFactory, Seed};
pub use identity::{ActorObject, Identity, ScopeObject, actor_argument, scope_argument};
pub use pid::ClusterNames;
pub use plain::to_lua;
pub use program::{Modules, Program, Programs, Role};
pub use services::{Output, Services};
pub use start::{VmMemory, start};
pub use vm::check_syntax;

use crate::value::{ErrorValue, Values, kind};

/// A copy of one value of mlua's, or why it cannot be copied.
///
/// # Errors
/// Out of memory.
pub fn copy_value(
    host: &Weak<host::Host>,
    lua: &mlua::Lua,
    value: mlua::Value,
) -> mlua::Result<Result<Values, ErrorValue>> {
    match host.upgrade() {
        Some(host) => copy_with(&host, lua, value),
        None => Ok(Err(ErrorValue::new(kind::UNAVAILABLE, "the node has stopped"))),
    }
}

fn copy_with(
    host: &Rc<host::Host>,
    lua: &mlua::Lua,
    value: mlua::Value,
) -> mlua::Result<Result<Values, ErrorValue>> {
    let thread = raw::Thread::new(lua);
    let stack = thread.stack();
    stack.push_mlua(lua, value)?;
    let copied = raw::copy_out(host, stack, 1);
    Ok(copied.map_err(|error| ErrorValue::new(kind::INVALID, error.to_string())))
}
