//! What `lua/prelude.lua` is given: the primitives that scripts do not see themselves.

use std::rc::Rc;

use mlua::{MultiValue, Value};

use crate::lua::error::raise_text;
use crate::lua::host::Host;
use crate::lua::raw::{self, Anchor, Flow, Kind, Stack, Thread, push_values};
use crate::lua::{Modules, Program};
use crate::process::{Outcome, Step};
use crate::value::{ErrorValue, kind};

/// The name under which the registry keeps the table of built-in modules.
pub(super) const MODULES: &str = "moonmesh.modules";

/// The prelude's table of primitives.
///
/// # Errors
/// Out of memory.
pub fn prelude_primitives(host: &Rc<Host>) -> mlua::Result<mlua::Table> {
    let table = host.lua.create_table()?;
    let (resume, wrap) = raw::install_coroutines(&host.lua, host)?;
    table.raw_set("resume", resume)?;
    table.raw_set("wrap", wrap)?;
    table.raw_set("loaded", host.primitive(loaded)?)?;
    table.raw_set("loaded_libraries", host.primitive(loaded_libraries)?)?;
    table.raw_set("spawn_coroutine", host.primitive(spawn_coroutine)?)?;
    table.raw_set("is_in_wait", host.primitive(is_in_wait)?)?;
    table.raw_set("no_method", host.primitive(no_method)?)?;
    table.raw_set("resolve", host.function(resolve)?)?;
    Ok(table)
}

/// Says that the process's code is loaded; goes on, when it is to begin, with main's arguments.
fn loaded(host: &Host, stack: Stack<'_>) -> Flow {
    if !stack.is_yieldable() {
        return host.cannot_wait(stack, "the start of a process");
    }
    Flow::Loaded(begin)
}

fn begin(host: &Host, stack: Stack<'_>) -> Flow {
    stack.set_top(0);
    let arguments = host.current().take_arguments();
    Flow::Return(push_values(host, stack, &arguments))
}

fn loaded_libraries(host: &Host, stack: Stack<'_>) -> Flow {
    let body = host.current();
    let mut loaded = body.loaded.borrow_mut();
    match &*loaded {
        Some(table) => table.push(stack),
        None => {
            stack.new_table(0, 1);
            stack.push_value(-1);
            *loaded = Some(Anchor::take(&host.lua, stack));
        }
    }
    Flow::Return(1)
}

/// `coroutine.spawn(fn, ...)`: runs it up to its first wait, then goes on (channel.md section 4).
fn spawn_coroutine(host: &Host, stack: Stack<'_>) -> Flow {
    if stack.kind(1) != Kind::Function {
        return host.wrong_type(stack, 1, "spawn", "function");
    }
    let body = host.current();
    let thread = Thread::new(&host.lua);
    let arguments = stack.top() - 1;
    thread.move_from(stack, arguments + 1);
    thread.push_self(stack);
    let coroutine = body.add_coroutine(thread, arguments);
    if let Some(Step::Done(outcome)) = body.resume(coroutine) {
        body.fail(match outcome {
            Outcome::Normal(_) => return Flow::Return(1),
            failed => failed,
        });
    }
    if body.is_over() && stack.is_yieldable() {
        return Flow::Wait(|_, _| Flow::Return(0));
    }
    Flow::Return(1)
}

fn is_in_wait(host: &Host, stack: Stack<'_>) -> Flow {
    let is_in_wait = stack.kind(1) == Kind::Thread && host.is_in_wait(stack.address(1));
    stack.push_bool(is_in_wait);
    Flow::Return(1)
}

fn no_method(host: &Host, stack: Stack<'_>) -> Flow {
    let method = String::from_utf8_lossy(stack.str(1).unwrap_or_default());
    let text = format!("method \"{method}\" not found in module");
    host.push_error(stack, ErrorValue::new(kind::NOT_FOUND, text));
    Flow::Return(1)
}

/// Finds what `require(name)` means for a program (nil: the process's own): a built-in module, or
/// `nil`, the function that makes the library's chunk, and its id.
fn resolve(host: &Rc<Host>, (program, name): (Option<String>, Value)) -> mlua::Result<MultiValue> {
    let lua = &host.lua;
    let Value::String(name) = &name else {
        return Err(crate::lua::error::bad_argument(lua, 1, "string", &name));
    };
    let name = name.to_string_lossy();
    let own = host.current().program();
    let program = match program {
        None => own,
        Some(id) => host.services().programs.get(&id).unwrap_or(own),
    };
    if program.modules.contains(&name) || is_global(&name) {
        let modules: mlua::Table = lua.named_registry_value(MODULES)?;
        if let Value::Table(module) = modules.raw_get(&*name)? {
            return Ok(MultiValue::from_iter([Value::Table(module)]));
        }
    }
    let library = program.imports.get(&*name).and_then(|id| {
        host.services().programs.get(id.as_str()).map(|library| (id.to_string(), library))
    });
    match library {
        Some((id, library)) => {
            let factory = host.compile(&library).map_err(crate::lua::error::raise)?;
            let factory: Value = factory.to_mlua(lua)?;
            let id = Value::String(lua.create_string(id)?);
            Ok(MultiValue::from_iter([Value::Nil, factory, id]))
        }
        None => Err(raise_text(lua, not_available(lua, &program, &name)?)),
    }
}

/// Modules that every script has as globals need not be listed.
fn is_global(name: &str) -> bool {
    matches!(name, "process" | "channel" | "errors" | "payload")
}

fn not_available(lua: &mlua::Lua, program: &Program, name: &str) -> mlua::Result<String> {
    let modules: mlua::Table = lua.named_registry_value(MODULES)?;
    let is_known = modules.contains_key(name)?;
    let advice = match (&program.modules, is_known) {
        (Modules::All, _) => "there is no such module".to_owned(),
        (_, true) => format!("add it to modules: of {}", program.id),
        (_, false) => format!("add it to modules: or imports: of {}", program.id),
    };
    Ok(format!("module '{name}' is not available: {advice}"))
}
