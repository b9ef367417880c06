use mlua::{Lua, Table, Value};

use super::raise::{bad_argument, raise_text};
use super::{Error, details};
use crate::value::ErrorValue;

/// The error that `errors.new(argument)` makes: from its message, or from a table with `message` and
/// perhaps `kind`, `retryable`, `details`. The stack of the calling script is kept with it.
///
/// # Errors
/// Raises for any other argument and for a table without a string as `message`.
pub fn from_script(lua: &Lua, argument: &Value) -> mlua::Result<Error> {
    let value = match argument {
        Value::String(message) => without_kind(&message.to_string_lossy()),
        Value::Table(fields) => from_fields(lua, fields)?,
        _ => return Err(bad_argument(lua, 1, "string or table", argument)),
    };
    Ok(Error::from_script(lua, value))
}

fn from_fields(lua: &Lua, fields: &Table) -> mlua::Result<ErrorValue> {
    let message = match fields.get::<Value>("message")? {
        Value::String(message) => message,
        Value::Nil => return Err(raise_text(lua, "message field is required")),
        _ => return Err(raise_text(lua, "message must be a string")),
    };
    let mut error = without_kind(&message.to_string_lossy());
    if let Value::String(kind) = fields.get::<Value>("kind")? {
        error.kind = kind.to_string_lossy().into();
    }
    if let Value::Boolean(retryable) = fields.get::<Value>("retryable")? {
        error.retryable = Some(retryable);
    }
    if let Value::Table(table) = fields.get::<Value>("details")? {
        error.details = details::from_table(&table)?;
    }
    Ok(error)
}

fn without_kind(message: &str) -> ErrorValue {
    ErrorValue { kind: "".into(), message: message.into(), retryable: None, details: None }
}

/// The table that `errors.call_stack` gives for `error`: `thread` and `frames`, innermost first; or
/// nil if the error has no stack.
///
/// # Errors
/// Out of memory.
pub fn call_stack(lua: &Lua, error: &Error) -> mlua::Result<Option<Table>> {
    let Some(stack) = error.stack() else { return Ok(None) };
    let frames = lua.create_table_with_capacity(stack.frames.len(), 0)?;
    for (level, frame) in stack.frames.iter().enumerate() {
        let entry = lua.create_table_with_capacity(0, 5)?;
        entry.raw_set("level", level)?;
        entry.raw_set("source", frame.source.as_str())?;
        entry.raw_set("line", frame.line.unwrap_or(0))?;
        entry.raw_set("name", frame.name().as_str())?;
        entry.raw_set("type", if frame.is_native() { "native" } else { "Lua" })?;
        frames.raw_push(entry)?;
    }
    let table = lua.create_table_with_capacity(0, 2)?;
    table.raw_set("thread", format!("thread: {:#x}", stack.thread))?;
    table.raw_set("frames", frames)?;
    Ok(Some(table))
}
