//! Runs tables of Lua snippets for the tests of the modules, in an environment as scripts have it.

use mlua::{Function, Lua, Table, Value};

use crate::lua::error::to_lua;
use crate::lua::modules::errors;
use crate::lua::sandbox::Sandbox;

/// A VM whose base environment holds the module under test.
pub struct Vm {
    lua: Lua,
    sandbox: Sandbox,
}

impl Vm {
    /// A VM with the base functions and `errors`.
    pub fn new() -> Self {
        let lua = Lua::new();
        let sandbox = Sandbox::new(&lua, |_| Err(mlua::Error::runtime("no process"))).unwrap();
        let vm = Self { lua, sandbox };
        vm.set("errors", errors::table(&vm.lua).unwrap());
        vm
    }

    /// The VM's state.
    pub fn lua(&self) -> &Lua {
        &self.lua
    }

    /// Adds the module `name`.
    pub fn set(&self, name: &str, module: Table) {
        self.sandbox.set(&self.lua, name, Value::Table(module)).unwrap();
    }

    /// Adds the function `name`.
    pub fn set_function(&self, name: &str, function: Function) {
        self.sandbox.set(&self.lua, name, Value::Function(function)).unwrap();
    }

    /// Runs each snippet in an environment of its own and reports all that fail.
    pub fn run(&self, snippets: &[(&str, &str)]) {
        let failures: Vec<String> = snippets
            .iter()
            .filter_map(|(name, code)| {
                let environment = self.sandbox.environment(&self.lua).unwrap();
                let chunk = self.lua.load(*code).set_name(format!("={name}"));
                let failure = chunk.set_environment(environment).exec().err()?;
                let text = to_lua(&self.lua, &failure).unwrap().to_string().unwrap();
                Some(format!("{name}: {text}"))
            })
            .collect();
        assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    }
}
