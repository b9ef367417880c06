//! The `uuid` module (stdlib.md section 4).

use mlua::{Lua, MultiValue, Table, Value};
use uuid::{Uuid, Variant};

use crate::lua::error::{nil_err, results, type_name};
use crate::value::{ErrorValue, kind};

/// The module's table.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let node = random_node();
    table.raw_set("v1", lua.create_function(move |_, ()| Ok(Uuid::now_v1(&node).to_string()))?)?;
    table.raw_set("v4", lua.create_function(|_, ()| Ok(Uuid::new_v4().to_string()))?)?;
    table.raw_set("v7", lua.create_function(|_, ()| Ok(Uuid::now_v7().to_string()))?)?;
    table.raw_set("v3", lua.create_function(|lua, of| named(lua, of, Uuid::new_v3))?)?;
    table.raw_set("v5", lua.create_function(|lua, of| named(lua, of, Uuid::new_v5))?)?;
    table.raw_set("validate", lua.create_function(|_, value: Value| Ok(read(&value).is_ok()))?)?;
    table.raw_set("version", lua.create_function(version)?)?;
    table.raw_set("variant", lua.create_function(variant)?)?;
    table.raw_set("parse", lua.create_function(parse)?)?;
    table.raw_set("format", lua.create_function(format)?)?;
    Ok(table)
}

/// Six random bytes in place of a hardware address, marked as such (RFC 9562 section 6.10).
fn random_node() -> [u8; 6] {
    let mut node: [u8; 6] = rand::random();
    node[0] |= 1;
    node
}

fn named(
    lua: &Lua,
    (namespace, name): (Value, Value),
    make: fn(&Uuid, &[u8]) -> Uuid,
) -> mlua::Result<MultiValue> {
    let Value::String(name) = &name else {
        return nil_err(lua, invalid(format!("name must be a string, got {}", type_name(&name))));
    };
    results(lua, read(&namespace).map(|space| make(&space, &name.as_bytes()).to_string()))
}

fn version(lua: &Lua, value: Value) -> mlua::Result<MultiValue> {
    results(lua, read(&value).map(|uuid| uuid.get_version_num()))
}

fn variant(lua: &Lua, value: Value) -> mlua::Result<MultiValue> {
    results(lua, read(&value).map(variant_name))
}

/// `version`, `variant`; `timestamp` in whole seconds since 1970 where the version holds one, and
/// `node` in hex for version 1.
fn parse(lua: &Lua, value: Value) -> mlua::Result<MultiValue> {
    let uuid = match read(&value) {
        Ok(uuid) => uuid,
        Err(error) => return nil_err(lua, error),
    };
    let table = lua.create_table_with_capacity(0, 4)?;
    table.raw_set("version", uuid.get_version_num())?;
    table.raw_set("variant", variant_name(uuid))?;
    if let Some(timestamp) = uuid.get_timestamp() {
        table.raw_set("timestamp", timestamp.to_unix().0)?;
    }
    if let Some(node) = uuid.get_node_id().filter(|_| uuid.get_version_num() == 1) {
        let hex: String = node.iter().map(|byte| format!("{byte:02x}")).collect();
        table.raw_set("node", hex)?;
    }
    results(lua, Ok(table))
}

fn format(lua: &Lua, (value, style): (Value, Value)) -> mlua::Result<MultiValue> {
    let style = match &style {
        Value::Nil => "standard".to_owned(),
        Value::String(style) => style.to_string_lossy(),
        other => format!("a {}", type_name(other)),
    };
    results(lua, read(&value).and_then(|uuid| styled(uuid, &style)))
}

fn styled(uuid: Uuid, style: &str) -> Result<String, ErrorValue> {
    match style {
        "standard" => Ok(uuid.to_string()),
        "simple" => Ok(uuid.simple().to_string()),
        "urn" => Ok(uuid.urn().to_string()),
        other => Err(invalid(format!("format must be standard, simple or urn, got {other}"))),
    }
}

