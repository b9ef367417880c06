//! One run, told in every form.

use std::fs;

use serde_json::json;

use super::*;
use crate::cli::specs::event::{Event, Failure};

fn test(id: u32, name: &str, blocks: &[&str]) -> serde_json::Value {
    let full_name = [blocks, &[name]].concat().join(" ");
    json!({"id": id, "name": name, "blocks": blocks, "full_name": full_name, "tags": [],
        "file": "a_spec.lua", "line": id * 10})
}

fn event(name: &str, test: serde_json::Value, more: serde_json::Value) -> Event {
    let mut event = test;
    event["event"] = name.into();
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    serde_json::from_value(event).unwrap()
}

fn suite() -> Suite {
    let mut suite = Suite::new("a_spec.lua");
    let blocks = ["a <group>"];
    suite.note(Event::SuiteStart { path: "a_spec.lua".to_owned(), tests: 4 });
    suite.note(event("test_start", test(1, "holds", &blocks), json!({})));
    suite.note_log("not of interest".to_owned());
    suite.note(event("test_pass", test(1, "holds", &blocks), json!({"duration_ms": 250})));
    suite.note(event("test_start", test(2, "counts #slow", &blocks), json!({})));
    suite.note_log("INFO app: joined".to_owned());
    let failure = json!({"message": "expected the values to be equal", "file": "a_spec.lua", "line": 2,
        "expected": "{\n  1,\n  2,\n}", "actual": "{\n  1,\n  3,\n}", "diff": "[2]: expected 2, got 3",
        "traceback": "a_spec.lua:2: in f\na_spec.lua:9: in g"});
    suite.note(event(
        "test_fail",
        test(2, "counts #slow", &blocks),
        json!({"duration_ms": 1, "failure": failure}),
    ));
    suite.note(event("test_skip", test(3, "later", &[]), json!({"reason": "not yet"})));
    suite.note(event("test_start", test(4, "hangs", &[]), json!({})));
    let failure = Failure { message: "kept the node busy".to_owned(), ..Failure::default() };
    suite.break_off(failure, Duration::from_secs(2));
    let failure = json!({"message": "boom & bang", "kind": "Internal"});
    let mishap = json!({"event": "error", "stage": "teardown", "name": "x", "failure": failure});
    suite.note(serde_json::from_value(mishap).unwrap());
    let leaks = json!({"event": "leaked", "processes": ["{p}"], "members": {}});
    suite.note(serde_json::from_value(leaks).unwrap());
    suite.note(Event::SuiteEnd { duration_ms: 2_300.0 });
    suite
}

fn told(reporter: &mut dyn Reporter) -> String {
    let suite = suite();
    let mut out = Vec::new();
    reporter.suite(&suite, &mut out).unwrap();
    let run = Run { totals: suite.totals(), duration: Duration::from_millis(2_500), seed: Some(7) };
    reporter.finish(&run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn pretty_shows_failures_in_full_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a_spec.lua"), "one\n  assert.same(a, b)\n").unwrap();
    assert_eq!(
        told(&mut Pretty::new(false, folder.path())),
        "\
a_spec.lua
  ok a <group> holds (250.0ms)
  FAILED a <group> counts #slow
  skipped later not yet
  FAILED hangs (2.0s)
  FAILED teardown x
  left behind: process {p} (terminated)

1) a_spec.lua: a <group> counts #slow
   at a_spec.lua:2
   2 | assert.same(a, b)
   expected the values to be equal
   - expected + actual
     {
       1,
   -   2,
   +   3,
     }
   differs at
   [2]: expected 2, got 3
   a_spec.lua:2: in f
   a_spec.lua:9: in g
   log
   INFO app: joined

2) a_spec.lua: hangs
   kept the node busy

3) a_spec.lua: teardown x
   boom & bang [Internal]

shuffled: repeat this order with --shuffle --seed 7
in 2.5s
1 passed, 3 failed, 1 skipped
"
    );
    let coloured = told(&mut Pretty::new(true, folder.path()));
    assert!(coloured.ends_with("\x1b[31m1 passed, 3 failed, 1 skipped\x1b[0m\n"));
}

#[test]
fn tap_has_a_line_a_test() {
    assert_eq!(
        told(&mut Tap::default()),
        "\
TAP version 14
ok 1 - a_spec.lua: a <group> holds
not ok 2 - a_spec.lua: a <group> counts \\#slow
  ---
  message: \"expected the values to be equal\"
  at: \"a_spec.lua:2\"
  expected: \"{\\n  1,\\n  2,\\n}\"
  actual: \"{\\n  1,\\n  3,\\n}\"
  traceback: \"a_spec.lua:2: in f\\na_spec.lua:9: in g\"
  ...
ok 3 - a_spec.lua: later # SKIP not yet
not ok 4 - a_spec.lua: hangs
  ---
  message: \"kept the node busy\"
  ...
not ok 5 - a_spec.lua: teardown x
  ---
  message: \"boom & bang\"
  ...
# a_spec.lua: left the process {p} behind
# shuffled with seed 7
1..5
"
    );
}

#[test]
fn junit_is_escaped_and_complete() {
    let text = told(&mut Junit::default());
    for expected in [
        "<testsuites tests=\"5\" failures=\"3\" skipped=\"1\" time=\"2.500\">",
        "<testsuite name=\"a_spec.lua\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" time=\"2.300\">",
        "<testcase classname=\"a_spec.lua a &lt;group&gt;\" name=\"holds\" time=\"0.250\" file=\"a_spec.lua\" line=\"10\"/>",
        "<skipped message=\"not yet\"/>",
        "<error message=\"boom &amp; bang\" type=\"Internal\">",
        "<system-out>INFO app: joined</system-out>",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let control = Failure { message: "\u{1}\u{1b}[2J\n\u{ffff}".to_owned(), ..Failure::default() };
    let mut suite = Suite::new("x");
    suite.break_off(control, Duration::ZERO);
    let mut junit = Junit::default();
    junit.suite(&suite, &mut Vec::new()).unwrap();
    let mut out = Vec::new();
    let run = Run { totals: suite.totals(), duration: Duration::ZERO, seed: None };
    junit.finish(&run, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("message=\"\u{fffd}\u{fffd}[2J&#10;\u{fffd}\""), "{text}");
}

#[test]
fn json_is_one_object() {
    let report: serde_json::Value =
        serde_json::from_str(&told(&mut JsonReport::default())).unwrap();
    assert_eq!(
        (&report["passed"], &report["failed"], &report["skipped"]),
        (&1.into(), &3.into(), &1.into())
    );
    let tests = report["files"][0]["tests"].as_array().unwrap();
    let outcomes: Vec<_> = tests.iter().map(|test| test["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["passed", "failed", "skipped", "failed"]);
    assert_eq!(tests[1]["failure"]["line"], 2);
    assert_eq!(tests[1]["log"], json!(["INFO app: joined"]));
    assert_eq!(report["files"][0]["errors"][0]["stage"], "teardown");
}
