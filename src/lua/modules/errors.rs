//! The `errors` module (errors.md).

use mlua::{Lua, Table, Value};

use crate::lua::error::{self, Error, bad_argument};
use crate::value::kind;

/// The constants of errors.md section 2.
const KINDS: [(&str, &str); 11] = [
    ("NOT_FOUND", kind::NOT_FOUND),
    ("ALREADY_EXISTS", kind::ALREADY_EXISTS),
    ("INVALID", kind::INVALID),
    ("PERMISSION_DENIED", kind::PERMISSION_DENIED),
    ("UNAVAILABLE", kind::UNAVAILABLE),
    ("INTERNAL", kind::INTERNAL),
    ("CONFLICT", kind::CONFLICT),
    ("CANCELED", kind::CANCELED),
    ("TIMEOUT", kind::TIMEOUT),
    ("RATE_LIMITED", kind::RATE_LIMITED),
    ("UNKNOWN", kind::UNKNOWN),
];

/// The module's table.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for (name, kind) in KINDS {
        table.raw_set(name, kind)?;
    }
    table.raw_set("new", lua.create_function(|lua, arg: Value| error::from_script(lua, &arg))?)?;
    table.raw_set("wrap", lua.create_function(wrap)?)?;
    table.raw_set("is", lua.create_function(is)?)?;
    table.raw_set("call_stack", lua.create_function(call_stack)?)?;
    Ok(table)
}

fn wrap(lua: &Lua, (wrapped, context): (Value, Value)) -> mlua::Result<Error> {
    let error = match &wrapped {
        Value::String(_) => error::from_script(lua, &wrapped)?,
        other => error::argument(lua, 1, other)?,
    };
    match &context {
        Value::String(text) => Ok(error.with_context(&text.to_string_lossy())),
        other => match Error::of(other) {
            Some(context) => Ok(error.with_context(&context.value().message)),
            None => Err(bad_argument(lua, 2, "string or error", other)),
        },
    }
}

fn is(lua: &Lua, (value, kind): (Value, Value)) -> mlua::Result<bool> {
    let Value::String(kind) = &kind else { return Err(bad_argument(lua, 2, "string", &kind)) };
    Ok(Error::of(&value).is_some_and(|error| *kind.as_bytes() == *error.value().kind.as_bytes()))
}

