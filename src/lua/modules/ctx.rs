//! The `ctx` module: the values that a process inherited from whoever started it (stdlib.md
//! section 4).

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{Lua, MultiValue, Table, Value};

use crate::lua::error::{nil_err, results, string_argument};
use crate::lua::plain;
use crate::value::{ErrorValue, Values, kind};

/// One copied value for each key.
pub type ContextValues = Arc<BTreeMap<String, Values>>;

/// The module's table. `values` gives the context of the process that runs.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua, values: impl Fn() -> ContextValues + 'static) -> mlua::Result<Table> {
    let values = std::rc::Rc::new(values);
    let of_one = values.clone();
    let table = lua.create_table()?;
    table.raw_set("get", lua.create_function(move |lua, key| get(lua, &of_one(), &key))?)?;
    table.raw_set("all", lua.create_function(move |lua, ()| all(lua, &values()))?)?;
    Ok(table)
}

fn get(lua: &Lua, values: &BTreeMap<String, Values>, key: &Value) -> mlua::Result<MultiValue> {
    let key = string_argument(lua, 1, key)?.to_string_lossy();
    match values.get(&key) {
        Some(value) => results(lua, Ok(plain::to_lua(lua, value)?)),
        None if key.is_empty() => {
            nil_err(lua, ErrorValue::new(kind::INVALID, "context key cannot be empty"))
        }
        None => {
            let message = format!("no context value {key:?}");
            nil_err(lua, ErrorValue::new(kind::NOT_FOUND, message))
        }
    }
}

fn all(lua: &Lua, values: &BTreeMap<String, Values>) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, values.len())?;
    for (key, value) in values {
        table.raw_set(key.as_str(), plain::to_lua(lua, value)?)?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lua::modules::snippets;

    const SNIPPETS: &[(&str, &str)] = &[
        (
            "get",
            r##"assert(ctx.get("user") == "ann" and select("#", ctx.get("user")) == 1)
            assert(ctx.get("limits").max == 3 and ctx.get("limits") ~= ctx.get("limits"))
            for key, kind in pairs{[""] = "Invalid", missing = "NotFound"} do
                local v, e = ctx.get(key)
                assert(v == nil and e:kind() == kind and e:retryable() == false)
            end
            assert(not pcall(ctx.get) and not pcall(ctx.get, {}))"##,
        ),
        (
            "all",
            r##"local all = ctx.all()
            assert(all.user == "ann" and all.limits.max == 3)
            all.user = "bob"
            assert(ctx.all().user == "ann")"##,
        ),
    ];

    #[test]
    fn everything_scripts_can_do() {
        let limits = Values::from_json(&serde_json::json!({"max": 3}));
        let values: ContextValues = Arc::new(BTreeMap::from([
            ("user".to_owned(), Values::str("ann")),
            ("limits".to_owned(), limits),
        ]));
        let vm = snippets::Vm::new();
        vm.set("ctx", table(vm.lua(), move || values.clone()).unwrap());
        vm.run(SNIPPETS);
    }
}
