use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, Table, Value};

use super::closures_ffi::{
    Library, accepting_errors, metatable_of, open, protected_calls, string_cast, table_functions,
};
use super::freeze::{freeze, freeze_with};
use crate::lua::error::{Error, HOST_CHUNK, into_userdata, to_lua};
use crate::value::ErrorValue;

/// Base functions that are safe to share as they are.
const STOCK: [&str; 11] = [
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "pairs",
    "rawequal",
    "select",
    "tonumber",
    "tostring",
    "type",
    "_VERSION",
];

/// String functions that take error objects for their message.
const TAKE_ERRORS: [&str; 12] = [
    "byte", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub",
    "upper",
];

/// What is left of `os`.
const OS: [&str; 4] = ["clock", "date", "difftime", "time"];

/// The name under which Lua keeps the libraries that were opened (`LUA_LOADED_TABLE`).
const LOADED: &str = "_LOADED";

/// The base environment of one VM.
pub struct Sandbox {
    base: Table,
    metatable: Table,
}

impl Sandbox {
    /// Builds the base environment of `lua`. `environment` gives the globals of the process that
    /// runs when a shared function asks (`load`, `math.randomseed`).
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(
        lua: &Lua,
        environment: impl Fn(&Lua) -> mlua::Result<Table> + 'static,
    ) -> mlua::Result<Self> {
        let globals = lua.globals();
        let base = lua.create_table()?;
        for name in STOCK {
            base.raw_set(name, globals.raw_get::<Value>(name)?)?;
        }
        for (name, function) in table_functions(lua)? {
            base.raw_set(name, function)?;
        }
        for (name, function) in protected_calls(lua, &translator(lua)?)? {
            base.raw_set(name, function)?;
        }
        forget_loaded(lua)?;
        let math = open(lua, Library::Math)?;
        let strings = open(lua, Library::String)?;
        let guarded =
            guarded(lua, &math, &strings, lua.create_function(move |lua, ()| environment(lua))?)?;
        for name in ["load", "collectgarbage"] {
            base.raw_set(name, guarded.raw_get::<Function>(name)?)?;
        }
        base.raw_set("math", freeze(lua, &extend_math(lua, math, &guarded)?)?)?;
        base.raw_set("string", guard_strings(lua, strings)?)?;
        let tables = open(lua, Library::Table)?;
        base.raw_set("unpack", tables.raw_get::<Function>("unpack")?)?;
        base.raw_set("table", freeze(lua, &tables)?)?;
        base.raw_set("utf8", freeze(lua, &open(lua, Library::Utf8)?)?)?;
        base.raw_set("coroutine", freeze(lua, &open(lua, Library::Coroutine)?)?)?;
        base.raw_set("os", freeze(lua, &pick(lua, &open(lua, Library::Os)?, &OS)?)?)?;
        let debug = pick(lua, &open(lua, Library::Debug)?, &["traceback"])?;
        base.raw_set("debug", freeze(lua, &debug)?)?;

        let metatable = lua.create_table_with_capacity(0, 2)?;
        metatable.raw_set("__index", &base)?;
        metatable.raw_set("__metatable", false)?;
        Ok(Self { base, metatable })
    }

    /// Adds a global for all processes; tables become read-only.
    ///
    /// # Errors
    /// Out of memory.
    pub fn set(&self, lua: &Lua, name: &str, value: Value) -> mlua::Result<()> {
        match value {
            Value::Table(table) => self.base.raw_set(name, freeze(lua, &table)?),
            other => self.base.raw_set(name, other),
        }
    }

    /// A new environment for one process: its own globals, with the base ones behind.
    ///
    /// # Errors
    /// Out of memory.
    pub fn environment(&self, lua: &Lua) -> mlua::Result<Table> {
        let environment = lua.create_table_with_capacity(0, 1)?;
        environment.raw_set("_G", &environment)?;
        environment.set_metatable(Some(self.metatable.clone()))?;
        Ok(environment)
    }

    /// The table behind all environments. Scripts must not get hold of it.
    pub fn base(&self) -> &Table {
        &self.base
    }
}