fn call_stack(lua: &Lua, value: Value) -> mlua::Result<Option<Table>> {
    Error::of(&value).map_or(Ok(None), |error| error::call_stack(lua, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lua::modules::snippets;
    use crate::value::ErrorValue;

    const SNIPPETS: &[(&str, &str)] = &[
        (
            "from a string",
            r#"local e = errors.new("not today")
            assert(type(e) == "userdata" and e:kind() == "" and e:message() == "not today")
            assert(e:retryable() == nil and e:details() == nil and tostring(e) == "not today")"#,
        ),
        (
            "from a table",
            r#"local e = errors.new{message = "m", kind = errors.CONFLICT, retryable = true,
                details = {code = 7, ratio = 1.0, nested = {a = {1, 2, {x = true}}}}}
            assert(e:kind() == "Conflict" and e:message() == "m" and e:retryable() == true)
            local d = e:details()
            assert(math.type(d.code) == "integer" and math.type(d.ratio) == "float")
            assert(d.nested.a[2] == 2 and d.nested.a[3].x == true)
            d.code = 8
            assert(e:details().code == 7 and e:details() ~= e:details())"#,
        ),
        (
            "details are copied at creation",
            r#"local inner = {1}
            local e = errors.new{message = "m", details = {list = inner, same = inner}}
            inner[1] = 2
            local d = e:details()
            assert(d.list[1] == 1 and d.list == d.same)"#,
        ),
        (
            "details leave out what cannot be copied",
            r#"local loop = {}
            loop.self = loop
            local e = errors.new{message = "m", details = {f = type, loop = loop, 1, 2,
                list = {1, type, 3}, [true] = 1}}
            local d = e:details()
            assert(d.f == nil and d[1] == nil and d[true] == nil)
            assert(d.loop.self == d.loop and d.list[2] == nil and d.list[3] == 3)"#,
        ),
        (
            "wrongly typed fields are ignored",
            r#"local e = errors.new{message = "m", kind = 5, retryable = "yes", details = "d"}
            assert(e:kind() == "" and e:retryable() == nil and e:details() == nil)
            assert(errors.new("KIND", "text"):message() == "KIND")"#,
        ),
        (
            "misuse of new raises",
            r#"for message, bad in pairs{["message field is required"] = {},
                ["message must be a string"] = {message = 1}} do
                local ok, e = pcall(errors.new, bad)
                assert(not ok and tostring(e):find(message, 1, true), tostring(e))
            end
            for _, bad in ipairs{5, true, type} do
                local ok, e = pcall(errors.new, bad)
                assert(not ok and tostring(e):find("string or table expected", 1, true))
            end
            assert(not pcall(errors.new))"#,
        ),
        (
            "constants",
            r#"local values = {NOT_FOUND = "NotFound", ALREADY_EXISTS = "AlreadyExists",
                INVALID = "Invalid", PERMISSION_DENIED = "PermissionDenied",
                UNAVAILABLE = "Unavailable", INTERNAL = "Internal", CONFLICT = "Conflict",
                CANCELED = "Canceled", TIMEOUT = "Timeout", RATE_LIMITED = "RateLimited",
                UNKNOWN = ""}
            for name, value in pairs(values) do assert(errors[name] == value, name) end"#,
        ),
        (
            "concatenation",
            r#"local e = errors.new("boom")
            assert(e .. "!" == "boom!" and "a " .. e == "a boom" and e .. e == "boomboom")
            assert(1 .. e == "1boom" and e .. 1.5 == "boom1.5" and "\xff" .. e == "\xffboom")
            local ok, why = pcall(function() return e .. {} end)
            assert(not ok and tostring(why):find("attempt to concatenate a table value"))"#,
        ),
        (
            "wrap keeps the error and hides the context",
            r#"local e = errors.new{message = "m", kind = "Timeout", retryable = false,
                details = {a = 1}}
            local w = errors.wrap(errors.wrap(e, "inner"), errors.new("outer"))
            assert(w ~= e and w:message() == "m" and tostring(w) == "m" and w:kind() == "Timeout")
            assert(w:retryable() == false and w:details().a == 1)
            assert(errors.wrap("text", "context"):message() == "text")
            for _, arguments in ipairs{{nil, "c"}, {e, nil}, {e, 5}, {{}, "c"}} do
                assert(not pcall(errors.wrap, arguments[1], arguments[2]))
            end"#,
        ),
        (
            "is",
            r#"local e = errors.new{message = "m", kind = "NotFound"}
            assert(errors.is(e, errors.NOT_FOUND) and not errors.is(e, "Invalid"))
            assert(errors.is(errors.new("x"), "") and not errors.is(nil, ""))
            assert(not errors.is("NotFound", "NotFound") and not errors.is({}, "NotFound"))
            assert(not pcall(errors.is, e, nil) and not pcall(errors.is, e, 5))"#,
        ),
        (
            "stack of errors made by scripts",
            r#"local function fail() return errors.new("x") end
            local e = fail()
            assert(e:stack():find("stack of errors made by scripts:1", 1, true), e:stack())
            local stack = errors.call_stack(e)
            assert(type(stack.thread) == "string" and #stack.frames > 0)
            for level, frame in ipairs(stack.frames) do
                assert(frame.level == level - 1 and frame.line and frame.source and frame.name)
                assert(frame.type == "Lua" or frame.type == "native")
            end
            assert(errors.call_stack(errors.wrap(e, "c")).frames[1].line == 1)
            assert(errors.call_stack("x") == nil and errors.call_stack() == nil)"#,
        ),
        (
            "errors made by the host have no stack",
            r#"local _, e = fail()
            assert(e:stack() == "" and errors.call_stack(e) == nil and e:retryable() == false)
            assert(e:kind() == "NotFound")"#,
        ),
        (
            "identity and methods only",
            r#"local e = errors.new("x")
            assert(e == e and errors.new("x") ~= e and e)
            local ok, caught = pcall(error, e)
            assert(not ok and rawequal(caught, e))
            ok, caught = pcall(error, e, 2)
            assert(rawequal(caught, e))
            assert(not pcall(function() e.kind = 1 end))
            assert(not pcall(e.kind, "x") and not pcall(e.message, {}) and not pcall(e.stack))
            assert(getmetatable(e) == false)"#,
        ),
    ];

    #[test]
    fn everything_scripts_can_do() {
        let vm = snippets::Vm::new();
        let fail = |lua: &Lua, ()| error::nil_err(lua, ErrorValue::new(kind::NOT_FOUND, "gone"));
        vm.set_function("fail", vm.lua().create_function(fail).unwrap());
        vm.run(SNIPPETS);
    }

    #[test]
    fn contexts_show_in_the_long_text_only() {
        let error = Error::new(ErrorValue::new(kind::INVALID, "m"));
        let wrapped = error.with_context("inner").with_context("outer");
        assert_eq!(wrapped.long_text(), "outer: inner: m");
        assert_eq!(wrapped.value(), error.value());
    }
}
