//! The modules of scripts, one file each.

pub mod ctx;
pub mod errors;
pub mod json;
pub mod logger;
pub mod payload;
pub mod time;
pub mod uuid;

#[cfg(test)]
pub(crate) mod snippets;