/// A function that turns a failure of native code into what scripts may see of it, and leaves any
/// other value alone. Whoever hands a caught error to a script passes it through this first;
/// `pcall` and `xpcall` do.
///
/// # Errors
/// Out of memory.
pub fn translator(lua: &Lua) -> mlua::Result<Function> {
    lua.create_function(|lua, failure: Value| match failure {
        Value::Error(failure) => to_lua(lua, &failure),
        other => Ok(other),
    })
}

/// Compiles Lua code of the host. It carries no line numbers, so that errors which its callees raise
/// do not point into code that the script's author cannot see.
///
/// # Errors
/// A mistake in `code`.
pub fn host_chunk(lua: &Lua, name: &str, code: &str) -> mlua::Result<Function> {
    let compiled = lua.load(code).set_name(format!("={HOST_CHUNK} {name}")).into_function()?;
    lua.load(compiled.dump(true)).set_mode(ChunkMode::Binary).into_function()
}

/// The functions of `lua/sandbox.lua`.
fn guarded(lua: &Lua, math: &Table, strings: &Table, environment: Function) -> mlua::Result<Table> {
    let stock = lua.create_table()?;
    let globals = lua.globals();
    for (library, names) in [
        (
            &globals,
            &[
                "load",
                "collectgarbage",
                "error",
                "next",
                "select",
                "setmetatable",
                "tostring",
                "type",
            ][..],
        ),
        (math, &["atan", "log", "random"]),
        (strings, &["find", "format"]),
    ] {
        for name in names {
            stock.raw_set(*name, library.raw_get::<Function>(*name)?)?;
        }
    }
    let new_generator = lua.create_function(|lua, ()| {
        pick(lua, &open(lua, Library::Math)?, &["random", "randomseed"])
    })?;
    host_chunk(lua, "sandbox", include_str!("../../../lua/sandbox.lua"))?.call((
        stock,
        environment,
        new_generator,
    ))
}

/// Empties the list in which Lua looks up the names of functions for tracebacks. Every failure of
/// native code makes a traceback, and the search costs more than everything else in it.
fn forget_loaded(lua: &Lua) -> mlua::Result<()> {
    match lua.named_registry_value(LOADED)? {
        Value::Table(loaded) => loaded.clear(),
        _ => Ok(()),
    }
}

fn extend_math(lua: &Lua, math: Table, guarded: &Table) -> mlua::Result<Table> {
    for name in ["random", "randomseed", "pow", "log10", "atan2"] {
        math.raw_set(name, guarded.raw_get::<Function>(name)?)?;
    }
    math.raw_set("sinh", lua.create_function(|_, x: f64| Ok(x.sinh()))?)?;
    math.raw_set("cosh", lua.create_function(|_, x: f64| Ok(x.cosh()))?)?;
    math.raw_set("tanh", lua.create_function(|_, x: f64| Ok(x.tanh()))?)?;
    Ok(math)
}

/// The string library: error objects count as strings, `string(x)` is a cast, and neither the table
/// nor the metatable of strings can be changed.
fn guard_strings(lua: &Lua, strings: Table) -> mlua::Result<Table> {
    let sample = into_userdata(lua, Error::new(ErrorValue::new("", "")))?;
    let error_metatable = metatable_of(lua, sample)?;
    for name in TAKE_ERRORS {
        let stock = strings.raw_get(name)?;
        strings.raw_set(name, accepting_errors(lua, stock, &error_metatable)?)?;
    }
    strings.raw_remove("dump")?;
    let view = freeze_with(lua, &strings, Some(string_cast(lua)?))?;
    let shown = lua.create_table_from([("__index", &view)])?;
    metatable_of(lua, "")?.raw_set("__metatable", freeze(lua, &shown)?)?;
    Ok(view)
}

fn pick(lua: &Lua, library: &Table, names: &[&str]) -> mlua::Result<Table> {
    let picked = lua.create_table_with_capacity(0, names.len())?;
    for name in names {
        picked.raw_set(*name, library.raw_get::<Value>(*name)?)?;
    }
    Ok(picked)
}
