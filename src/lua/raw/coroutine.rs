use std::ffi::{c_int, c_void};

use mlua::ffi;

use super::super::host::Host;
use super::Thread;
use super::preempt::{self, Current};

static TOKENS: [u8; 3] = [0; 3];

/// What a coroutine yields to say that the whole process waits. Scripts cannot make or see it.
pub(super) fn wait_token() -> *mut c_void {
    (&raw const TOKENS[0]).cast_mut().cast()
}

/// What it yields once the process's code is loaded.
pub(super) fn loaded_token() -> *mut c_void {
    (&raw const TOKENS[1]).cast_mut().cast()
}

/// What an outer coroutine yields when an inner one was cut by the end of its time slice.
fn cut_token() -> *mut c_void {
    (&raw const TOKENS[2]).cast_mut().cast()
}

/// How a coroutine of a process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It waits.
    Waiting,
    /// The process's code is loaded.
    Loaded,
    /// Its time slice was cut, or the script yielded: it can go on at once.
    Yielded,
    /// It returned this many values, which are on its stack.
    Returned(c_int),
    /// It failed; the error is the topmost value of its stack.
    Failed,
}

/// Lets a coroutine of a process go on, with its arguments on its stack if it is new.
pub fn resume_process(thread: &Thread, from: &mlua::Lua, arguments: c_int) -> Stopped {
    let state = thread.state;
    let mut results = 0;
    // SAFETY: `thread` is alive and suspended or new, as the process's books say; whatever happens
    // inside ends in a status, not in a jump.
    unsafe {
        let outer = preempt::current().unwrap_or(from.state());
        let status = {
            let _current = Current::enter(state);
            ffi::lua_resume(state, outer, arguments, &mut results)
        };
        match status {
            ffi::LUA_OK => Stopped::Returned(results),
            ffi::LUA_YIELD => {
                let token = if results == 1 {
                    ffi::lua_touserdata(state, -1)
                } else {
                    std::ptr::null_mut()
                };
                if results > 0 {
                    ffi::lua_pop(state, results);
                }
                if token == wait_token() {
                    Stopped::Waiting
                } else if token == loaded_token() {
                    Stopped::Loaded
                } else {
                    preempt::take_preempted();
                    Stopped::Yielded
                }
            }
            _ => Stopped::Failed,
        }
    }
}

/// `resume` and `wrap` for scripts: as Lua's, but a coroutine that waits for the host suspends
/// all those around it up to the process, and goes on inside them, unnoticed by the script.
pub fn install_coroutines(
    lua: &mlua::Lua,
    host: &Host,
) -> mlua::Result<(mlua::Function, mlua::Function)> {
    let host: *const Host = host;
    let closure = |function: ffi::lua_CFunction| {
        // SAFETY: one upvalue, one closure; see `call::primitive` on the host pointer.
        unsafe {
            lua.exec_raw::<mlua::Function>((), |state| {
                ffi::lua_pushlightuserdata(state, host as *mut c_void);
                ffi::lua_pushcclosure(state, function, 1);
            })
        }
    };
    Ok((closure(resume)?, closure(wrap)?))
}

/// # Safety
/// Runs inside a closure whose first upvalue is the host pointer.
unsafe fn host<'a>(state: *mut ffi::lua_State) -> &'a Host {
    // SAFETY: see above.
    unsafe { &*ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast() }
}

// The C functions below keep stack discipline as Lua's own `lcorolib.c` does, and their frames own
// nothing that needs dropping when they leave by a jump.

unsafe extern "C-unwind" fn resume(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        let inner = ffi::lua_tothread(state, 1);
        if inner.is_null() {
            return ffi::luaL_error(
                state,
                c"bad argument #1 to 'resume' (coroutine expected)".as_ptr(),
            );
        }
        let arguments = ffi::lua_gettop(state) - 1;
        let outcome = begin(state, inner, arguments);
        deliver_resume(state, outcome)
    }
}

unsafe extern "C-unwind" fn resume_again(
    state: *mut ffi::lua_State,
    _status: c_int,
    _context: ffi::lua_KContext,
) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        let inner = ffi::lua_tothread(state, 1);
        host(state).leave_wait(inner as usize);
        let outcome = go_on(state, inner, 0);
        deliver_resume(state, outcome)
    }
}

unsafe fn deliver_resume(state: *mut ffi::lua_State, outcome: Inner) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        match outcome {
            Inner::Values(count) => {
                ffi::lua_pushboolean(state, 1);
                ffi::lua_rotate(state, -(count + 1), 1);
                count + 1
            }
            Inner::Error => {
                ffi::lua_pushboolean(state, 0);
                ffi::lua_rotate(state, -2, 1);
                2
            }
            Inner::Suspended(token) => {
                ffi::lua_pushlightuserdata(state, token);
                ffi::lua_yieldk(state, 1, 0, Some(resume_again))
            }
        }
    }
}

