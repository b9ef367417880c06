use mlua::{IntoLua, IntoLuaMulti, Lua, LuaString, MultiValue, Table, Value};

use super::object::Error;
use super::stack::{function_name, position};
use crate::value::ErrorValue;

/// The two results `nil, err` of a call that failed.
///
/// # Errors
/// Out of memory.
pub fn nil_err(lua: &Lua, error: ErrorValue) -> mlua::Result<MultiValue> {
    (Value::Nil, Error::new(error)).into_lua_multi(lua)
}

/// The two results `false, err` of the few calls that fail with `false`.
///
/// # Errors
/// Out of memory.
pub fn false_err(lua: &Lua, error: ErrorValue) -> mlua::Result<MultiValue> {
    (false, Error::new(error)).into_lua_multi(lua)
}

/// `value`, or `nil, err`: how a fallible module function ends.
///
/// # Errors
/// Those of the conversion to Lua.
pub fn results(lua: &Lua, value: Result<impl IntoLua, ErrorValue>) -> mlua::Result<MultiValue> {
    match value {
        Ok(value) => value.into_lua(lua)?.into_lua_multi(lua),
        Err(error) => nil_err(lua, error),
    }
}

/// What a native function returns as `Err` to raise an error object.
pub fn raise(error: ErrorValue) -> mlua::Error {
    mlua::Error::external(error)
}

/// What a native function returns as `Err` to raise a string, with the position of the script's
/// line that made the call in front, as Lua's own `error` does.
pub fn raise_text(lua: &Lua, message: impl AsRef<str>) -> mlua::Error {
    let message = message.as_ref();
    mlua::Error::RuntimeError(match position(lua) {
        Some(position) => format!("{position}: {message}"),
        None => message.to_owned(),
    })
}

/// Raises Lua's `bad argument #n to 'f' (T expected, got U)` for the running native function.
/// `argument` counts from 1 and leaves out the self of a method.
pub fn bad_argument(lua: &Lua, argument: usize, expected: &str, got: &Value) -> mlua::Error {
    bad_value(lua, argument, &format!("{expected} expected, got {}", type_name(got)))
}

/// Raises `bad argument #n to 'f' (why)` for an argument of the right type but a wrong value.
pub fn bad_value(lua: &Lua, argument: usize, why: &str) -> mlua::Error {
    let name = function_name(lua);
    let name = name.as_deref().unwrap_or("?");
    raise_text(lua, format!("bad argument #{argument} to '{name}' ({why})"))
}

/// A string argument; numbers are accepted as Lua does.
///
/// # Errors
/// Raises `bad argument` for any other type.
pub fn string_argument(lua: &Lua, argument: usize, value: &Value) -> mlua::Result<LuaString> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(_) | Value::Number(_) => lua
            .coerce_string(value.clone())?
            .ok_or_else(|| bad_argument(lua, argument, "string", value)),
        _ => Err(bad_argument(lua, argument, "string", value)),
    }
}

/// A table argument.
///
/// # Errors
/// Raises `bad argument` for any other type.
pub fn table_argument(lua: &Lua, argument: usize, value: &Value) -> mlua::Result<Table> {
    match value {
        Value::Table(table) => Ok(table.clone()),
        _ => Err(bad_argument(lua, argument, "table", value)),
    }
}

/// An integer argument; floats and strings with an integral value are accepted as Lua does.
///
/// # Errors
/// Raises `bad argument` for anything else.
pub fn integer_argument(lua: &Lua, argument: usize, value: &Value) -> mlua::Result<i64> {
    match lua.coerce_integer(value.clone())? {
        Some(number) => Ok(number),
        None if matches!(value, Value::Number(_)) => {
            Err(bad_value(lua, argument, "number has no integer representation"))
        }
        None => Err(bad_argument(lua, argument, "number", value)),
    }
}

/// The name that Lua's `type` gives the type of `value`.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "boolean",
        Value::Integer(_) | Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Table(_) => "table",
        Value::Function(_) => "function",
        Value::Thread(_) => "thread",
        _ => "userdata",
    }
}
