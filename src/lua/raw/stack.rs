use std::ffi::{CString, c_int};
use std::marker::PhantomData;

use mlua::ffi;

/// The stack of one Lua thread during one call; indexes as in Lua's C API.
#[derive(Clone, Copy)]
pub struct Stack<'a>(pub(super) *mut ffi::lua_State, PhantomData<&'a ()>);

/// The type of a Lua value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    None,
    Nil,
    Boolean,
    Number,
    String,
    Table,
    Function,
    Userdata,
    Thread,
    LightUserdata,
}

impl Kind {
    /// The name that Lua's `type` gives.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no value",
            Self::Nil => "nil",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Table => "table",
            Self::Function => "function",
            Self::Userdata | Self::LightUserdata => "userdata",
            Self::Thread => "thread",
        }
    }
}

/// Room that every primitive has on the stack beyond its arguments.
const HEADROOM: c_int = 24;

impl<'a> Stack<'a> {
    /// # Safety
    /// `state` is a live Lua thread for all of `'a`, and only this thread of execution uses it.
    pub(super) unsafe fn new(state: *mut ffi::lua_State) -> Self {
        Self(state, PhantomData)
    }

    /// The thread as a number, to tell threads apart.
    pub fn id(self) -> usize {
        self.0 as usize
    }

    /// Makes sure of room for `slots` more values; false if the stack is at its limit.
    pub fn reserve(self, slots: usize) -> bool {
        let slots = c_int::try_from(slots).unwrap_or(c_int::MAX - HEADROOM);
        // SAFETY: `lua_checkstack` does not raise.
        unsafe { ffi::lua_checkstack(self.0, slots + HEADROOM) != 0 }
    }

    /// Number of values, that is: of arguments, at the start of a call.
    pub fn top(self) -> c_int {
        // SAFETY: reads only.
        unsafe { ffi::lua_gettop(self.0) }
    }

    /// Drops values above `top`, or fills up with nil.
    pub fn set_top(self, top: c_int) {
        // SAFETY: callers only go down, or up within `HEADROOM`; no to-be-closed slots exist here.
        unsafe { ffi::lua_settop(self.0, top) }
    }

    /// Drops the topmost value.
    pub fn pop(self) {
        self.set_top(-2);
    }

    /// The type of a value.
    pub fn kind(self, index: c_int) -> Kind {
        // SAFETY: any acceptable index may be asked for.
        match unsafe { ffi::lua_type(self.0, index) } {
            ffi::LUA_TNIL => Kind::Nil,
            ffi::LUA_TBOOLEAN => Kind::Boolean,
            ffi::LUA_TNUMBER => Kind::Number,
            ffi::LUA_TSTRING => Kind::String,
            ffi::LUA_TTABLE => Kind::Table,
            ffi::LUA_TFUNCTION => Kind::Function,
            ffi::LUA_TUSERDATA => Kind::Userdata,
            ffi::LUA_TTHREAD => Kind::Thread,
            ffi::LUA_TLIGHTUSERDATA => Kind::LightUserdata,
            _ => Kind::None,
        }
    }

