//! The `logger` module, and the global functions `print` and `warn` (stdlib.md sections 1 and 3).
//!
//! Records are `tracing` events of the target `lua` with the fields `logger`, `fields` (a JSON object
//! of the script's own fields), `pid`, `entry` and `location`.

mod record;

use std::rc::Rc;

use mlua::{Function, Lua, Table, UserData, UserDataMethods, Value, Variadic};
use serde_json::{Map, Value as Json};
use tracing::Level;

use crate::lua::error::{Error, bad_argument, raise, raise_text, string_argument, table_argument};
use crate::value::{ErrorValue, kind};
use record::{emit, json_fields};

/// Who logs: asked at each record, for the process that runs.
pub trait Caller {
    /// Its PID as text.
    fn pid(&self) -> String;
    /// The id of the entry that it runs.
    fn entry(&self) -> String;
}

/// Takes lines without their ends.
pub type LineSink = Rc<dyn Fn(&[u8])>;

/// Where `print` writes its lines.
#[derive(Clone)]
pub enum PrintTo {
    /// To the log, at level info.
    Log(Rc<dyn Caller>),
    /// To whoever runs a single script.
    Lines(LineSink),
}

const LEVELS: [(&str, Level); 4] = [
    ("debug", Level::DEBUG),
    ("info", Level::INFO),
    ("warn", Level::WARN),
    ("error", Level::ERROR),
];

/// The module's table: itself a logger without name and fields.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua, caller: &Rc<dyn Caller>) -> mlua::Result<Table> {
    let root = Logger { caller: caller.clone(), name: String::new(), fields: Map::new() };
    let table = lua.create_table()?;
    for (name, level) in LEVELS {
        let root = root.clone();
        let log = lua.create_function(move |lua, (this, message, fields)| {
            own_table(lua, &this)?;
            root.log(lua, level, &message, &fields)
        })?;
        table.raw_set(name, log)?;
    }
    let with_root = root.clone();
    let with = lua.create_function(move |lua, (this, fields)| {
        own_table(lua, &this)?;
        with_root.with(lua, &fields)
    })?;
    table.raw_set("with", with)?;
    let named = lua.create_function(move |lua, (this, name)| {
        own_table(lua, &this)?;
        root.named(lua, &name)
    })?;
    table.raw_set("named", named)?;
    Ok(table)
}

/// The global function `print`: its arguments through `tostring`, separated by tabs.
///
/// # Errors
/// Out of memory.
pub fn print_function(lua: &Lua, to: PrintTo) -> mlua::Result<Function> {
    let tostring: Function = lua.globals().raw_get("tostring")?;
    lua.create_function(move |lua, values: Variadic<Value>| {
        let mut line = Vec::new();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                line.push(b'\t');
            }
            line.extend_from_slice(&tostring.call::<mlua::LuaString>(value)?.as_bytes());
        }
        match &to {
            PrintTo::Lines(write) => write(&line),
            PrintTo::Log(caller) => {
                emit(lua, &**caller, Level::INFO, "", &String::from_utf8_lossy(&line), &Map::new());
            }
        }
        Ok(())
    })
}

/// The global function `warn`: one record at level warn. Control messages do nothing.
///
/// # Errors
/// Out of memory.
pub fn warn_function(lua: &Lua, caller: Rc<dyn Caller>) -> mlua::Result<Function> {
    lua.create_function(move |lua, parts: Variadic<Value>| {
        if parts.is_empty() {
            return Err(bad_argument(lua, 1, "string", &Value::Nil));
        }
        let mut message = String::new();
        for (index, part) in parts.iter().enumerate() {
            message.push_str(&string_argument(lua, index + 1, part)?.to_string_lossy());
        }
        if parts.len() > 1 || !message.starts_with('@') {
            emit(lua, &*caller, Level::WARN, "", &message, &Map::new());
        }
        Ok(())
    })
}

/// A logger with a name and fields of its own.
#[derive(Clone)]
struct Logger {
    caller: Rc<dyn Caller>,
    name: String,
    fields: Map<String, Json>,
}

impl Logger {
    fn log(&self, lua: &Lua, level: Level, message: &Value, fields: &Value) -> mlua::Result<()> {
        let message = match Error::of(message) {
            Some(error) => error.long_text(),
            None => string_argument(lua, 1, message)?.to_string_lossy(),
        };
        let fields = match fields {
            Value::Nil => return self.emit(lua, level, &message, &self.fields),
            fields => table_argument(lua, 2, fields)?,
        };
        if !record::is_enabled(level) {
            return Ok(());
        }
        let mut all = self.fields.clone();
        json_fields(&fields, &mut all)?;
        self.emit(lua, level, &message, &all)
    }

    fn emit(
        &self,
        lua: &Lua,
        level: Level,
        message: &str,
        fields: &Map<String, Json>,
    ) -> mlua::Result<()> {
        emit(lua, &*self.caller, level, &self.name, message, fields);
        Ok(())
    }

    fn with(&self, lua: &Lua, fields: &Value) -> mlua::Result<Self> {
        let mut logger = self.clone();
        json_fields(&table_argument(lua, 1, fields)?, &mut logger.fields)?;
        Ok(logger)
    }

    fn named(&self, lua: &Lua, name: &Value) -> mlua::Result<Self> {
        let name = string_argument(lua, 1, name)?.to_string_lossy();
        if name.is_empty() {
            return Err(raise(ErrorValue::new(kind::INVALID, "logger name cannot be empty")));
        }
        let name = if self.name.is_empty() { name } else { format!("{}.{name}", self.name) };
        Ok(Self { name, ..self.clone() })
    }
}

impl UserData for Logger {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        for (name, level) in LEVELS {
            methods.add_method(name, move |lua, this, (message, fields): (Value, Value)| {
                this.log(lua, level, &message, &fields)
            });
        }
        methods.add_method("with", |lua, this, fields: Value| this.with(lua, &fields));
        methods.add_method("named", |lua, this, name: Value| this.named(lua, &name));
    }
}

/// Catches `logger.info("...")`, which would log nothing useful.
fn own_table(lua: &Lua, this: &Value) -> mlua::Result<()> {
    match this {
        Value::Table(_) => Ok(()),
        _ => Err(raise_text(lua, "call the functions of logger with a colon: logger:info(...)")),
    }
}

#[cfg(test)]
mod tests;
