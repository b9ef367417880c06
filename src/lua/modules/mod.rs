//! The modules of scripts, one file each.

pub mod errors;

#[cfg(test)]
pub(crate) mod snippets;
