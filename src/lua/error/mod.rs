//! Errors between Lua and Rust (errors.md).
//!
//! - [`Error`] is the error object of scripts; fallible functions return `nil, err` with
//!   [`nil_err`] or [`results`].
//! - Misuse raises: native functions return `Err(`[`raise_text`]`(..))` or one of the `bad argument`
//!   functions, and `Err(`[`raise()`]`(..))` where an error object is to be raised.
//! - [`to_lua`] is what scripts see of a caught failure, [`from_mlua`], [`from_raised`] and
//!   [`from_returned`] are what crosses the end of a process.

mod caught;
mod details;
mod object;
mod raise;
mod script;
mod stack;

pub use caught::{from_mlua, from_raised, from_returned, to_lua};
pub use object::{Error, argument, into_userdata};
pub use raise::{
    bad_argument, bad_value, false_err, integer_argument, nil_err, raise, raise_text, results,
    string_argument, table_argument, type_name,
};
pub use script::{call_stack, from_script};
pub use stack::{HOST_CHUNK, position};
