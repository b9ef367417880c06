//! The only place that speaks Lua's C API: everything hot or blocking.
//!
//! mlua's safe interface cannot suspend a coroutine from a host function, and each value that passes
//! through it costs a reference. Here host functions are C functions that work on the stack itself.
//!
//! # Why this is sound
//! * **Errors.** Lua raises errors with `longjmp`. A [`Primitive`] never raises: it returns a
//!   [`Flow`], and only `call::enter`, whose frame owns nothing that needs dropping, raises or
//!   yields. What a primitive calls on the [`Stack`] cannot raise either: no metamethods (raw access
//!   only), no allocation failure (the host sets no hard memory limit; the allocator aborts), stack
//!   space is checked before it is used, and scripts cannot install finalizers (the sandbox
//!   refuses `__gc`), so the collector runs no script code.
//! * **Pointers.** A [`Stack`] is made from the state Lua passes to a C function or from a live
//!   thread, lives no longer than that call, and is neither `Send` nor `Sync`. Byte slices borrowed
//!   from it stay valid while the string is on the stack; they borrow the `Stack`.
//! * **The host pointer.** Each primitive carries a pointer to its `Host` as an upvalue. The VM is
//!   closed before its `Host` is dropped (`lua/vm.rs`), so the pointer outlives every call.
//! * **Reentrancy.** Primitives get `&Host`; state inside is in cells, and no borrow is held while
//!   Lua code can run.

mod call;
mod copy;
mod coroutine;
mod object;
mod preempt;
mod stack;
mod thread;

pub use call::{Flow, Primitive, primitive};
pub use copy::{copy_out, push_values};
pub use coroutine::{Stopped, install_coroutines, resume_process};
pub use object::{Object, metatable_address, register_class};
pub use preempt::{cut, install_signal_handler, this_thread};
pub use stack::{Kind, Stack};
pub use thread::{Anchor, Thread};
