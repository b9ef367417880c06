use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json};
use tracing::Level;

use super::Caller;
use crate::lua::error::{Error, from_mlua, position};
use crate::lua::modules::json;
use crate::lua::sandbox::content;

/// The name of loggers without a name.
const UNNAMED: &str = "lua";

/// Whether anybody takes records of `level`.
pub(super) fn is_enabled(level: Level) -> bool {
    match level {
        Level::DEBUG => tracing::enabled!(target: "lua", Level::DEBUG),
        Level::INFO => tracing::enabled!(target: "lua", Level::INFO),
        Level::WARN => tracing::enabled!(target: "lua", Level::WARN),
        _ => tracing::enabled!(target: "lua", Level::ERROR),
    }
}

/// Emits one record. The host's own fields come last, so that those of a script cannot replace them.
pub(super) fn emit(
    lua: &Lua,
    caller: &dyn Caller,
    level: Level,
    name: &str,
    message: &str,
    fields: &Map<String, Json>,
) {
    if !is_enabled(level) {
        return;
    }
    let logger = if name.is_empty() { UNNAMED } else { name };
    let fields = serde_json::to_string(fields).unwrap_or_default();
    let (pid, entry) = (caller.pid(), caller.entry());
    let location = position(lua).unwrap_or_default();
    macro_rules! event {
        ($level:expr) => {
            tracing::event!(
                target: "lua", $level, logger, fields, pid, entry, location, "{message}"
            )
        };
    }
    match level {
        Level::DEBUG => event!(Level::DEBUG),
        Level::INFO => event!(Level::INFO),
        Level::WARN => event!(Level::WARN),
        _ => event!(Level::ERROR),
    }
}

/// Adds the fields of `table` to `fields`, each with its type; what has no JSON form appears as
/// `tostring` shows it, so that a record never fails.
pub(super) fn json_fields(table: &Table, fields: &mut Map<String, Json>) -> mlua::Result<()> {
    let read_only = content(table)?;
    read_only.as_ref().unwrap_or(table).for_each(|key: Value, value: Value| {
        fields.insert(text(&key), json_value(&value)?);
        Ok(())
    })
}

fn json_value(value: &Value) -> mlua::Result<Json> {
    if let Some(error) = Error::of(value) {
        return Ok(error.long_text().into());
    }
    Ok(match value {
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Number(value) if value.is_finite() => (*value).into(),
        Value::Table(_) => match json::encode(value)? {
            Ok(json) => serde_json::from_slice(&json).unwrap_or_else(|_| text(value).into()),
            Err(_) => text(value).into(),
        },
        other => text(other).into(),
    })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string_lossy(),
        Value::Error(failure) => from_mlua(failure).message.to_string(),
        // The script's own `__tostring` may fail.
        other => other.to_string().unwrap_or_else(|_| format!("{:?}", other.to_pointer())),
    }
}
