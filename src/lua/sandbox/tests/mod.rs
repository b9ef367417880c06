mod cases;

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Lua, Table, Value};

use cases::{ALLOWED, READ_ONLY, REFUSED, WRITES};

use super::{Sandbox, content, translator};
use crate::lua::error::{raise, raise_text, string_argument};
use crate::value::{ErrorValue, kind};

/// A VM with two processes that share its base environment.
struct Vm {
    lua: Lua,
    running: Rc<RefCell<Option<Table>>>,
    a: Table,
    b: Table,
}

impl Vm {
    fn new() -> Self {
        let lua = Lua::new();
        let running = Rc::new(RefCell::new(None));
        let current = running.clone();
        let sandbox = Sandbox::new(&lua, move |_| {
            current.borrow().clone().ok_or_else(|| mlua::Error::runtime("nothing runs"))
        })
        .unwrap();
        let bytecode = lua.load("return 1").into_function().unwrap().dump(true);
        let bytecode = Value::String(lua.create_string(bytecode).unwrap());
        sandbox.set(&lua, "bytecode", bytecode).unwrap();
        sandbox.set(&lua, "host", host(&lua)).unwrap();
        let (a, b) = (sandbox.environment(&lua).unwrap(), sandbox.environment(&lua).unwrap());
        Self { lua, running, a, b }
    }

    fn run(&self, environment: &Table, name: &str, code: &str) -> Result<(), String> {
        *self.running.borrow_mut() = Some(environment.clone());
        let chunk = self.lua.load(code).set_name(format!("={name}"));
        chunk.set_environment(environment.clone()).exec().map_err(|e| format!("{name}: {e}"))
    }
}

/// A module with functions that fail in every way native code can.
fn host(lua: &Lua) -> Value {
    let module = lua.create_table().unwrap();
    let text = lua.create_function(|lua, ()| Err::<(), _>(raise_text(lua, "text"))).unwrap();
    module.set("text", text).unwrap();
    let object = lua.create_function(|_, ()| {
        Err::<(), _>(raise(ErrorValue::new(kind::CONFLICT, "object").retryable()))
    });
    module.set("object", object.unwrap()).unwrap();
    let checked = lua.create_function(|lua, value: Value| string_argument(lua, 1, &value));
    module.set("checked", checked.unwrap()).unwrap();
    let converted = lua.create_function(|_, (_, text): (Value, String)| Ok(text));
    module.set("converted", converted.unwrap()).unwrap();
    let other = lua.create_function(|_, ()| Err::<(), _>(mlua::Error::external("other")));
    module.set("other", other.unwrap()).unwrap();
    let error = lua.create_function(|_, message: String| {
        Ok(crate::lua::error::Error::new(ErrorValue::new(kind::NOT_FOUND, message)))
    });
    module.set("error", error.unwrap()).unwrap();
    let inner = lua.create_table_from([("value", 1)]).unwrap();
    module.set("inner", inner).unwrap();
    Value::Table(module)
}

#[test]
fn every_way_to_write_to_shared_tables_raises() {
    let vm = Vm::new();
    let mut failures = Vec::new();
    for code in WRITES {
        match vm.run(&vm.a, "write", code) {
            Err(why) if why.contains(READ_ONLY) => {}
            other => failures.push(format!("{code}: {other:?}")),
        }
    }
    for (code, message) in REFUSED {
        match vm.run(&vm.a, "refused", code) {
            Err(why) if why.contains(message) => {}
            other => failures.push(format!("{code}: {other:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let intact = r##"assert(string.format("%d", 1) == "1" and ("x"):rep(2) == "xx")
        assert(host.inner.value == 1 and string.new == nil and math.pi > 3.1)
        assert(table.insert and utf8.char and coroutine.resume and os.time and host.text)"##;
    vm.run(&vm.b, "intact", intact).unwrap();
}

#[test]
fn everything_else_works() {
    let failures: Vec<String> = ALLOWED
        .iter()
        .filter_map(|(name, code)| {
            let vm = Vm::new();
            vm.run(&vm.a, name, code).err()
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn processes_do_not_see_each_others_globals() {
    let vm = Vm::new();
    vm.run(&vm.a, "a", "x = 1; pcall = nil; string = {}; _G.type = nil").unwrap();
    vm.run(&vm.b, "b", "assert(x == nil and pcall(type, 1) and string.format)").unwrap();
}

#[test]
fn a_process_that_seeds_disturbs_nobody_and_is_not_disturbed() {
    let vm = Vm::new();
    let draw = "t = t or {}; for _ = 1, 3 do t[#t + 1] = math.random(1000000) end";
    vm.run(&vm.a, "a", "math.randomseed(42)").unwrap();
    vm.run(&vm.a, "a", draw).unwrap();
    vm.run(&vm.b, "b", draw).unwrap();
    vm.run(&vm.a, "a", draw).unwrap();
    vm.run(&vm.b, "b", "math.randomseed(42); u = {} ").unwrap();
    vm.run(&vm.b, "b", "for i = 1, 6 do u[i] = math.random(1000000) end").unwrap();
    let drawn = |table: &Table, name: &str| table.get::<Vec<i64>>(name).unwrap();
    assert_eq!(drawn(&vm.a, "t"), drawn(&vm.b, "u"));
    assert_ne!(drawn(&vm.b, "t")[..], drawn(&vm.b, "u")[..3]);
    let shape = r##"assert(math.random() < 1 and math.random(5) <= 5 and math.random(7, 7) == 7)
        local ok, why = pcall(function() math.random(0.5) end)
        assert(why:find("number has no integer representation", 1, true), why)"##;
    vm.run(&vm.b, "b", shape).unwrap();
}

#[test]
fn the_host_can_see_into_read_only_tables() {
    let vm = Vm::new();
    let view: Table = vm.a.get("host").unwrap();
    let inner: Table = content(&view).unwrap().unwrap().get("inner").unwrap();
    assert_eq!(content(&inner).unwrap().unwrap().raw_get::<i64>("value").unwrap(), 1);
    assert!(content(&vm.a).unwrap().is_none());
}

#[test]
fn a_translator_changes_failures_of_native_code_only() {
    let vm = Vm::new();
    vm.a.raw_set("translate", translator(&vm.lua).unwrap()).unwrap();
    let code = r##"local e, t = host.error("m"), {}
        assert(rawequal(translate(e), e) and translate(t) == t and translate("x") == "x")
        local co = coroutine.create(host.object)
        local ok, failure = coroutine.resume(co)
        assert(not ok and translate(failure):kind() == "Conflict")
        ok, failure = coroutine.resume(coroutine.create(function() host.text() end))
        assert(translate(failure):find("text$"))"##;
    vm.run(&vm.a, "translate", code).unwrap();
}

#[test]
fn a_script_cannot_swallow_a_panic_of_the_host() {
    let vm = Vm::new();
    let boom = vm.lua.create_function(|_, ()| -> mlua::Result<()> { panic!("host bug") });
    vm.a.raw_set("boom", boom.unwrap()).unwrap();
    for code in ["pcall(pcall, boom)", "xpcall(boom, print or type)"] {
        let run = std::panic::AssertUnwindSafe(|| vm.run(&vm.a, "panic", code));
        let panic = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"host bug"), "{code}");
    }
    vm.run(&vm.b, "after", "assert(pcall(type, 1))").unwrap();
}
