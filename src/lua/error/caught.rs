use mlua::{IntoLua, Lua, Value};

use super::object::Error;
use super::stack::is_host;
use crate::value::{ErrorValue, kind};

/// The error that leaves a process when `failure` ends it: raised error objects keep their kind,
/// everything else becomes `Internal` with Lua's text.
pub fn from_mlua(failure: &mlua::Error) -> ErrorValue {
    match failure.downcast_ref::<ErrorValue>() {
        Some(error) => error.clone(),
        None => ErrorValue::new(kind::INTERNAL, text(failure)),
    }
}

/// The error that leaves a process which raised `value` and did not catch it (errors.md section 5).
pub fn from_raised(value: &Value) -> ErrorValue {
    if let Some(error) = Error::of(value) {
        return error.value().clone().across_boundary();
    }
    match value {
        Value::Error(failure) => from_mlua(failure).across_boundary(),
        Value::String(text) => ErrorValue::new(kind::INTERNAL, text.to_string_lossy()),
        // The script's own `__tostring` may fail in its turn.
        other => ErrorValue::new(
            kind::INTERNAL,
            other.to_string().unwrap_or_else(|_| format!("a {}", super::type_name(other))),
        ),
    }
}

/// The error that a main function reports with its second return value, if that is a string or an
/// error object (errors.md section 5, rows 4 to 6).
pub fn from_returned(value: &Value) -> Option<ErrorValue> {
    match value {
        Value::String(_) | Value::Error(_) => Some(from_raised(value)),
        other => Error::of(other).map(|error| error.value().clone().across_boundary()),
    }
}

/// What `pcall` hands to the script for a failure raised by native code: an error object where one
/// was raised, else a string as Lua's own functions give.
///
/// # Errors
/// Out of memory.
pub fn to_lua(lua: &Lua, failure: &mlua::Error) -> mlua::Result<Value> {
    match failure.downcast_ref::<ErrorValue>() {
        Some(error) => Error::new(error.clone()).into_lua(lua),
        None => text(failure).into_lua(lua),
    }
}

/// Lua's own wording of a failure, without mlua's prefixes and traceback.
fn text(failure: &mlua::Error) -> String {
    match failure {
        mlua::Error::RuntimeError(text) | mlua::Error::MemoryError(text) => text.clone(),
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::CallbackError { cause, traceback } => match &**cause {
            // Raised by `raise_text`, or by Lua code below: the position is in the text already.
            mlua::Error::RuntimeError(_) | mlua::Error::CallbackError { .. } => text(cause),
            other => match caller(traceback) {
                Some(position) => format!("{position}: {}", text(other)),
                None => text(other),
            },
        },
        mlua::Error::BadArgument { to, pos, cause, .. } => {
            // A method's name comes as `Type.method`.
            let name = to.as_deref().map_or("?", |to| to.rsplit('.').next().unwrap_or(to));
            format!("bad argument #{pos} to '{name}' ({})", text(cause))
        }
        mlua::Error::FromLuaConversionError { from, to, .. } => {
            format!("{} expected, got {}", lua_type(to), lua_type(from))
        }
        mlua::Error::UserDataTypeMismatch => "called with a wrong self".to_owned(),
        other => other.to_string(),
    }
}

/// The first script line of a traceback, as `source:line`.
fn caller(traceback: &str) -> Option<&str> {
    traceback.lines().find_map(|line| {
        let line = line.trim_start();
        let position = &line[..line.find(": in ")?];
        let is_script = !position.starts_with("[C]") && !is_host(position);
        (is_script && position.contains(':')).then_some(position)
    })
}

/// Lua's name for a type that mlua names by its Rust type.
fn lua_type(name: &str) -> &str {
    match name {
        "String" | "LuaString" | "str" | "&str" | "BorrowedStr" | "BorrowedBytes" => "string",
        "integer" | "i64" | "i32" | "u64" | "u32" | "u16" | "u8" | "usize" | "f64" | "f32" => {
            "number"
        }
        "bool" => "boolean",
        "error" | "lightuserdata" => "userdata",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_the_first_script_line_of_a_traceback() {
        let traceback = "stack traceback:\n\t[C]: in function 'f'\n\t[moonmesh]:3: in x\n\t\
                         app:worker:12: in function <app:worker:10>\n\tapp:worker:20: in main chunk";
        assert_eq!(caller(traceback), Some("app:worker:12"));
        assert_eq!(caller("stack traceback:\n\t[C]: in ?"), None);
    }
}