unsafe extern "C-unwind" fn wrap(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TFUNCTION);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        let inner = ffi::lua_newthread(state);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_xmove(state, inner, 1);
        ffi::lua_pushcclosure(state, wrapped, 2);
        1
    }
}

unsafe extern "C-unwind" fn wrapped(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        let inner = ffi::lua_tothread(state, ffi::lua_upvalueindex(2));
        let arguments = ffi::lua_gettop(state);
        let outcome = begin(state, inner, arguments);
        deliver_wrapped(state, inner, outcome)
    }
}

unsafe extern "C-unwind" fn wrapped_again(
    state: *mut ffi::lua_State,
    _status: c_int,
    _context: ffi::lua_KContext,
) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        let inner = ffi::lua_tothread(state, ffi::lua_upvalueindex(2));
        host(state).leave_wait(inner as usize);
        let outcome = go_on(state, inner, 0);
        deliver_wrapped(state, inner, outcome)
    }
}

unsafe fn deliver_wrapped(
    state: *mut ffi::lua_State,
    inner: *mut ffi::lua_State,
    outcome: Inner,
) -> c_int {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        match outcome {
            Inner::Values(count) => count,
            Inner::Suspended(token) => {
                ffi::lua_pushlightuserdata(state, token);
                ffi::lua_yieldk(state, 1, 0, Some(wrapped_again))
            }
            Inner::Error => {
                let status = ffi::lua_status(inner);
                if status != ffi::LUA_OK && status != ffi::LUA_YIELD {
                    ffi::lua_closethread(inner, state);
                    ffi::lua_settop(inner, 0);
                }
                if ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
                    ffi::luaL_where(state, 1);
                    ffi::lua_rotate(state, -2, 1);
                    ffi::lua_concat(state, 2);
                }
                ffi::lua_error(state)
            }
        }
    }
}

/// How an inner coroutine stopped, seen from the one that resumed it.
enum Inner {
    /// It yielded or returned these topmost values.
    Values(c_int),
    /// It failed with the topmost value.
    Error,
    /// The process is to be suspended, with this token.
    Suspended(*mut c_void),
}

unsafe fn begin(state: *mut ffi::lua_State, inner: *mut ffi::lua_State, arguments: c_int) -> Inner {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        let refusal = if host(state).is_in_wait(inner as usize) {
            Some(c"cannot resume non-suspended coroutine")
        } else if ffi::lua_checkstack(inner, arguments) == 0 {
            Some(c"too many arguments to resume")
        } else if ffi::lua_status(inner) == ffi::LUA_OK && ffi::lua_gettop(inner) == 0 {
            Some(c"cannot resume dead coroutine")
        } else {
            None
        };
        if let Some(text) = refusal {
            ffi::lua_pushstring(state, text.as_ptr());
            return Inner::Error;
        }
        ffi::lua_xmove(state, inner, arguments);
        go_on(state, inner, arguments)
    }
}

unsafe fn go_on(
    state: *mut ffi::lua_State,
    inner: *mut ffi::lua_State,
    mut arguments: c_int,
) -> Inner {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        loop {
            let mut results = 0;
            let status = {
                let _current = Current::enter(inner);
                ffi::lua_resume(inner, state, arguments, &mut results)
            };
            arguments = 0;
            if status != ffi::LUA_OK && status != ffi::LUA_YIELD {
                ffi::lua_xmove(inner, state, 1);
                return Inner::Error;
            }
            if status == ffi::LUA_YIELD
                && let Some(token) = token(inner, results)
            {
                if ffi::lua_isyieldable(state) != 0 {
                    host(state).enter_wait(inner as usize);
                    return Inner::Suspended(token);
                }
                // The outer coroutine sits in a C function that cannot be suspended: a wait
                // fails inside, a cut slice just goes on.
                if token == wait_token() {
                    host(state).refuse_wait();
                }
                continue;
            }
            if ffi::lua_checkstack(state, results + 1) == 0 {
                ffi::lua_pop(inner, results);
                ffi::lua_pushstring(state, c"too many results to resume".as_ptr());
                return Inner::Error;
            }
            ffi::lua_xmove(inner, state, results);
            return Inner::Values(results);
        }
    }
}

/// The token that a yield of the host carries, taken off the inner stack; `None` for a script's.
unsafe fn token(inner: *mut ffi::lua_State, results: c_int) -> Option<*mut c_void> {
    // SAFETY: see above: Lua's own discipline, and frames that own nothing.
    unsafe {
        if results == 0 && preempt::take_preempted() {
            return Some(cut_token());
        }
        if results != 1 || ffi::lua_type(inner, -1) != ffi::LUA_TLIGHTUSERDATA {
            return None;
        }
        let token = ffi::lua_touserdata(inner, -1);
        if token == wait_token() || token == loaded_token() || token == cut_token() {
            ffi::lua_pop(inner, 1);
            return Some(token);
        }
        None
    }
}
