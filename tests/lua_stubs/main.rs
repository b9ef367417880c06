//! The LuaLS stubs in `lua/meta`: they load, and every function of them is documented as declared.

use std::collections::BTreeMap;
use std::path::Path;

use mlua::{Lua, Table, Value};

/// The modules of `spec/stdlib.md` and its neighbours that `require` finds.
const MODULES: [&str; 15] = [
    "channel", "ctx", "errors", "events", "funcs", "json", "logger", "payload", "pg", "process",
    "registry", "security", "system", "time", "uuid",
];

/// Files that only declare globals.
const GLOBALS: [&str; 2] = ["globals", "spec"];

/// One `function` line of a stub with the comment lines right above it.
struct Declaration {
    place: String,
    parameters: Vec<String>,
    comment: Vec<String>,
}

fn stubs() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lua/meta");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let stub = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files.map(stub).collect()
}

fn declarations(file: &str, text: &str) -> Vec<Declaration> {
    let mut found = Vec::new();
    let mut comment: Vec<String> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(rest) = line.strip_prefix("---") {
            comment.push(rest.to_owned());
            continue;
        }
        if let Some(head) = line.strip_prefix("function ") {
            let (name, rest) = head.split_once('(').unwrap();
            let (parameters, end) = rest.split_once(')').unwrap();
            assert_eq!(end, " end", "{file}.lua:{}", number + 1);
            found.push(Declaration {
                place: format!("{file}.lua:{}: {name}", number + 1),
                parameters: parameters
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect(),
                comment: comment.clone(),
            });
        }
        comment.clear();
    }
    found
}

impl Declaration {
    /// The parameters that the comment declares, in order.
    fn declared(&self) -> Vec<String> {
        let tags = self.comment.iter().filter_map(|line| line.strip_prefix("@param "));
        tags.map(|tag| {
            let name = tag.split_whitespace().next().unwrap_or_default();
            name.trim_end_matches('?').to_owned()
        })
        .collect()
    }
}

#[test]
fn there_is_a_stub_for_every_module() {
    let mut expected: Vec<_> = MODULES.iter().chain(&GLOBALS).copied().collect();
    expected.sort_unstable();
    let found = stubs();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected);
    for (name, text) in &found {
        let module = MODULES.contains(&name.as_str());
        let head = if module { format!("---@meta {name}\n") } else { "---@meta\n".to_owned() };
        assert!(text.starts_with(&head), "{name}.lua must start with {head:?}");
    }
}

#[test]
fn stubs_load_as_lua_and_return_their_module() {
    for (name, text) in stubs() {
        let lua = Lua::new();
        let value: Value = lua.load(text).set_name(format!("@{name}.lua")).eval().unwrap();
        assert_eq!(value.is_table(), MODULES.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn parameters_are_documented_as_they_are_declared() {
    let mut complaints = Vec::new();
    for (file, text) in stubs() {
        for declaration in declarations(&file, &text) {
            let declared = declaration.declared();
            if declared != declaration.parameters {
                let Declaration { place, parameters, .. } = declaration;
                complaints.push(format!("{place}: takes {parameters:?}, documents {declared:?}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_function_says_something() {
    let silent: Vec<_> = stubs()
        .iter()
        .flat_map(|(file, text)| declarations(file, text))
        .filter(|declaration| declaration.comment.is_empty())
        .map(|declaration| declaration.place)
        .collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn modules_have_exactly_the_functions_of_their_stubs() {
    let lua = Lua::new();
    let mut complaints = Vec::new();
    for (name, module) in real_modules(&lua) {
        let text = &stubs()[name];
        let stub: Table = Lua::load(&lua, text.as_str()).eval().unwrap();
        compare(name, &stub, &module, &mut complaints);
        let constants: Vec<_> = text.lines().filter_map(|l| l.strip_prefix("---@field ")).collect();
        complaints.retain(|complaint| {
            let name = complaint.split([' ', '.']).nth(1).unwrap_or_default();
            let declared = constants.iter().any(|field| field.split(' ').next() == Some(name));
            !(complaint.ends_with("is not in the stub") && declared)
        });
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The modules that can be made without a node.
fn real_modules(lua: &Lua) -> Vec<(&'static str, Table)> {
    use moonmesh::lua::modules::{errors, json, payload, uuid};
    use moonmesh::value::{ErrorValue, kind};
    let copy =
        |_: &Lua, _: Value| Ok(Err(ErrorValue::new(kind::INVALID, "nothing is copied here")));
    vec![
        ("errors", errors::table(lua).unwrap()),
        ("json", json::table(lua).unwrap()),
        ("payload", payload::table(lua, moonmesh::lua::plain::to_lua, copy).unwrap()),
        ("uuid", uuid::table(lua).unwrap()),
    ]
}

fn compare(path: &str, stub: &Table, module: &Table, complaints: &mut Vec<String>) {
    let keys = |table: &Table| -> BTreeMap<String, Value> {
        table.pairs::<String, Value>().map(|pair| pair.unwrap()).collect()
    };
    let (stubbed, real) = (keys(stub), keys(module));
    for (key, value) in &stubbed {
        match (value, real.get(key)) {
            (_, None) => complaints.push(format!("{path}.{key} is in the stub only")),
            (Value::Table(stub), Some(Value::Table(real))) => {
                compare(&format!("{path}.{key}"), stub, real, complaints);
            }
            (stub, Some(real)) if stub.type_name() != real.type_name() => complaints.push(format!(
                "{path}.{key} is a {} in the stub, really a {}",
                stub.type_name(),
                real.type_name()
            )),
            _ => {}
        }
    }
    let missing = real.keys().filter(|key| !stubbed.contains_key(*key));
    complaints.extend(missing.map(|key| format!("{path}.{key} is not in the stub")));
}
