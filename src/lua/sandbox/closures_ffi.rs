//! Makes Lua functions of the C functions that guard the stock ones: they cost nothing measurable
//! on the path that scripts take all the time, and scripts may yield across them.
//!
//! # Why the `unsafe` here is sound
//! The bodies passed to `exec_raw` run in protected mode, on a stack that holds just the arguments,
//! and capture plain data only. The functions of [`super::functions_ffi`] get the upvalues that
//! their documentation names.

use std::ffi::c_void;

use mlua::ffi::{self, lua_CFunction};
use mlua::{Function, IntoLuaMulti, LightUserData, Lua, Table, Value};

use super::functions_ffi as functions;

/// Named functions, to be put into a table.
pub(super) type Named<const N: usize> = [(&'static str, Function); N];

/// A standard library of Lua.
#[derive(Clone, Copy)]
pub(super) enum Library {
    Coroutine,
    Debug,
    Math,
    Os,
    /// Opening it also gives strings a new metatable.
    String,
    Table,
    Utf8,
}

/// Opens `library` afresh: a table that nobody else has.
pub(super) fn open(lua: &Lua, library: Library) -> mlua::Result<Table> {
    let open: lua_CFunction = match library {
        Library::Coroutine => ffi::luaopen_coroutine,
        Library::Debug => ffi::luaopen_debug,
        Library::Math => ffi::luaopen_math,
        Library::Os => ffi::luaopen_os,
        Library::String => ffi::luaopen_string,
        Library::Table => ffi::luaopen_table,
        Library::Utf8 => ffi::luaopen_utf8,
    };
    closure(lua, open, ())?.call(())
}

/// The key under which the metatable of a read-only table holds its content.
pub(super) fn content_key() -> LightUserData {
    LightUserData(functions::content_address().cast_mut())
}

/// The metamethods of read-only tables.
pub(super) fn read_only_metamethods(lua: &Lua) -> mlua::Result<Named<3>> {
    Ok([
        ("__newindex", closure(lua, functions::refuse_write, ())?),
        ("__pairs", closure(lua, functions::pairs, ())?),
        ("__len", closure(lua, functions::length, ())?),
    ])
}

/// `next`, `rawget` and `rawlen` that see the content of read-only tables, `rawset` that refuses
/// them, `setmetatable` that refuses `__gc`.
pub(super) fn table_functions(lua: &Lua) -> mlua::Result<Named<5>> {
    let stock = native(lua, lua.globals().raw_get("setmetatable")?)?;
    Ok([
        ("next", closure(lua, functions::next, ())?),
        ("rawget", closure(lua, functions::rawget, ())?),
        ("rawlen", closure(lua, functions::rawlen, ())?),
        ("rawset", closure(lua, functions::rawset, ())?),
        ("setmetatable", closure(lua, functions::setmetatable, (stock, "__gc"))?),
    ])
}

/// `pcall` and `xpcall` that pass failures of native code through `translate` before the script sees
/// them, so that these look like Lua's own.
pub(super) fn protected_calls(lua: &Lua, translate: &Function) -> mlua::Result<Named<2>> {
    let failure = Value::Error(Box::new(mlua::Error::RuntimeError(String::new())));
    let failures = metatable_of(lua, failure)?;
    Ok([
        ("pcall", closure(lua, functions::pcall, (&failures, translate))?),
        ("xpcall", closure(lua, functions::xpcall, (&failures, translate))?),
    ])
}

/// A function that does what the stock function `function` does, with the objects that have
/// `error_metatable` taken for their text.
pub(super) fn accepting_errors(
    lua: &Lua,
    function: Function,
    error_metatable: &Table,
) -> mlua::Result<Function> {
    closure(lua, functions::with_messages, (native(lua, function)?, error_metatable))
}

/// The metamethod behind `string(x)`.
pub(super) fn string_cast(lua: &Lua) -> mlua::Result<Function> {
    closure(lua, functions::cast_string, ())
}

/// The metatable of `value`, whatever it says in `__metatable`.
pub(super) fn metatable_of(lua: &Lua, value: impl IntoLuaMulti) -> mlua::Result<Table> {
    // SAFETY: see the module; there is one argument.
    unsafe {
        lua.exec_raw(value, |state| {
            if ffi::lua_getmetatable(state, 1) == 0 {
                ffi::lua_pushnil(state);
            }
            ffi::lua_replace(state, 1);
        })
    }
}

fn closure(
    lua: &Lua,
    function: lua_CFunction,
    upvalues: impl IntoLuaMulti,
) -> mlua::Result<Function> {
    // SAFETY: see the module; the arguments become the upvalues.
    unsafe {
        lua.exec_raw(upvalues, move |state| {
            ffi::lua_pushcclosure(state, function, ffi::lua_gettop(state));
        })
    }
}

/// The address of the C function that `function` is; null if it is none or has upvalues.
fn native(lua: &Lua, function: Function) -> mlua::Result<LightUserData> {
    // SAFETY: see the module; there is one argument.
    unsafe {
        lua.exec_raw(function, |state| {
            let has_upvalues = !ffi::lua_getupvalue(state, 1, 1).is_null();
            let address = match ffi::lua_tocfunction(state, 1) {
                Some(address) if !has_upvalues => address as *mut c_void,
                _ => std::ptr::null_mut(),
            };
            ffi::lua_settop(state, 0);
            ffi::lua_pushlightuserdata(state, address);
        })
    }
}
