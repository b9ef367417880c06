use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

use mlua::ffi;

/// Cuts of one slice that found no place to suspend, after which the process fails: a few seconds.
const MAX_REFUSED_CUTS: u32 = 1000;

/// Lua instructions until the next try after such a cut.
const RETRY_INSTRUCTIONS: c_int = 10_000;

// A signal handler has no other way to find the coroutine that its thread runs. Each cell belongs
// to one worker thread and is empty outside a slice, so nodes in one process do not meet here.
thread_local! {
    static CURRENT: Cell<*mut ffi::lua_State> = const { Cell::new(ptr::null_mut()) };
    static PREEMPTED: Cell<bool> = const { Cell::new(false) };
    static REFUSED_CUTS: Cell<u32> = const { Cell::new(0) };
}

/// Says for its lifetime which coroutine the thread runs.
pub(super) struct Current(*mut ffi::lua_State);

impl Current {
    pub fn enter(state: *mut ffi::lua_State) -> Self {
        let outer = CURRENT.replace(state);
        if outer.is_null() {
            REFUSED_CUTS.set(0);
        }
        Self(outer)
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The coroutine that this thread runs.
pub(super) fn current() -> Option<*mut ffi::lua_State> {
    let state = CURRENT.get();
    (!state.is_null()).then_some(state)
}

/// Whether the hook has just yielded; asking resets it.
pub fn take_preempted() -> bool {
    PREEMPTED.replace(false)
}

/// Installs the handler for the signal that [`cut`] sends. Once for the whole process; a second
/// call changes nothing.
///
/// # Errors
/// The operating system's refusal.
pub fn install_signal_handler() -> std::io::Result<()> {
    // SAFETY: `on_signal` is async-signal-safe: it reads a constant-initialised thread-local
    // and calls `lua_sethook`, which the Lua manual allows in a signal handler. SA_RESTART keeps
    // interrupted system calls going.
    let status = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(SIGNAL, &action, ptr::null_mut())
    };
    if status == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// SIGURG is ignored by default and used by nothing here, as Go's runtime found before us.
const SIGNAL: c_int = libc::SIGURG;

/// The calling thread, for [`cut`].
pub fn this_thread() -> u64 {
    // SAFETY: always succeeds.
    unsafe { libc::pthread_self() as u64 }
}

/// Ends the time slice that runs on a thread at its next Lua instruction.
pub fn cut(thread: u64) {
    // SAFETY: the worker threads outlive the pacer that calls this (`process/runtime.rs`).
    unsafe {
        libc::pthread_kill(thread as libc::pthread_t, SIGNAL);
    }
}

extern "C" fn on_signal(_signal: c_int) {
    let state = CURRENT.get();
    if !state.is_null() {
        // SAFETY: the coroutine is alive while it is current, and this is its thread.
        unsafe { ffi::lua_sethook(state, Some(hook), ffi::LUA_MASKCOUNT, 1) };
    }
}

unsafe extern "C-unwind" fn hook(state: *mut ffi::lua_State, _event: *mut ffi::lua_Debug) {
    // SAFETY: Lua calls this between two instructions of `state`; the frame owns nothing.
    unsafe {
        if ffi::lua_isyieldable(state) != 0 {
            ffi::lua_sethook(state, None, 0, 0);
            PREEMPTED.set(true);
            ffi::lua_yield(state, 0);
            return;
        }
        ffi::lua_sethook(state, Some(hook), ffi::LUA_MASKCOUNT, RETRY_INSTRUCTIONS);
        let refused = REFUSED_CUTS.get() + 1;
        REFUSED_CUTS.set(refused);
        if refused > MAX_REFUSED_CUTS {
            ffi::lua_sethook(state, None, 0, 0);
            ffi::luaL_error(
                state,
                c"process ran too long inside a call that cannot be suspended".as_ptr(),
            );
        }
    }
}
