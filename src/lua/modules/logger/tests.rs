use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::*;
use crate::lua::modules::snippets;

struct Worker;

impl Caller for Worker {
    fn pid(&self) -> String {
        "{app:host|0x00001}".to_owned()
    }

    fn entry(&self) -> String {
        "app:worker".to_owned()
    }
}

/// Keeps every event of scripts as a JSON object.
#[derive(Clone, Default)]
struct Records(Arc<Mutex<Vec<Map<String, Json>>>>);

struct Fields(Map<String, Json>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let value = match field.name() {
            "fields" => serde_json::from_str(value).unwrap(),
            _ => value.into(),
        };
        self.0.insert(field.name().to_owned(), value);
    }
}

impl<S: Subscriber> Layer<S> for Records {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = event.metadata().level().to_string().into();
        let mut fields = Fields(Map::from_iter([("level".to_owned(), level)]));
        assert_eq!(event.metadata().target(), "lua");
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }
}

/// What `code` logs.
fn logged(code: &str) -> Vec<Map<String, Json>> {
    let records = Records::default();
    let subscriber = tracing_subscriber::registry().with(records.clone());
    tracing::subscriber::with_default(subscriber, || vm().run(&[("app:worker", code)]));
    std::mem::take(&mut *records.0.lock().unwrap())
}

fn vm() -> snippets::Vm {
    let vm = snippets::Vm::new();
    let caller: Rc<dyn Caller> = Rc::new(Worker);
    vm.set("logger", table(vm.lua(), &caller).unwrap());
    vm.set_function("warn", warn_function(vm.lua(), caller.clone()).unwrap());
    vm.set_function("print", print_function(vm.lua(), PrintTo::Log(caller)).unwrap());
    vm
}

#[test]
fn records_say_who_where_and_what_with_types() {
    let code = r##"local fields = {count = 3, ratio = 1.5, on = true, text = "x", list = {1, 2},
            [7] = "seven", f = type, nan = 0/0, e = errors.wrap(errors.new("m"), "ctx"), pid = "mine"}
        logger:info("hello", fields)
        logger:debug("d"); logger:warn("w"); logger:error(errors.wrap(errors.new("m"), "ctx"))"##;
    let records = logged(code);
    let levels: Vec<_> =
        records.iter().map(|r| (r["level"].as_str(), r["message"].as_str())).collect();
    assert_eq!(
        levels,
        [
            (Some("INFO"), Some("hello")),
            (Some("DEBUG"), Some("d")),
            (Some("WARN"), Some("w")),
            (Some("ERROR"), Some("ctx: m"))
        ]
    );
    let first = &records[0];
    assert_eq!(first["pid"], "{app:host|0x00001}");
    assert_eq!((&first["entry"], &first["logger"]), (&"app:worker".into(), &"lua".into()));
    assert_eq!(first["location"], "app:worker:3");
    let fields = first["fields"].as_object().unwrap();
    let function = fields["f"].as_str().unwrap();
    assert!(function.starts_with("function:"), "{function}");
    let expected = serde_json::json!({"count": 3, "ratio": 1.5, "on": true, "text": "x",
        "list": [1, 2], "7": "seven", "nan": fields["nan"], "e": "ctx: m", "pid": "mine",
        "f": function});
    assert_eq!(first["fields"], expected);
    let names: Vec<_> = first.keys().map(String::as_str).collect();
    let own = |name| names.iter().position(|n| *n == name);
    assert!(own("fields") < own("pid"), "a script's fields must not come after ours: {names:?}");
}

#[test]
fn loggers_with_names_and_fields_leave_their_parent_alone() {
    let code = r##"local fields = {queue = "out", n = 1}
        local log = logger:named("mailer"):with(fields)
        fields.queue = "changed"
        log:named("smtp"):with{n = 2}:info("a", {extra = {}})
        log:info("b", {n = 3})
        logger:info("c")"##;
    let records = logged(code);
    let shown: Vec<_> =
        records.iter().map(|r| (r["logger"].as_str().unwrap(), r["fields"].clone())).collect();
    assert_eq!(
        shown,
        [
            ("mailer.smtp", serde_json::json!({"queue": "out", "n": 2, "extra": []})),
            ("mailer", serde_json::json!({"queue": "out", "n": 3})),
            ("lua", serde_json::json!({}))
        ]
    );
}

#[test]
fn misuse_raises() {
    vm().run(&[(
        "misuse",
        r##"local ok, e = pcall(logger.named, logger, "")
        assert(not ok and e:kind() == "Invalid" and e:message() == "logger name cannot be empty")
        ok, e = pcall(function() logger.info("hello") end)
        assert(not ok and e:find("with a colon", 1, true), e)
        for _, case in ipairs{{"info", {}}, {"info", "m", 5}, {"with", nil}, {"with", "x"},
            {"named", {}}, {"named", nil}, {"error", true}} do
            for _, log in ipairs{logger, logger:named("x")} do
                assert(not pcall(log[case[1]], log, case[2], case[3]), case[1])
            end
        end
        assert(not pcall(warn) and not pcall(warn, {}))
        assert(not pcall(logger:named("x").info, {}, "m"))
        assert(not pcall(print, setmetatable({}, {__tostring = function() return {} end})))"##,
    )]);
}

#[test]
fn print_and_warn_go_to_the_log() {
    let records = logged(
        r##"print("a", 1, 1.0, nil, true, errors.new("e"))
        print()
        warn("@off")
        warn("careful", ", ", 5)"##,
    );
    let shown: Vec<_> = records
        .iter()
        .map(|r| (r["level"].as_str().unwrap(), r["message"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [("INFO", "a\t1\t1.0\tnil\ttrue\te"), ("INFO", ""), ("WARN", "careful, 5")]);
    assert_eq!(records[0]["entry"], "app:worker");
    assert_eq!(records[3 - 1]["location"], "app:worker:4");
}

#[test]
fn print_can_go_to_lines() {
    let lines = Rc::new(RefCell::new(Vec::new()));
    let sink = lines.clone();
    let vm = snippets::Vm::new();
    let to = PrintTo::Lines(Rc::new(move |line: &[u8]| sink.borrow_mut().push(line.to_vec())));
    vm.set_function("print", print_function(vm.lua(), to).unwrap());
    vm.run(&[("print", r##"print("\xff", 2) print()"##)]);
    assert_eq!(*lines.borrow(), [b"\xff\t2".to_vec(), Vec::new()]);
}
