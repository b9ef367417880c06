//! The `payload` module and the Payload objects of messages and futures (stdlib.md section 4).

use mlua::{Lua, MultiValue, Table, Value};

use crate::lua::error::results;
use crate::value::{ErrorValue, Token, Values, View};

/// `payload.format`; this host makes payloads of the formats LUA and ERROR only.
const FORMATS: [(&str, &str); 7] = [
    ("JSON", "json/plain"),
    ("YAML", "yaml/plain"),
    ("STRING", "text/plain"),
    ("BYTES", "application/octet-stream"),
    ("MSGPACK", "application/msgpack"),
    ("LUA", "lua/any"),
    ("ERROR", "golang/error"),
];

/// One value that crossed, or will cross, from process to process. Every `data()` gives a new copy.
pub struct Payload(Values);

impl Payload {
    /// A payload of `value`, a [`Values`] of exactly one value.
    pub fn new(value: Values) -> Self {
        Self(value)
    }

    /// The value.
    pub fn value(&self) -> &Values {
        &self.0
    }

    fn format(&self) -> &'static str {
        let is_error = match self.0.view() {
            View::Inline(_) => false,
            View::Encoded(mut reader) => matches!(reader.token(), Ok(Token::Error(_))),
        };
        if is_error { "golang/error" } else { "lua/any" }
    }
}

/// The module's table; also teaches `lua` the methods of [`Payload`]. `to_lua` makes a Lua value of
/// one copied value, `copy` copies a Lua value or says why it cannot.
///
/// # Errors
/// Out of memory.
pub fn table(
    lua: &Lua,
    to_lua: impl Fn(&Lua, &Values) -> mlua::Result<Value> + 'static,
    copy: impl Fn(&Lua, Value) -> mlua::Result<Result<Values, ErrorValue>> + 'static,
) -> mlua::Result<Table> {
    lua.register_userdata_type::<Payload>(|registry| {
        use mlua::UserDataMethods;
        registry.add_method("data", move |lua, this, ()| to_lua(lua, &this.0));
        registry.add_method("get_format", |_, this, ()| Ok(this.format()));
    })?;
    let new = lua.create_function(move |lua, value: Value| -> mlua::Result<MultiValue> {
        let payload = copy(lua, value)?.map(Payload::new);
        match payload {
            Ok(payload) => results(lua, Ok(lua.create_any_userdata(payload)?)),
            Err(refused) => results(lua, Err::<Value, _>(refused)),
        }
    })?;
    let table = lua.create_table()?;
    table.raw_set("new", new)?;
    table.raw_set("format", lua.create_table_from(FORMATS)?)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lua::error::{Error, type_name};
    use crate::lua::modules::{json, snippets};
    use crate::lua::plain;
    use crate::value::kind;

    /// Enough of a copier for the tests: error objects, and what JSON can say.
    fn copy(_: &Lua, value: Value) -> mlua::Result<Result<Values, ErrorValue>> {
        if let Some(error) = Error::of(&value) {
            return Ok(Ok(Values::error(error.value())));
        }
        let json = match json::encode(&value)? {
            Ok(text) => serde_json::from_slice(&text).map_err(mlua::Error::external)?,
            Err(_) => {
                let message = format!("a {} cannot be sent", type_name(&value));
                return Ok(Err(ErrorValue::new(kind::INVALID, message)));
            }
        };
        Ok(Ok(Values::from_json(&json)))
    }

    const SNIPPETS: &[(&str, &str)] = &[
        (
            "data is a new copy each time",
            r##"local t = {a = {1, 2}}
            local p = payload.new(t)
            t.a[1] = 5
            assert(p:data().a[1] == 1 and p:data() ~= p:data())
            assert(p:get_format() == payload.format.LUA and type(p) == "userdata")
            assert(payload.new("x"):data() == "x" and payload.new(nil):data() == nil)
            assert(payload.new("x"):get_format() == payload.format.LUA)"##,
        ),
        (
            "error objects",
            r##"local p = payload.new(errors.new{message = "m", kind = "Timeout"})
            assert(p:get_format() == payload.format.ERROR and payload.format.ERROR == "golang/error")
            assert(p:data():kind() == "Timeout" and p:data():message() == "m")"##,
        ),
        (
            "what cannot be copied",
            r##"local p, e = payload.new(type)
            assert(p == nil and e:kind() == "Invalid" and e:message() == "a function cannot be sent")
            assert(not pcall(payload.new(1).data, {}))"##,
        ),
        (
            "formats",
            r##"for name, value in pairs{JSON = "json/plain", YAML = "yaml/plain",
                STRING = "text/plain", BYTES = "application/octet-stream",
                MSGPACK = "application/msgpack", LUA = "lua/any"} do
                assert(payload.format[name] == value)
            end
            assert(not pcall(function() payload.format.LUA = 1 end))"##,
        ),
    ];

    #[test]
    fn everything_scripts_can_do() {
        let vm = snippets::Vm::new();
        vm.set("payload", table(vm.lua(), plain::to_lua, copy).unwrap());
        vm.run(SNIPPETS);
    }
}
