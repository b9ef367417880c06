//! The modules of scripts, one file each.

pub mod errors;
pub mod json;

#[cfg(test)]
pub(crate) mod snippets;
