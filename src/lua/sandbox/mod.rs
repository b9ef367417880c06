//! The base environment that every process of a VM reads its globals from (stdlib.md section 1).
//!
//! Processes share the base functions and the standard libraries, so none may be changed by a
//! script, by whatever way. A process writes to an environment of its own, made by
//! [`Sandbox::environment`].

mod base;
mod closures_ffi;
mod freeze;
mod functions_ffi;

pub use base::{Sandbox, host_chunk, translator};
pub use freeze::{content, freeze};

#[cfg(test)]
mod tests;