    /// The bytes of a string, or of a number, which becomes a string on the stack.
    pub fn str(self, index: c_int) -> Option<&'a [u8]> {
        if !matches!(self.kind(index), Kind::String | Kind::Number) {
            return None;
        }
        let mut length = 0;
        // SAFETY: the value is a string or a number; the result lives as long as the value.
        unsafe {
            let bytes = ffi::lua_tolstring(self.0, index, &mut length);
            (!bytes.is_null()).then(|| std::slice::from_raw_parts(bytes.cast(), length))
        }
    }

    /// The text of a string or a number, if it is UTF-8.
    pub fn text(self, index: c_int) -> Option<&'a str> {
        std::str::from_utf8(self.str(index)?).ok()
    }

    /// The value as Lua's truth.
    pub fn truth(self, index: c_int) -> bool {
        // SAFETY: reads only.
        unsafe { ffi::lua_toboolean(self.0, index) != 0 }
    }

    /// The value as an integer, if it is a number without fraction.
    pub fn integer(self, index: c_int) -> Option<i64> {
        let mut is_integer = 0;
        // SAFETY: reads only.
        let value = unsafe { ffi::lua_tointegerx(self.0, index, &mut is_integer) };
        (is_integer != 0).then_some(value)
    }

    /// Whether a number is an integer and not a float.
    pub fn is_integer(self, index: c_int) -> bool {
        // SAFETY: reads only.
        unsafe { ffi::lua_isinteger(self.0, index) != 0 }
    }

    /// The value as a float.
    pub fn number(self, index: c_int) -> f64 {
        // SAFETY: reads only.
        unsafe { ffi::lua_tonumberx(self.0, index, std::ptr::null_mut()) }
    }

    /// The address of a table, function, thread or userdata.
    pub fn address(self, index: c_int) -> usize {
        // SAFETY: reads only.
        unsafe { ffi::lua_topointer(self.0, index) as usize }
    }

    /// Pushes nil.
    pub fn push_nil(self) {
        // SAFETY: within `HEADROOM`, as every push here unless the caller reserved more.
        unsafe { ffi::lua_pushnil(self.0) }
    }

    /// Pushes a boolean.
    pub fn push_bool(self, value: bool) {
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_pushboolean(self.0, c_int::from(value)) }
    }

    /// Pushes an integer.
    pub fn push_int(self, value: i64) {
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_pushinteger(self.0, value) }
    }

    /// Pushes a float.
    pub fn push_float(self, value: f64) {
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_pushnumber(self.0, value) }
    }

    /// Pushes a string.
    pub fn push_str(self, value: impl AsRef<[u8]>) {
        let value = value.as_ref();
        // SAFETY: see `push_nil`; Lua copies the bytes.
        unsafe {
            ffi::lua_pushlstring(self.0, value.as_ptr().cast(), value.len());
        }
    }

    /// Pushes a copy of a value.
    pub fn push_value(self, index: c_int) {
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_pushvalue(self.0, index) }
    }

    /// Moves the topmost value to `index`, shifting those above up.
    pub fn insert(self, index: c_int) {
        // SAFETY: `index` is a valid position below the top.
        unsafe { ffi::lua_rotate(self.0, index, 1) }
    }

    /// Takes the value at `index` out, shifting those above down.
    pub fn remove(self, index: c_int) {
        // SAFETY: `index` is a valid position.
        unsafe { ffi::lua_rotate(self.0, index, -1) };
        self.pop();
    }

    /// Pushes a new table.
    pub fn new_table(self, array: usize, fields: usize) {
        let clamp = |n: usize| c_int::try_from(n.min(1 << 20)).unwrap_or(0);
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_createtable(self.0, clamp(array), clamp(fields)) }
    }

    /// Number of elements of a table, without metamethods.
    pub fn raw_len(self, index: c_int) -> usize {
        // SAFETY: reads only.
        unsafe { ffi::lua_rawlen(self.0, index) }
    }

    /// Pushes `table[key]`, without metamethods.
    pub fn raw_geti(self, table: c_int, key: i64) -> Kind {
        // SAFETY: `table` is a table, as every caller has checked.
        unsafe { ffi::lua_rawgeti(self.0, table, key) };
        self.kind(-1)
    }

    /// Pops a value into `table[key]`, without metamethods.
    pub fn raw_seti(self, table: c_int, key: i64) {
        // SAFETY: see `raw_geti`.
        unsafe { ffi::lua_rawseti(self.0, table, key) }
    }

    /// Pushes `table[name]`, without metamethods.
    pub fn raw_field(self, table: c_int, name: &str) -> Kind {
        let table = self.absolute(table);
        self.push_str(name);
        // SAFETY: see `raw_geti`.
        unsafe { ffi::lua_rawget(self.0, table) };
        self.kind(-1)
    }

    /// Pops a value into `table[name]`, without metamethods.
    pub fn raw_set_field(self, table: c_int, name: &str) {
        let table = self.absolute(table);
        self.push_str(name);
        self.insert(-2);
        // SAFETY: see `raw_geti`; a string is a valid key.
        unsafe { ffi::lua_rawset(self.0, table) }
    }

    /// Pops a value and then a key into a table, without metamethods. The key is neither nil nor
    /// NaN.
    pub fn raw_set(self, table: c_int) {
        // SAFETY: see `raw_geti`; callers have checked the key.
        unsafe { ffi::lua_rawset(self.0, table) }
    }

    /// Replaces the key on top by the table's next key and value; false at the end. The table
    /// must not change in between.
    pub fn next(self, table: c_int) -> bool {
        // SAFETY: the key is nil or came from the same, unchanged table, so this does not raise.
        unsafe { ffi::lua_next(self.0, table) != 0 }
    }

    /// Pushes the metatable of a value, if it has one.
    pub fn push_metatable(self, index: c_int) -> bool {
        // SAFETY: see `push_nil`.
        unsafe { ffi::lua_getmetatable(self.0, index) != 0 }
    }

    /// Pops a table and makes it the metatable of a value.
    pub fn set_metatable(self, index: c_int) {
        // SAFETY: the topmost value is a table.
        unsafe {
            ffi::lua_setmetatable(self.0, index);
        }
    }

    /// Pushes the user value of a userdata.
    pub fn push_user_value(self, index: c_int, n: c_int) {
        // SAFETY: the value is a full userdata; a missing user value pushes nil.
        unsafe {
            ffi::lua_getiuservalue(self.0, index, n);
        }
    }

    /// Pops a value into the user value of a userdata.
    pub fn set_user_value(self, index: c_int, n: c_int) {
        // SAFETY: the value is a full userdata with at least `n` user values.
        unsafe {
            ffi::lua_setiuservalue(self.0, index, n);
        }
    }

    /// Whether two values are the same, without metamethods.
    pub fn raw_equal(self, a: c_int, b: c_int) -> bool {
        // SAFETY: reads only.
        unsafe { ffi::lua_rawequal(self.0, a, b) != 0 }
    }

    /// `index` counted from the bottom.
    pub fn absolute(self, index: c_int) -> c_int {
        // SAFETY: reads only.
        unsafe { ffi::lua_absindex(self.0, index) }
    }

    /// The names of the upvalues of a Lua function.
    pub fn upvalue_names(self, function: c_int) -> Vec<String> {
        let mut names = Vec::new();
        // SAFETY: `lua_getupvalue` pushes one value only where it gives a name, which lives as long
        // as the function; it is popped at once.
        unsafe {
            for n in 1.. {
                let name = ffi::lua_getupvalue(self.0, function, n);
                if name.is_null() {
                    break;
                }
                self.pop();
                names.push(std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned());
            }
        }
        names
    }

    /// Whether the thread could be suspended now.
    pub fn is_yieldable(self) -> bool {
        // SAFETY: reads only.
        unsafe { ffi::lua_isyieldable(self.0) != 0 }
    }

    /// `chunk:line:` of the function at `level` (0 is the running one), or nothing.
    pub fn location(self, level: c_int) -> String {
        let start = self.top();
        // SAFETY: `luaL_where` pushes one string and does not raise.
        unsafe { ffi::luaL_where(self.0, level) };
        let text = self.text(-1).unwrap_or_default().to_owned();
        self.set_top(start);
        text
    }

    /// A traceback of this thread.
    pub fn traceback(self) -> String {
        let start = self.top();
        // SAFETY: pushes one string within `HEADROOM` plus what the call reserves itself.
        unsafe { ffi::luaL_traceback(self.0, self.0, std::ptr::null(), 0) };
        let text = String::from_utf8_lossy(self.str(-1).unwrap_or_default()).into_owned();
        self.set_top(start);
        text
    }

    /// Pushes a value from the registry by name.
    pub fn push_registered(self, name: &str) {
        if let Ok(name) = CString::new(name) {
            // SAFETY: the registry is a plain table; see `push_nil`.
            unsafe {
                ffi::lua_getfield(self.0, ffi::LUA_REGISTRYINDEX, name.as_ptr());
            }
        } else {
            self.push_nil();
        }
    }
}

