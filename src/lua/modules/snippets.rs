//! Runs tables of Lua snippets for the tests of the modules.

use mlua::{Lua, Table};

/// Runs each snippet in an environment that reads from `globals`, and reports all that fail.
pub fn run(lua: &Lua, globals: &Table, snippets: &[(&str, &str)]) {
    let failures: Vec<String> = snippets
        .iter()
        .filter_map(|(name, code)| {
            let environment = lua.create_table().unwrap();
            let metatable = lua.create_table_from([("__index", globals)]).unwrap();
            environment.set_metatable(Some(metatable)).unwrap();
            environment.raw_set("_G", &environment).unwrap();
            let chunk = lua.load(*code).set_name(format!("={name}")).set_environment(environment);
            chunk.exec().err().map(|failure| format!("{name}: {failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}
