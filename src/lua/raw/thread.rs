use std::ffi::c_int;

use mlua::ffi;

use super::Stack;

/// Keeps a Lua value alive from Rust without a limit on their number; let go when dropped, which
/// must happen before the VM is closed (`lua/factory.rs` sees to it).
pub struct Anchor {
    main: *mut ffi::lua_State,
    reference: c_int,
}

impl Anchor {
    /// Pops the topmost value and keeps it.
    pub fn take(lua: &mlua::Lua, stack: Stack<'_>) -> Self {
        // SAFETY: stores one value in the registry; see the module's notes on errors.
        let reference = unsafe { ffi::luaL_ref(stack.0, ffi::LUA_REGISTRYINDEX) };
        Self { main: lua.state(), reference }
    }

    /// Keeps a value that mlua holds.
    ///
    /// # Errors
    /// Out of memory.
    pub fn keep(lua: &mlua::Lua, value: impl mlua::IntoLua) -> mlua::Result<Self> {
        // SAFETY: pops the one argument into the registry.
        let reference: i32 = unsafe {
            lua.exec_raw(value.into_lua(lua)?, |state| {
                let reference = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
                ffi::lua_pushinteger(state, i64::from(reference));
            })?
        };
        Ok(Self { main: lua.state(), reference })
    }

    /// The value as mlua sees it.
    ///
    /// # Errors
    /// Out of memory, or a value of another type.
    pub fn to_mlua<T: mlua::FromLuaMulti>(&self, lua: &mlua::Lua) -> mlua::Result<T> {
        let reference = self.reference;
        // SAFETY: pushes one value.
        unsafe {
            lua.exec_raw((), |state| {
                ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, i64::from(reference));
            })
        }
    }

    /// Pushes the value.
    pub fn push(&self, stack: Stack<'_>) {
        stack.raw_geti(ffi::LUA_REGISTRYINDEX, i64::from(self.reference));
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        // SAFETY: the VM is open; `luaL_unref` neither raises nor allocates.
        unsafe { ffi::luaL_unref(self.main, ffi::LUA_REGISTRYINDEX, self.reference) }
    }
}

/// A coroutine of a process.
pub struct Thread {
    pub(super) state: *mut ffi::lua_State,
    anchor: Anchor,
}

impl Thread {
    /// A new coroutine with an empty stack.
    pub fn new(lua: &mlua::Lua) -> Self {
        let main = lua.state();
        // SAFETY: the new thread is anchored before anything could collect it; room on the main
        // stack is checked.
        unsafe {
            ffi::lua_checkstack(main, 2);
            let state = ffi::lua_newthread(main);
            let anchor = Anchor::take(lua, Stack::new(main));
            Self { state, anchor }
        }
    }

    /// Its stack, while it does not run.
    pub fn stack(&self) -> Stack<'_> {
        // SAFETY: the thread lives as long as its anchor.
        let stack = unsafe { Stack::new(self.state) };
        stack.reserve(0);
        stack
    }

    /// Pushes the coroutine itself.
    pub fn push_self(&self, onto: Stack<'_>) {
        self.anchor.push(onto);
    }

    /// Moves the function and arguments on top of `from` here.
    pub fn move_from(&self, from: Stack<'_>, values: c_int) {
        // SAFETY: both belong to one VM; room is checked.
        unsafe {
            ffi::lua_checkstack(self.state, values);
            ffi::lua_xmove(from.0, self.state, values);
        }
    }
}
