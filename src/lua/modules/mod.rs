//! The modules of scripts, one file each.

pub mod channel;
pub mod clock;
pub mod ctx;
pub mod errors;
pub mod json;
pub mod logger;
pub mod payload;
pub mod pg;
mod prelude;
pub mod process;
mod spec;
pub mod time;
pub mod uuid;

#[cfg(test)]
pub(crate) mod snippets;

use std::rc::{Rc, Weak};

pub use prelude::prelude_primitives;

use crate::lua::host::Host;
use crate::lua::sandbox::{Sandbox, freeze};
use crate::lua::{Output, copy_value, to_lua};

/// The names of all modules that `modules:` may list.
pub const NAMES: &[&str] =
    &["channel", "ctx", "errors", "json", "logger", "payload", "pg", "process", "time", "uuid"];

/// Makes every module of a VM and the globals among them.
///
/// # Errors
/// Out of memory.
pub fn install(host: &Rc<Host>, sandbox: &Sandbox) -> mlua::Result<()> {
    let lua = &host.lua;
    let caller: Rc<dyn logger::Caller> = Rc::new(Running(Rc::downgrade(host)));
    let copier = Rc::downgrade(host);
    let payload = payload::table(lua, to_lua, move |lua, value| copy_value(&copier, lua, value))?;
    let time = time::table(lua)?;
    clock::extend(host, &time)?;
    let inheritor = Rc::downgrade(host);
    let context = move || match inheritor.upgrade() {
        Some(host) => host.identity().context,
        None => ctx::ContextValues::default(),
    };
    let modules = lua.create_table()?;
    for (name, table) in [
        ("channel", channel::table(host)?),
        ("ctx", ctx::table(lua, context)?),
        ("errors", errors::table(lua)?),
        ("json", json::table(lua)?),
        ("logger", logger::table(lua, &caller)?),
        ("payload", payload),
        ("pg", pg::table(host)?),
        ("process", process::table(host)?),
        ("time", time),
        ("uuid", uuid::table(lua)?),
    ] {
        modules.raw_set(name, freeze(lua, &table)?)?;
    }
    if let Some(spec) = host.services().spec.clone() {
        modules.raw_set("@spec", freeze(lua, &spec::table(host, spec)?)?)?;
    }
    for name in ["process", "channel", "errors", "payload"] {
        sandbox.set(lua, name, modules.raw_get(name)?)?;
    }
    let to = match &host.services().output {
        Output::Log => logger::PrintTo::Log(caller.clone()),
        Output::Lines(sink) => {
            let sink = sink.clone();
            logger::PrintTo::Lines(Rc::new(move |line| sink(line)))
        }
    };
    sandbox.base().raw_set("print", logger::print_function(lua, to)?)?;
    sandbox.base().raw_set("warn", logger::warn_function(lua, caller)?)?;
    lua.set_named_registry_value(prelude::MODULES, modules)
}

/// The process that runs, for its log records.
struct Running(Weak<Host>);

impl logger::Caller for Running {
    fn pid(&self) -> String {
        let host = self.0.upgrade();
        host.map(|host| host.pid_text(host.process().serial())).unwrap_or_default()
    }

    fn entry(&self) -> String {
        let host = self.0.upgrade();
        host.map(|host| host.process().entry().to_string()).unwrap_or_default()
    }
}
