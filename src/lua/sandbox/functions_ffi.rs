//! The C functions behind [`super::closures_ffi`].
//!
//! # Why the `unsafe` here is sound
//! Every function is called by Lua with a valid state and at least `LUA_MINSTACK` (20) free slots,
//! uses fewer, reads only the upvalues that `closures_ffi` gave it, and holds no value that needs
//! dropping, so that the `longjmp` of a Lua error may cross it.

use std::ffi::{CStr, c_int, c_void};

use mlua::ffi::{self, lua_CFunction, lua_KContext, lua_State};

const READ_ONLY: &CStr = c"attempt to modify a read-only table";

/// The address that serves as the key of a read-only table's content in its metatable.
pub(super) fn content_address() -> *const c_void {
    static CONTENT: u8 = 0;
    (&raw const CONTENT).cast()
}

/// Puts the content of argument 1 in its place if that is a read-only table.
unsafe fn enter_read_only(state: *mut lua_State) -> bool {
    // SAFETY: see the module; argument 1 exists.
    unsafe {
        if ffi::lua_getmetatable(state, 1) == 0 {
            return false;
        }
        let found = ffi::lua_rawgetp(state, -1, content_address()) == ffi::LUA_TTABLE;
        if found {
            ffi::lua_replace(state, 1);
            ffi::lua_pop(state, 1);
        } else {
            ffi::lua_pop(state, 2);
        }
        found
    }
}

pub(super) unsafe extern "C-unwind" fn refuse_write(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe { ffi::luaL_error(state, READ_ONLY.as_ptr()) }
}

pub(super) unsafe extern "C-unwind" fn pairs(state: *mut lua_State) -> c_int {
    // SAFETY: see the module; the table is argument 1 of a metamethod.
    unsafe {
        ffi::lua_settop(state, 1);
        ffi::lua_pushcfunction(state, next);
        ffi::lua_insert(state, 1);
        ffi::lua_pushnil(state);
        3
    }
}

pub(super) unsafe extern "C-unwind" fn length(state: *mut lua_State) -> c_int {
    // SAFETY: see the module; the table is argument 1 of a metamethod.
    unsafe {
        enter_read_only(state);
        ffi::lua_pushinteger(state, ffi::lua_rawlen(state, 1) as ffi::lua_Integer);
        1
    }
}

pub(super) unsafe extern "C-unwind" fn next(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        ffi::lua_settop(state, 2);
        enter_read_only(state);
        if ffi::lua_next(state, 1) != 0 {
            return 2;
        }
        ffi::lua_pushnil(state);
        1
    }
}

pub(super) unsafe extern "C-unwind" fn rawget(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        ffi::luaL_checkany(state, 2);
        ffi::lua_settop(state, 2);
        enter_read_only(state);
        ffi::lua_rawget(state, 1);
        1
    }
}

pub(super) unsafe extern "C-unwind" fn rawlen(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        match ffi::lua_type(state, 1) {
            ffi::LUA_TTABLE => {
                enter_read_only(state);
            }
            ffi::LUA_TSTRING => {}
            _ => return ffi::luaL_argerror(state, 1, c"table or string expected".as_ptr()),
        }
        ffi::lua_pushinteger(state, ffi::lua_rawlen(state, 1) as ffi::lua_Integer);
        1
    }
}

pub(super) unsafe extern "C-unwind" fn rawset(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        ffi::luaL_checkany(state, 2);
        ffi::luaL_checkany(state, 3);
        ffi::lua_settop(state, 3);
        if enter_read_only(state) {
            return refuse_write(state);
        }
        ffi::lua_rawset(state, 1);
        1
    }
}

/// Upvalues: the stock `setmetatable`, the string `__gc`.
pub(super) unsafe extern "C-unwind" fn setmetatable(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        if ffi::lua_type(state, 2) == ffi::LUA_TTABLE {
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
            if ffi::lua_rawget(state, 2) != ffi::LUA_TNIL {
                return ffi::luaL_error(state, c"metatables with __gc are not available".as_ptr());
            }
            ffi::lua_pop(state, 1);
        }
        call_native(state)
    }
}

/// Upvalues: the stock function, the metatable of error objects.
pub(super) unsafe extern "C-unwind" fn with_messages(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        for argument in 1..=ffi::lua_gettop(state) {
            if ffi::lua_type(state, argument) == ffi::LUA_TUSERDATA
                && has_metatable(state, argument, ffi::lua_upvalueindex(2))
            {
                ffi::luaL_tolstring(state, argument, std::ptr::null_mut());
                ffi::lua_replace(state, argument);
            }
        }
        call_native(state)
    }
}