fn read(value: &Value) -> Result<Uuid, ErrorValue> {
    let Value::String(text) = value else {
        return Err(invalid(format!("uuid must be a string, got {}", type_name(value))));
    };
    Uuid::try_parse_ascii(&text.as_bytes())
        .map_err(|error| invalid(format!("invalid uuid: {error}")))
}

fn variant_name(uuid: Uuid) -> &'static str {
    match uuid.get_variant() {
        Variant::NCS => "NCS",
        Variant::RFC4122 => "RFC4122",
        Variant::Microsoft => "Microsoft",
        _ => "Future",
    }
}

fn invalid(message: String) -> ErrorValue {
    ErrorValue::new(kind::INVALID, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lua::modules::snippets;

    const SNIPPETS: &[(&str, &str)] = &[
        (
            "made and recognised",
            r##"for _, n in ipairs{1, 4, 7} do
                local a, b = uuid["v" .. n](), uuid["v" .. n]()
                assert(#a == 36 and a ~= b and uuid.validate(a) and uuid.version(a) == n)
                assert(uuid.variant(a) == "RFC4122")
            end"##,
        ),
        (
            "ordered by time",
            r##"local last = uuid.v7()
            for _ = 1, 1000 do
                local next = uuid.v7()
                assert(last < next)
                last = next
            end"##,
        ),
        (
            "from names",
            r##"local dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
            assert(uuid.v3(dns, "example.com") == "9073926b-929f-31c2-abc9-fad77ae3e8eb")
            assert(uuid.v5(dns, "example.com") == "cfbff0d1-9375-5685-968c-48ce8b15ae17")
            for _, f in ipairs{uuid.v3, uuid.v5} do
                for _, arguments in ipairs{{"nope", "x"}, {nil, "x"}, {dns, nil}, {dns, 5}} do
                    local v, e = f(arguments[1], arguments[2])
                    assert(v == nil and e:kind() == "Invalid" and e:retryable() == false)
                end
            end"##,
        ),
        (
            "parse",
            r##"local p = uuid.parse(uuid.v1())
            assert(p.version == 1 and p.variant == "RFC4122" and #p.node == 12)
            assert(math.abs(p.timestamp - os.time()) < 5)
            p = uuid.parse(uuid.v7())
            assert(p.version == 7 and p.node == nil and math.abs(p.timestamp - os.time()) < 5)
            p = uuid.parse(uuid.v4())
            assert(p.version == 4 and p.timestamp == nil)"##,
        ),
        (
            "format",
            r##"local id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
            local simple, urn = uuid.format(id, "simple"), uuid.format(id, "urn")
            assert(simple == id:gsub("-", "") and urn == "urn:uuid:" .. id)
            assert(uuid.format(simple, "standard") == id and uuid.format(urn) == id)
            assert(uuid.validate(simple) and uuid.validate(urn) and uuid.version(urn) == 1)"##,
        ),
        (
            "bad input",
            r##"for _, f in ipairs{uuid.version, uuid.variant, uuid.parse, uuid.format} do
                for _, bad in ipairs{"", "x", 5, {}, true, ("0"):rep(31), "\xff"} do
                    local v, e = f(bad)
                    assert(v == nil and e:kind() == "Invalid" and e:retryable() == false)
                    assert(not uuid.validate(bad))
                end
                assert(select(2, f()):kind() == "Invalid")
            end
            assert(not uuid.validate() and not uuid.validate(nil))
            local v, e = uuid.format(uuid.v4(), "roman")
            assert(v == nil and e:kind() == "Invalid")
            v, e = uuid.format(uuid.v4(), 5)
            assert(v == nil and e:kind() == "Invalid")"##,
        ),
    ];

    #[test]
    fn everything_scripts_can_do() {
        let vm = snippets::Vm::new();
        vm.set("uuid", table(vm.lua()).unwrap());
        vm.run(SNIPPETS);
    }
}
