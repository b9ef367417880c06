use std::ffi::{CStr, c_int};

use mlua::ffi;

use super::{Kind, Stack};

/// A Rust value that lives in a Lua userdata.
pub trait Object: 'static {
    /// The name of its metatable in the registry, which tells its type.
    const NAME: &'static CStr;
    /// What `type`-like texts and error messages call it.
    const LABEL: &'static str;
    /// Lua values that each userdata can hold beside it.
    const USER_VALUES: c_int = 0;
}

/// Makes the metatable of a type of objects. `methods` are what scripts can call, `tostring` an
/// optional text of its own.
pub fn register_class<T: Object>(
    lua: &mlua::Lua,
    methods: mlua::Table,
    tostring: Option<mlua::Function>,
) -> mlua::Result<()> {
    // SAFETY: builds one table; `luaL_newmetatable` stores it in the registry.
    let metatable: mlua::Table = unsafe {
        lua.exec_raw((), |state| {
            ffi::luaL_newmetatable(state, T::NAME.as_ptr());
            ffi::lua_pushcfunction(state, collect::<T>);
            ffi::lua_setfield(state, -2, c"__gc".as_ptr());
        })?
    };
    metatable.raw_set("__index", methods)?;
    metatable.raw_set("__name", T::LABEL)?;
    metatable.raw_set("__metatable", false)?;
    if let Some(tostring) = tostring {
        metatable.raw_set("__tostring", tostring)?;
    }
    Ok(())
}

/// # Safety
/// Lua calls this once, with a userdata made by [`Stack::push_object`] for `T`.
unsafe extern "C-unwind" fn collect<T: Object>(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: see above; `drop_in_place` of our types neither panics nor calls Lua.
    unsafe {
        let place = ffi::lua_touserdata(state, 1).cast::<T>();
        std::ptr::drop_in_place(place);
    }
    0
}

/// The address of a value's metatable, to tell its type by.
///
/// # Errors
/// Out of memory.
pub fn metatable_address(lua: &mlua::Lua, value: impl mlua::IntoLua) -> mlua::Result<usize> {
    // SAFETY: replaces the one argument by a number.
    let address: i64 = unsafe {
        lua.exec_raw(value.into_lua(lua)?, |state| {
            let has_metatable = ffi::lua_getmetatable(state, 1) != 0;
            let address = if has_metatable { ffi::lua_topointer(state, -1) as i64 } else { 0 };
            ffi::lua_settop(state, 0);
            ffi::lua_pushinteger(state, address);
        })?
    };
    Ok(address as usize)
}

impl<'a> Stack<'a> {
    /// Pushes a userdata that owns `value`.
    pub fn push_object<T: Object>(self, value: T) {
        const { assert!(align_of::<T>() <= 16) };
        // SAFETY: Lua aligns userdata to 16 bytes at least on the machines we run on; the value is
        // moved in before the metatable, whose `__gc` will drop it, is set.
        unsafe {
            let place = ffi::lua_newuserdatauv(self.0, size_of::<T>(), T::USER_VALUES).cast::<T>();
            place.write(value);
            ffi::luaL_setmetatable(self.0, T::NAME.as_ptr());
        }
    }

    /// The object at `index`, if it is a `T`.
    pub fn object<T: Object>(self, index: c_int) -> Option<&'a T> {
        if self.kind(index) != Kind::Userdata {
            return None;
        }
        // SAFETY: `luaL_testudata` compares the metatable, which only `push_object::<T>` sets. The
        // value lives while it is on the stack.
        unsafe { ffi::luaL_testudata(self.0, index, T::NAME.as_ptr()).cast::<T>().as_ref() }
    }
}
