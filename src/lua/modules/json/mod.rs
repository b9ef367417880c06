//! The `json` module (stdlib.md section 4).

mod decode;
mod encode;

use mlua::{Lua, MultiValue, Table, Value};

use crate::lua::error::{nil_err, results, string_argument};

pub use decode::decode;
pub use encode::encode;

/// Tables inside each other, at most, in both directions.
const MAX_DEPTH: usize = 128;

/// In the metatable of an empty table that came from `{}`, so that it goes back to `{}`. A plain
/// string in a plain metatable crosses processes, and a script may replace it.
const TYPE_FIELD: &str = "__jsontype";
const OBJECT: &str = "object";

/// The module's table.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("encode", lua.create_function(encode_call)?)?;
    table.raw_set("decode", lua.create_function(decode_call)?)?;
    Ok(table)
}

fn encode_call(lua: &Lua, value: Value) -> mlua::Result<MultiValue> {
    match encode(&value)? {
        Ok(text) => results(lua, Ok(lua.create_string(text)?)),
        Err(refused) => nil_err(lua, refused),
    }
}

fn decode_call(lua: &Lua, text: Value) -> mlua::Result<MultiValue> {
    let text = string_argument(lua, 1, &text)?;
    results(lua, decode(lua, &text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lua::modules::snippets;

    const SNIPPETS: &[(&str, &str)] = &[
        (
            "scalars",
            r##"assert(json.encode(nil) == "null" and json.encode() == "null")
            assert(json.encode(true) == "true" and json.encode(1) == "1")
            assert(json.encode(1.0) == "1.0" and json.encode(0.1) == "0.1")
            assert(json.encode(math.huge) == "null" and json.encode(-math.huge) == "null")
            assert(json.encode(0/0) == "null")
            assert(json.encode(math.maxinteger) == "9223372036854775807")
            assert(json.encode(2^53 | 0) == "9007199254740992")
            assert(json.encode('a"\n\0é') == '"a\\"\\n\\u0000é"')"##,
        ),
        (
            "tables",
            r##"assert(json.encode{1, 2, {3}} == "[1,2,[3]]")
            assert(json.encode{b = 1, a = {c = true}} == '{"a":{"c":true},"b":1}')
            assert(json.encode{} == "[]" and json.encode{x = {}} == '{"x":[]}')
            local t = {}
            t[2], t[1] = "b", "a"
            assert(json.encode(t) == '["a","b"]')
            local shared = {1}
            assert(json.encode{shared, shared} == "[[1],[1]]")
            assert(json.encode(limits) == '{"list":[1,2],"max":3}')"##,
        ),
        (
            "empty objects come back",
            r##"assert(json.encode(json.decode("{}")) == "{}")
            assert(json.encode(json.decode('{"a":{},"b":[]}')) == '{"a":{},"b":[]}')
            local t = json.decode("{}")
            t[1] = 5
            assert(json.encode(t) == "[5]")
            local a, b = json.decode("{}"), json.decode("{}")
            getmetatable(a).__index = {x = 1}
            assert(a.x == 1 and b.x == nil)
            assert(setmetatable(a, nil) == a and json.encode(a) == "[]")"##,
        ),
        (
            "neither list nor object",
            r##"for what, t in pairs{["both string and integer keys"] = {1, x = 1},
                ["with holes"] = {1, nil, 3}, ["with holes "] = {[0] = 1},
                ["holes"] = {[-1] = 1, [2] = 2}} do
                local v, e = json.encode(t)
                assert(v == nil and e:kind() == "Internal" and e:retryable() == false, tostring(e))
                assert(e:message():find((what:gsub(" $", "")), 1, true), tostring(e))
            end"##,
        ),
        (
            "what has no JSON form is named with its path",
            r##"local loop = {}
            loop.a = {1, loop}
            local deep = {}
            for _ = 1, 128 do deep = {deep} end
            for message, v in pairs{
                ["cannot encode a function"] = type,
                ["cannot encode a thread at .a[2].b"] = {a = {1, {b = coroutine.create(type)}}},
                ["cannot encode a table that contains itself at .a[2]"] = loop,
                ["cannot encode a string that is not UTF-8 at [1]"] = {"\xff"},
                ["cannot encode a key that is a boolean at .x"] = {x = {[true] = 1}},
                ["cannot encode a key that is a number"] = {[1.5] = 1},
                ["cannot encode more than 128 nested tables at " .. ("[1]"):rep(128)] = deep,
            } do
                local r, e = json.encode(v)
                assert(r == nil and e:kind() == "Invalid" and e:message() == message, tostring(e))
            end
            assert(json.encode(deep[1]) == ("["):rep(128) .. ("]"):rep(128))"##,
        ),
        (
            "error objects",
            r##"local e = errors.wrap(errors.new("m"), "context")
            assert(json.encode{e} == '["context: m"]')"##,
        ),
        (
            "decode",
            r##"local v = json.decode(' {"a": [1, 2.0, "x", null, true], "b": {"c": -7}} ')
            assert(math.type(v.a[1]) == "integer" and math.type(v.a[2]) == "float")
            assert(v.a[3] == "x" and v.a[4] == nil and v.a[5] == true and v.b.c == -7)
            assert(json.decode("null") == nil and select("#", json.decode("null")) == 1)
            assert(json.decode("9223372036854775807") == math.maxinteger)
            assert(math.type(json.decode("-9223372036854775808")) == "integer")
            assert(math.type(json.decode("9223372036854775808")) == "float")
            assert(json.decode('"\\u00e9\\ud83d\\ude00"') == "é😀" and json.decode("1e2") == 100.0)
            assert(json.decode('{"a":1,"a":2}').a == 2 and json.decode(5) == 5)
            local list = json.decode(("["):rep(128) .. ("]"):rep(128))
            assert(type(list) == "table")"##,
        ),
        (
            "bad text",
            r##"for text, place in pairs{["{"] = "line 1 column 1", ['{"a":}'] = "line 1 column 6",
                ["[1,\n2,]"] = "line 2 column 3", ["1 2"] = "line 1 column 3", ["nul"] = "line 1",
                [" "] = "line 1", ["\xff"] = "line 1", ['"\xff"'] = "line 1", ["1e999"] = "line 1",
                [("["):rep(129)] = "line 1 column 129", ["[01]"] = "line 1", ["NaN"] = "line 1",
                ['{"a":1'] = "line 1 column 6", ["'a'"] = "line 1"} do
                local v, e = json.decode(text)
                assert(v == nil and e:kind() == "Internal", text)
                assert(e:message():find(place, 1, true), text .. ": " .. e)
            end
            local v, e = json.decode("")
            assert(v == nil and e:kind() == "Invalid" and e:retryable() == false)
            assert(not pcall(json.decode, nil) and not pcall(json.decode, {}))"##,
        ),
    ];

    #[test]
    fn everything_scripts_can_do() {
        let vm = snippets::Vm::new();
        vm.set("json", table(vm.lua()).unwrap());
        let limits = vm.lua().load("return {max = 3, list = {1, 2}}").eval().unwrap();
        vm.set("limits", limits);
        vm.run(SNIPPETS);
    }

    /// JSON without `null`, which Lua cannot keep inside tables.
    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            (-1e300..1e300f64).prop_map(serde_json::Value::from),
            ".{0,8}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
                proptest::collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_decoded_encodes_to_the_same(json in json()) {
            let lua = Lua::new();
            let value = decode(&lua, json.to_string().as_bytes()).unwrap();
            let text = encode(&value).unwrap().unwrap();
            prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).unwrap(), json);
        }

        #[test]
        fn garbage_never_panics(text in "[\\[\\]{}:,\"0-9eE.+a-z -]{0,40}") {
            let _ = decode(&Lua::new(), text.as_bytes());
        }
    }
}