impl Stack<'_> {
    /// The value at `index` as mlua sees it.
    ///
    /// # Errors
    /// Out of memory.
    pub fn to_mlua(self, lua: &mlua::Lua, index: c_int) -> mlua::Result<mlua::Value> {
        self.push_value(index);
        // SAFETY: a value passes through the registry, since mlua may be at work on another thread
        // or another frame of this one.
        unsafe {
            ffi::lua_rawsetp(self.0, ffi::LUA_REGISTRYINDEX, transit());
            lua.exec_raw((), |state| {
                ffi::lua_rawgetp(state, ffi::LUA_REGISTRYINDEX, transit());
            })
        }
    }

    /// Pushes a value of mlua's.
    ///
    /// # Errors
    /// Out of memory.
    pub fn push_mlua(self, lua: &mlua::Lua, value: impl mlua::IntoLua) -> mlua::Result<()> {
        // SAFETY: as in `to_mlua`, the other way.
        unsafe {
            lua.exec_raw::<()>(value.into_lua(lua)?, |state| {
                ffi::lua_rawsetp(state, ffi::LUA_REGISTRYINDEX, transit());
            })?;
            ffi::lua_rawgetp(self.0, ffi::LUA_REGISTRYINDEX, transit());
        }
        Ok(())
    }
}

/// The key in the registry under which a value passes between mlua and a stack.
fn transit() -> *const std::ffi::c_void {
    static KEY: u8 = 0;
    (&raw const KEY).cast()
}
