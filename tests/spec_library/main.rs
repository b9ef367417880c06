//! The spec library in the real sandbox, with small stand-ins for what blocks (`fakes.lua`).

use std::collections::BTreeMap;

use mlua::{Lua, Table, Value};
use moonmesh::lua::modules::errors;
use moonmesh::lua::sandbox::Sandbox;
use moonmesh::lua::spec;
use serde_json::{Value as Json, json};

mod assertions;
mod hosting;
mod running;

/// A spec file to be run, and how.
pub struct Spec<'a> {
    source: &'a str,
    settings: BTreeMap<&'a str, Json>,
}

/// What the library reported.
pub struct Report(pub Vec<Json>);

impl<'a> Spec<'a> {
    /// Runs `source` as `a_spec.lua`, with a limit of one second for each test.
    pub fn new(source: &'a str) -> Self {
        let settings =
            [("mode", json!("run")), ("timeout_ms", json!(1000)), ("path", json!("a_spec.lua"))];
        Self { source, settings: settings.into() }
    }

    /// Sets one of the settings that `driver.lua` knows.
    pub fn with(mut self, key: &'a str, value: impl Into<Json>) -> Self {
        self.settings.insert(key, value.into());
        self
    }

    /// Runs it in a state of its own.
    pub fn run(&self) -> Report {
        let lua = Lua::new();
        let sandbox = Sandbox::new(&lua, |lua| lua.create_table()).unwrap();
        let errors = errors::table(&lua).unwrap();
        sandbox.set(&lua, "errors", Value::Table(errors.clone())).unwrap();
        let env = sandbox.environment(&lua).unwrap();
        let fakes = lua.load(include_str!("fakes.lua")).set_name("=[moonmesh] fakes");
        let fakes: Table = fakes.call(errors).unwrap();
        let load_part = {
            let env = env.clone();
            lua.create_function(move |lua, name: String| spec::part(lua, &name, env.clone()))
                .unwrap()
        };
        let settings = lua.create_table().unwrap();
        for (key, value) in &self.settings {
            settings.set(*key, to_lua(&lua, value)).unwrap();
        }
        let events = lua.create_table().unwrap();
        let driver = lua.load(include_str!("driver.lua")).set_name("=[moonmesh] driver");
        driver
            .call::<()>((fakes, env, load_part, settings, self.source, &events))
            .unwrap_or_else(|error| panic!("{error}"));
        Report(events.sequence_values().map(|event| from_lua(event.unwrap())).collect())
    }
}

impl Report {
    /// All events of this kind.
    pub fn all(&self, event: &str) -> Vec<&Json> {
        self.0.iter().filter(|e| e["event"] == event).collect()
    }

    /// The full names of the tests of this kind of event, in order.
    pub fn names(&self, event: &str) -> Vec<&str> {
        self.all(event).iter().filter_map(|e| e["full_name"].as_str()).collect()
    }

    /// `[passed, failed, skipped]`.
    pub fn totals(&self) -> [i64; 3] {
        let end = self.0.last().unwrap();
        assert_eq!(end["event"], "suite_end");
        ["passed", "failed", "skipped"].map(|key| end[key].as_i64().unwrap())
    }

    /// The failure of the only failing test or error.
    pub fn failure(&self) -> &Json {
        let failed: Vec<_> = self.0.iter().filter(|e| e["failure"] != Json::Null).collect();
        assert_eq!(failed.len(), 1, "{:#?}", self.0);
        &failed[0]["failure"]
    }
}

fn to_lua(lua: &Lua, value: &Json) -> Value {
    match value {
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => Value::Number(number.as_f64().unwrap()),
        Json::String(text) => Value::String(lua.create_string(text).unwrap()),
        other => panic!("no setting is {other}"),
    }
}

fn from_lua(value: Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Boolean(flag) => json!(flag),
        Value::Integer(number) => json!(number),
        Value::Number(number) => json!(number),
        Value::String(text) => json!(text.to_string_lossy()),
        Value::Table(table) if table.raw_len() > 0 || table.is_empty() => {
            table.sequence_values().map(|item| from_lua(item.unwrap())).collect()
        }
        Value::Table(table) => {
            let pairs = table.pairs::<String, Value>().map(|pair| pair.unwrap());
            Json::Object(pairs.map(|(key, value)| (key, from_lua(value))).collect())
        }
        other => panic!("an event must be plain data, not {other:?}"),
    }
}