/// Upvalues: the metatable of native failures, the function that translates one.
pub(super) unsafe extern "C-unwind" fn pcall(state: *mut lua_State) -> c_int {
    // SAFETY: see the module; the continuation runs with the same upvalues.
    unsafe {
        ffi::luaL_checkany(state, 1);
        ffi::lua_pushboolean(state, 1);
        ffi::lua_insert(state, 1);
        let arguments = ffi::lua_gettop(state) - 2;
        let status = ffi::lua_pcallk(state, arguments, ffi::LUA_MULTRET, 0, 0, Some(finish));
        finish(state, status, 0)
    }
}

/// Upvalues as for [`pcall`].
pub(super) unsafe extern "C-unwind" fn xpcall(state: *mut lua_State) -> c_int {
    // SAFETY: see the module; the continuation runs with the same upvalues.
    unsafe {
        ffi::luaL_checktype(state, 2, ffi::LUA_TFUNCTION);
        let arguments = ffi::lua_gettop(state) - 2;
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_pushvalue(state, 2);
        ffi::lua_pushcclosure(state, handle, 3);
        ffi::lua_replace(state, 2);
        ffi::lua_pushboolean(state, 1);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_rotate(state, 3, 2);
        let status = ffi::lua_pcallk(state, arguments, ffi::LUA_MULTRET, 2, 2, Some(finish));
        finish(state, status, 2)
    }
}

/// Leaves the results of a protected call; `skipped` stack slots below them are no results.
unsafe extern "C-unwind" fn finish(
    state: *mut lua_State,
    status: c_int,
    skipped: lua_KContext,
) -> c_int {
    // SAFETY: see the module; after a failure the error value is on top.
    unsafe {
        if status == ffi::LUA_OK || status == ffi::LUA_YIELD {
            return ffi::lua_gettop(state) - skipped as c_int;
        }
        translate(state);
        ffi::lua_pushboolean(state, 0);
        ffi::lua_pushvalue(state, -2);
        2
    }
}

/// The message handler of [`xpcall`]. Upvalues as for [`pcall`], then the script's handler. A failure
/// that cannot be translated is a panic of the host, which no script may see: it goes on as it is
/// until [`finish`] raises it again.
unsafe extern "C-unwind" fn handle(state: *mut lua_State) -> c_int {
    // SAFETY: see the module; Lua passes the error value as the only argument.
    unsafe {
        ffi::lua_settop(state, 1);
        if push_translator(state) && ffi::lua_pcallk(state, 1, 1, 0, 0, None) != ffi::LUA_OK {
            return 1;
        }
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(3));
        ffi::lua_insert(state, 1);
        ffi::lua_callk(state, 1, 1, 0, None);
        1
    }
}

/// Replaces the value on top by its translation if it is a failure of native code.
unsafe fn translate(state: *mut lua_State) {
    // SAFETY: see the module.
    unsafe {
        if push_translator(state) {
            ffi::lua_callk(state, 1, 1, 0, None);
        }
    }
}

/// Puts the translating function below the value on top if that is a failure of native code.
unsafe fn push_translator(state: *mut lua_State) -> bool {
    // SAFETY: see the module.
    unsafe {
        let is_failure = ffi::lua_type(state, -1) == ffi::LUA_TUSERDATA
            && has_metatable(state, -1, ffi::lua_upvalueindex(1));
        if is_failure {
            ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
            ffi::lua_insert(state, -2);
        }
        is_failure
    }
}

/// Whether the value at `index` has the metatable at `metatable`.
unsafe fn has_metatable(state: *mut lua_State, index: c_int, metatable: c_int) -> bool {
    // SAFETY: see the module.
    unsafe {
        if ffi::lua_getmetatable(state, index) == 0 {
            return false;
        }
        let same = ffi::lua_rawequal(state, -1, metatable) != 0;
        ffi::lua_pop(state, 1);
        same
    }
}

/// Runs the C function whose address is upvalue 1 in place of the running one.
unsafe fn call_native(state: *mut lua_State) -> c_int {
    // SAFETY: the address is that of a function of Lua's own libraries, which uses no upvalues and
    // lives as long as the program; a null pointer is `None`.
    unsafe {
        let address = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1));
        match std::mem::transmute::<*mut c_void, Option<lua_CFunction>>(address) {
            Some(function) => function(state),
            None => ffi::luaL_error(state, c"not a native function".as_ptr()),
        }
    }
}

/// Called as `string(x)`: the library table is argument 1.
pub(super) unsafe extern "C-unwind" fn cast_string(state: *mut lua_State) -> c_int {
    // SAFETY: see the module.
    unsafe {
        if ffi::lua_type(state, 2) != ffi::LUA_TSTRING {
            let message = c"bad argument #1 to 'string' (string expected, got %s)";
            return ffi::luaL_error(state, message.as_ptr(), ffi::luaL_typename(state, 2));
        }
        ffi::lua_settop(state, 2);
        1
    }
}
