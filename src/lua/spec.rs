//! The spec library of `moonmesh test`: the parts of `lua/spec`, compiled in.
//!
//! Part `init` gets one table and runs a spec file; its first comment says what that table holds and
//! which events come back.

use mlua::{Function, Lua, Table};

use crate::lua::error::raise_text;

/// The code of the process that runs a spec file.
pub const MAIN: &str = include_str!("../../lua/spec/main.lua");

/// The code of a process that `spec.spawn` starts.
pub const SPAWNED: &str = include_str!("../../lua/spec/spawned.lua");

const PARTS: [(&str, &str); 13] = [
    ("init", include_str!("../../lua/spec/init.lua")),
    ("assert", include_str!("../../lua/spec/assert.lua")),
    ("assertions", include_str!("../../lua/spec/assertions.lua")),
    ("compare", include_str!("../../lua/spec/compare.lua")),
    ("declare", include_str!("../../lua/spec/declare.lua")),
    ("failure", include_str!("../../lua/spec/failure.lua")),
    ("limited", include_str!("../../lua/spec/limited.lua")),
    ("main", MAIN),
    ("runner", include_str!("../../lua/spec/runner.lua")),
    ("show", include_str!("../../lua/spec/show.lua")),
    ("spawned", SPAWNED),
    ("tree", include_str!("../../lua/spec/tree.lua")),
    ("waits", include_str!("../../lua/spec/waits.lua")),
];

/// What a spec file is run with, and who is told of it. One node runs one file.
pub trait SpecHost: Send + Sync {
    /// What runs.
    fn settings(&self) -> &SpecSettings;

    /// One event of the library, as `lua/spec/init.lua` lists them.
    fn report(&self, event: serde_json::Value);

    /// Whether a test is selected.
    fn accepts(&self, full_name: &str, tags: &[String]) -> bool;

    /// A permutation of 1 to `count` for the children of one block.
    fn order(&self, count: usize) -> Vec<usize>;

    /// Whether the rest of the file is to be skipped.
    fn is_stopped(&self) -> bool;
}

/// The file or entry that a node tests.
#[derive(Debug, Clone)]
pub struct SpecSettings {
    /// The file or entry, as it appears in reports.
    pub path: String,
    /// Its Lua text.
    pub source: String,
    /// For an entry: the name of its test and the function to call.
    pub entry: Option<(String, String)>,
    /// Whether tests are only listed.
    pub lists_only: bool,
    /// Whether [`SpecHost::order`] is to be asked.
    pub is_shuffled: bool,
    /// The limit of one test, in milliseconds.
    pub timeout_ms: u64,
}

/// Compiles one part with the environment of the process that runs the spec file: the library sets its
/// globals there.
///
/// # Errors
/// There is no part of this name, or memory is short.
pub fn part(lua: &Lua, name: &str, environment: Table) -> mlua::Result<Function> {
    let Some((_, code)) = PARTS.iter().find(|(part, _)| *part == name) else {
        return Err(raise_text(lua, format!("the spec library has no part {name:?}")));
    };
    lua.load(*code).set_name(format!("=[spec:{name}]")).set_environment(environment).into_function()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_compiles_and_no_file_is_left_out() {
        let lua = Lua::new();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/lua/spec");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            part(&lua, name, lua.globals()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(part(&lua, "none", lua.globals()).is_err());
    }
}
