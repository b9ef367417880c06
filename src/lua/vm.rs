use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::body::LuaBody;
use super::host::Host;
use super::raw::{Anchor, Thread};
use super::{Program, Role, modules};
use crate::lua::sandbox::{Sandbox, host_chunk};
use crate::value::{ErrorValue, kind};

/// The parts of a VM that processes start from.
pub(super) struct Vm {
    boot: Anchor,
    boot_script: Anchor,
    environment_metatable: Anchor,
    /// Compiled programs; the `Arc` keeps the address from being used again.
    compiled: RefCell<FxHashMap<*const Program, Compiled>>,
}

type Compiled = (Arc<Program>, Rc<Anchor>);

/// Programs that a VM keeps compiled; beyond it starts afresh.
const MAX_COMPILED: usize = 10_000;

/// Prepares the VM of a host: sandbox, prelude, modules.
///
/// # Errors
/// A mistake in the host's own Lua code.
pub(super) fn open(host: &Rc<Host>) -> mlua::Result<()> {
    let lua = &host.lua;
    let failer = host.function(|host, ()| super::error::nil_err(&host.lua, host.take_failure()))?;
    lua.set_named_registry_value("moonmesh.failer", failer)?;
    let for_environment = Rc::downgrade(host);
    let sandbox = Sandbox::new(lua, move |lua| match for_environment.upgrade() {
        Some(host) => host.current().globals(lua),
        None => lua.create_table(),
    })?;
    host.learn_error_metatable()?;
    let primitives = modules::prelude_primitives(host)?;
    let prelude: mlua::Table = host_chunk(lua, "prelude", include_str!("../../lua/prelude.lua"))?
        .call((primitives, sandbox.base()))?;
    sandbox.set(lua, "coroutine", prelude.get("coroutine")?)?;
    modules::install(host, &sandbox)?;
    let keep = |name: &str| Anchor::keep(lua, prelude.get::<mlua::Value>(name)?);
    let vm = Vm {
        boot: keep("boot")?,
        boot_script: keep("boot_script")?,
        environment_metatable: keep("environment_metatable")?,
        compiled: RefCell::default(),
    };
    let _ = host.vm.set(vm);
    Ok(())
}

/// Checks the syntax of a script, without running it.
///
/// # Errors
/// Lua's message, with chunk name and line.
pub fn check_syntax(chunk_name: &str, source: &str) -> Result<(), String> {
    let lua = mlua::Lua::new();
    let source = without_shebang(source);
    match lua.load(&*source).set_name(format!("={chunk_name}")).into_function() {
        Ok(_) => Ok(()),
        Err(mlua::Error::SyntaxError { message, .. }) => Err(message),
        Err(error) => Err(error.to_string()),
    }
}

impl Host {
    fn vm(&self) -> &Vm {
        self.vm.get().unwrap_or_else(|| unreachable!("a worker opens its VM first"))
    }

    /// Puts the first coroutine of a process together; it has not run yet.
    ///
    /// # Errors
    /// A syntax error of the script.
    pub(super) fn start_main(&self, body: &LuaBody) -> Result<(), ErrorValue> {
        let program = body.program();
        let factory = self.compile(&program)?;
        let vm = self.vm();
        let thread = Thread::new(&self.lua);
        let stack = thread.stack();
        let boot = if program.role == Role::Script { &vm.boot_script } else { &vm.boot };
        boot.push(stack);
        factory.push(stack);
        stack.new_table(0, 1);
        stack.push_value(-1);
        stack.raw_set_field(-2, "_G");
        vm.environment_metatable.push(stack);
        stack.set_metatable(-2);
        stack.push_value(-1);
        body.set_globals(Anchor::take(&self.lua, stack));
        stack.push_str(&program.method);
        let coroutine = body.add_coroutine(thread, 3);
        body.make_ready(coroutine);
        Ok(())
    }

    /// The function that makes an instance of a program's chunk for an environment. Compiled once
    /// per VM: an instance shares the code and costs a closure.
    ///
    /// # Errors
    /// A syntax error of the script.
    pub(super) fn compile(&self, program: &Arc<Program>) -> Result<Rc<Anchor>, ErrorValue> {
        let compiled = &self.vm().compiled;
        if let Some((_, factory)) = compiled.borrow().get(&Arc::as_ptr(program)) {
            return Ok(factory.clone());
        }
        let factory = Rc::new(self.compile_anew(program)?);
        let mut compiled = compiled.borrow_mut();
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(Arc::as_ptr(program), (program.clone(), factory.clone()));
        Ok(factory)
    }

    fn compile_anew(&self, program: &Program) -> Result<Anchor, ErrorValue> {
        let syntax_error = |error: mlua::Error| match error {
            mlua::Error::SyntaxError { message, .. } => ErrorValue::new(kind::INVALID, message),
            other => ErrorValue::new(kind::INTERNAL, other.to_string()),
        };
        let name = format!("={}", program.chunk_name);
        let source = without_shebang(&program.source);
        // By itself first, so that a mistake is reported as the script's and cannot pair up with
        // the function around it.
        self.lua.load(&*source).set_name(&name).into_function().map_err(syntax_error)?;
        let wrapped = format!("local _ENV <const> = ... return function(...) {source}\nend");
        let factory =
            self.lua.load(wrapped).set_name(&name).into_function().map_err(syntax_error)?;
        Anchor::keep(&self.lua, factory).map_err(syntax_error)
    }
}

fn without_shebang(source: &str) -> std::borrow::Cow<'_, str> {
    match source.strip_prefix("#!") {
        Some(rest) => format!("--{rest}").into(),
        None => source.into(),
    }
}
