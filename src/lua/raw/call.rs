use std::ffi::{c_int, c_void};

use mlua::ffi;

use super::super::host::Host;
use super::Stack;
use super::coroutine::{loaded_token, wait_token};

/// A host function: works on the stack and says what to do next. See the module's soundness notes.
pub type Primitive = for<'a> fn(&Host, Stack<'a>) -> Flow;

/// The second half of a host function that waited.
pub type Resumed = for<'a> fn(&Host, Stack<'a>) -> Flow;

/// What a primitive wants done.
pub enum Flow {
    /// The topmost values are the results.
    Return(c_int),
    /// The answer is `nil, err`, with the error left in [`Host::failure`].
    Fail,
    /// The topmost value is raised as an error.
    Raise,
    /// The process suspends; when what it waits for has come, the function goes on.
    Wait(Resumed),
    /// As `Wait`, but says that the process's code is loaded.
    Loaded(Resumed),
    /// Calls the function below the topmost `.0` values and returns its results.
    Call(c_int),
}

const HOST: c_int = 1;
const FAILER: c_int = 2;

/// Wraps a primitive as a Lua function. `failer` turns [`Host::failure`] into `nil, err`.
pub fn primitive(
    lua: &mlua::Lua,
    host: &Host,
    failer: &mlua::Function,
    primitive: Primitive,
) -> mlua::Result<mlua::Function> {
    let host: *const Host = host;
    // SAFETY: pushes three upvalues and a closure over them, within the space `exec_raw` gives
    // plus `lua_checkstack`; the function pointer is stored as data and called with its own type.
    unsafe {
        lua.exec_raw(failer, |state| {
            ffi::lua_checkstack(state, 4);
            ffi::lua_pushlightuserdata(state, host as *mut c_void);
            ffi::lua_rotate(state, -2, 1);
            ffi::lua_pushlightuserdata(state, primitive as *mut c_void);
            ffi::lua_pushcclosure(state, enter, 3);
        })
    }
}

/// # Safety
/// Runs inside a closure made by [`primitive`].
unsafe fn host<'a>(state: *mut ffi::lua_State) -> &'a Host {
    // SAFETY: the first upvalue is the pointer that `primitive` stored; `Host` outlives the VM.
    unsafe { &*ffi::lua_touserdata(state, ffi::lua_upvalueindex(HOST)).cast() }
}

/// The C function of every primitive.
unsafe extern "C-unwind" fn enter(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: upvalue 3 holds a `Primitive`. The frame owns nothing, so the jumps in `act` skip
    // no destructor.
    unsafe {
        let function: Primitive =
            std::mem::transmute(ffi::lua_touserdata(state, ffi::lua_upvalueindex(3)));
        let stack = Stack::new(state);
        if !stack.reserve(0) {
            return ffi::luaL_error(state, c"stack overflow".as_ptr());
        }
        act(state, function(host(state), stack))
    }
}

/// The continuation of every wait: `context` is the [`Resumed`] to go on with.
unsafe extern "C-unwind" fn resumed(
    state: *mut ffi::lua_State,
    _status: c_int,
    context: ffi::lua_KContext,
) -> c_int {
    // SAFETY: `context` was made from a `Resumed` in `act`; for the rest see `enter`.
    unsafe {
        let function: Resumed = std::mem::transmute(context);
        let stack = Stack::new(state);
        stack.reserve(0);
        act(state, function(host(state), stack))
    }
}

/// The continuation of a tail call into Lua.
unsafe extern "C-unwind" fn called(
    state: *mut ffi::lua_State,
    _status: c_int,
    below: ffi::lua_KContext,
) -> c_int {
    // SAFETY: reads only; `below` is the number of values that the call left alone.
    unsafe { ffi::lua_gettop(state) - below as c_int }
}

/// # Safety
/// Called last in a frame that owns nothing: it may leave by a jump.
unsafe fn act(state: *mut ffi::lua_State, flow: Flow) -> c_int {
    // SAFETY: the values that each flow speaks of are on the stack; yields happen only where Lua
    // allows them, which `Host::wait` has checked.
    unsafe {
        match flow {
            Flow::Return(results) => results,
            Flow::Raise => ffi::lua_error(state),
            Flow::Fail => {
                ffi::lua_settop(state, 0);
                ffi::lua_pushvalue(state, ffi::lua_upvalueindex(FAILER));
                ffi::lua_call(state, 0, ffi::LUA_MULTRET);
                ffi::lua_gettop(state)
            }
            Flow::Call(arguments) => {
                let below = ffi::lua_gettop(state) - arguments - 1;
                let context = below as ffi::lua_KContext;
                ffi::lua_callk(state, arguments, ffi::LUA_MULTRET, context, Some(called));
                called(state, ffi::LUA_OK, context)
            }
            Flow::Wait(next) => wait(state, next, wait_token()),
            Flow::Loaded(next) => wait(state, next, loaded_token()),
        }
    }
}

unsafe fn wait(state: *mut ffi::lua_State, next: Resumed, token: *mut c_void) -> c_int {
    // SAFETY: the token is compared, never followed.
    unsafe {
        ffi::lua_pushlightuserdata(state, token);
        ffi::lua_yieldk(state, 1, next as usize as ffi::lua_KContext, Some(resumed))
    }
}
