//! What `lua/spec/main.lua` is given on a node that runs a spec: see [`SpecHost`].

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use mlua::chunk::ChunkMode;
use mlua::{Function, Table, Value};

use crate::lua::copy_with;
use crate::lua::error::raise_text;
use crate::lua::host::Host;
use crate::lua::raw::Thread;
use crate::lua::spec::{self, SpecHost};

/// The table of the module `@spec`.
///
/// # Errors
/// Out of memory.
pub(super) fn table(host: &Rc<Host>, run: Arc<dyn SpecHost>) -> mlua::Result<Table> {
    let table = host.lua.create_table()?;
    let began = Instant::now();
    let now_ms = move |_: &Rc<Host>, ()| Ok(began.elapsed().as_secs_f64() * 1e3);
    table.raw_set("now_ms", host.function(now_ms)?)?;
    table.raw_set("load", host.function(load)?)?;
    table.raw_set("dump", host.function(dump)?)?;
    table.raw_set("undump", host.function(undump)?)?;
    let of = run.clone();
    table.raw_set("settings", host.function(move |host, ()| settings(host, &*of))?)?;
    let of = run.clone();
    table.raw_set("chunk", host.function(move |host, ()| chunk(host, &*of))?)?;
    let of = run.clone();
    table.raw_set("report", host.function(move |host, event| report(host, &*of, event))?)?;
    let of = run.clone();
    let accepts = move |_: &Rc<Host>, (full_name, tags): (String, Vec<String>)| {
        Ok(of.accepts(&full_name, &tags))
    };
    table.raw_set("accepts", host.function(accepts)?)?;
    let of = run.clone();
    table.raw_set("order", host.function(move |_, count: usize| Ok(of.order(count)))?)?;
    table.raw_set("stopped", host.function(move |_, ()| Ok(run.is_stopped()))?)?;
    Ok(table)
}

fn settings(host: &Rc<Host>, run: &dyn SpecHost) -> mlua::Result<Table> {
    let settings = run.settings();
    let table = host.lua.create_table()?;
    table.raw_set("path", settings.path.as_str())?;
    table.raw_set("mode", if settings.lists_only { "list" } else { "run" })?;
    table.raw_set("timeout_ms", settings.timeout_ms)?;
    table.raw_set("is_shuffled", settings.is_shuffled)?;
    if let Some((name, method)) = &settings.entry {
        table.raw_set("name", name.as_str())?;
        table.raw_set("method", method.as_str())?;
    }
    Ok(table)
}

fn load(host: &Rc<Host>, name: String) -> mlua::Result<Function> {
    spec::part(&host.lua, &name, host.current().globals(&host.lua)?)
}

/// The compiled spec file, or nil and what Lua says is wrong with it.
fn chunk(host: &Rc<Host>, run: &dyn SpecHost) -> mlua::Result<(Option<Function>, Option<String>)> {
    let settings = run.settings();
    let chunk = host.lua.load(settings.source.as_str()).set_name(format!("={}", settings.path));
    let chunk = chunk.set_mode(ChunkMode::Text).set_environment(host.current().globals(&host.lua)?);
    match chunk.into_function() {
        Ok(function) => Ok((Some(function), None)),
        Err(mlua::Error::SyntaxError { message, .. }) => Ok((None, Some(message))),
        Err(error) => Err(error),
    }
}

fn report(host: &Rc<Host>, run: &dyn SpecHost, event: Value) -> mlua::Result<()> {
    let lua = &host.lua;
    let values = copy_with(host, lua, event)?.map_err(|error| raise_text(lua, &*error.message))?;
    let event = values.to_json().map_err(|error| raise_text(lua, error.to_string()))?;
    event.into_iter().for_each(|event| run.report(event));
    Ok(())
}

/// The code of a function, to be run in another process; nil and why it cannot leave its own.
fn dump(
    host: &Rc<Host>,
    function: Value,
) -> mlua::Result<(Option<mlua::LuaString>, Option<String>)> {
    let Value::Function(function) = function else {
        return Ok((None, Some(format!("a function is expected, not a {}", function.type_name()))));
    };
    let thread = Thread::new(&host.lua);
    let stack = thread.stack();
    stack.push_mlua(&host.lua, function.clone())?;
    let captured: Vec<String> =
        stack.upvalue_names(-1).into_iter().filter(|name| name != "_ENV").collect();
    if !captured.is_empty() {
        let names = captured.join(", ");
        let text = format!(
            "a process has its own values: the function uses {names} from around it; pass them as \
             arguments, or require modules inside it"
        );
        return Ok((None, Some(text)));
    }
    let code = function.dump(false);
    if code.is_empty() {
        return Ok((None, Some("a function of the host cannot be a process".to_owned())));
    }
    Ok((Some(host.lua.create_string(code)?), None))
}

fn undump(host: &Rc<Host>, code: mlua::LuaString) -> mlua::Result<Function> {
    let code = code.as_bytes().to_vec();
    let chunk = host.lua.load(code).set_mode(ChunkMode::Binary);
    chunk.set_environment(host.current().globals(&host.lua)?).into_function()
}
