//! The spec library of `moonmesh test`: the parts of `lua/spec`, compiled in.
//!
//! Part `init` gets one table and runs a spec file; its first comment says what that table holds and
//! which events come back.

use mlua::{Function, Lua, Table};

use crate::lua::error::raise_text;

const PARTS: [(&str, &str); 11] = [
    ("init", include_str!("../../lua/spec/init.lua")),
    ("assert", include_str!("../../lua/spec/assert.lua")),
    ("assertions", include_str!("../../lua/spec/assertions.lua")),
    ("compare", include_str!("../../lua/spec/compare.lua")),
    ("declare", include_str!("../../lua/spec/declare.lua")),
    ("failure", include_str!("../../lua/spec/failure.lua")),
    ("limited", include_str!("../../lua/spec/limited.lua")),
    ("runner", include_str!("../../lua/spec/runner.lua")),
    ("show", include_str!("../../lua/spec/show.lua")),
    ("tree", include_str!("../../lua/spec/tree.lua")),
    ("waits", include_str!("../../lua/spec/waits.lua")),
];

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
