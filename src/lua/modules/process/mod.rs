//! The `process` module (process.md).

mod call;
mod message;
mod names;
mod options;
mod receive;
mod send;
mod spawn;
mod spawner;
mod ties;
mod upgrade;

use std::rc::Rc;

pub use call::{Callee, call, called};
pub use message::{push_message, push_payload_object};
pub use spawn::{copy_arguments, started};

use crate::lua::host::Host;
use crate::lua::raw::{Flow, Primitive, Stack};
use crate::process::events;

/// The module's table; registers the types.
///
/// # Errors
/// Out of memory.
pub fn table(host: &Rc<Host>) -> mlua::Result<mlua::Table> {
    let lua = &host.lua;
    message::register(host)?;
    spawner::register(host)?;
    let functions: &[(&str, Primitive)] = &[
        ("pid", pid),
        ("id", id),
        ("send", send::send),
        ("terminate", ties::terminate),
        ("cancel", ties::cancel),
        ("monitor", ties::monitor),
        ("unmonitor", ties::unmonitor),
        ("link", ties::link),
        ("unlink", ties::unlink),
        ("get_options", options::get),
        ("set_options", options::set),
        ("inbox", receive::inbox),
        ("events", receive::events),
        ("listen", receive::listen),
        ("unlisten", receive::unlisten),
        ("spawn", spawn::spawn),
        ("spawn_monitored", spawn::spawn_monitored),
        ("spawn_linked", spawn::spawn_linked),
        ("spawn_linked_monitored", spawn::spawn_linked_monitored),
        ("exec", spawn::exec),
        ("upgrade", upgrade::upgrade),
        ("with_context", spawner::with_context),
        ("with_options", spawner::with_options),
    ];
    let module = lua.create_table()?;
    for (name, function) in functions {
        module.raw_set(*name, host.primitive(*function)?)?;
    }
    let kinds = [
        ("CANCEL", events::CANCEL),
        ("EXIT", events::EXIT),
        ("LINK_DOWN", events::LINK_DOWN),
        ("OUTDATED", events::OUTDATED),
    ];
    module.raw_set("event", lua.create_table_from(kinds)?)?;
    module.raw_set("registry", names::table(host)?)?;
    Ok(module)
}

fn pid(host: &Host, stack: Stack<'_>) -> Flow {
    host.push_pid(stack, host.process().serial());
    Flow::Return(1)
}

fn id(host: &Host, stack: Stack<'_>) -> Flow {
    stack.push_str(host.process().entry().as_str());
    Flow::Return(1)
}
