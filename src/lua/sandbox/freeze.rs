use mlua::{Function, Lua, Table, Value};

use super::closures_ffi::{content_key, read_only_metamethods};

/// A read-only view of `table` and, in place, of the tables in it. Reads cost one more look-up
/// than on a plain table; every way to write raises `attempt to modify a read-only table`.
///
/// The content must not be changed by scripts, so nobody but the host may keep `table`.
///
/// # Errors
/// Out of memory.
pub fn freeze(lua: &Lua, table: &Table) -> mlua::Result<Table> {
    freeze_with(lua, table, None)
}

/// As [`freeze`], with a `__call` metamethod.
pub(super) fn freeze_with(lua: &Lua, table: &Table, call: Option<Function>) -> mlua::Result<Table> {
    if content(table)?.is_some() {
        return Ok(table.clone());
    }
    let mut inner = Vec::new();
    table.for_each(|key: Value, value: Value| {
        if let Value::Table(value) = value {
            inner.push((key, value));
        }
        Ok(())
    })?;
    for (key, value) in inner {
        table.raw_set(key, freeze(lua, &value)?)?;
    }
    let metatable = lua.create_table_with_capacity(0, 8)?;
    for (name, function) in read_only_metamethods(lua)? {
        metatable.raw_set(name, function)?;
    }
    metatable.raw_set("__index", table)?;
    metatable.raw_set("__metatable", false)?;
    metatable.raw_set("__call", call)?;
    metatable.raw_set(content_key(), table)?;
    let view = lua.create_table()?;
    view.set_metatable(Some(metatable))?;
    Ok(view)
}

/// What a read-only table holds, for host code that walks tables without metamethods; `None` for any
/// other table.
///
/// # Errors
/// None in practice.
pub fn content(table: &Table) -> mlua::Result<Option<Table>> {
    match table.metatable() {
        Some(metatable) => metatable.raw_get(content_key()),
        None => Ok(None),
    }
}
