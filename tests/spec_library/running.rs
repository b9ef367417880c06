//! Declaring and running: order, hooks, selection, time limits.

use serde_json::json;

use crate::Spec;

#[test]
fn tests_are_reported_with_their_place() {
    let report = Spec::new(
        r#"
describe("rooms #fast", function()
    context("empty", function()
        it("has nobody", function() assert.same({}, {}) end)
    end)
    test("fails", function()
        assert.are.equal(1, 2)
    end)
    pending("to be written #later")
end)
"#,
    )
    .run();
    assert_eq!(report.totals(), [1, 1, 1]);
    let kinds: Vec<_> = report.0.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "suite_start",
            "test_start",
            "test_pass",
            "test_start",
            "test_fail",
            "test_skip",
            "suite_end",
        ]
    );
    assert_eq!(report.0[0]["tests"], 3);
    let pass = report.all("test_pass")[0];
    assert_eq!(pass["full_name"], "rooms #fast empty has nobody");
    assert_eq!(pass["blocks"], json!(["rooms #fast", "empty"]));
    assert_eq!(pass["tags"], json!(["fast"]));
    assert_eq!((&pass["file"], &pass["line"]), (&json!("a_spec.lua"), &json!(4)));
    let fail = report.all("test_fail")[0];
    assert_eq!((&fail["id"], &fail["line"]), (&json!(2), &json!(6)));
    assert_eq!(fail["failure"]["line"], 7);
    assert_eq!(report.all("test_skip")[0]["reason"], "pending");
    assert_eq!(report.all("test_skip")[0]["tags"], json!(["fast", "later"]));
}

#[test]
fn hooks_surround_tests_and_cleanups_always_run() {
    let report = Spec::new(
        r#"
local log = {}
local function note(text) return function() log[#log + 1] = text end end
setup(note("setup")) teardown(note("teardown"))
before_each(note("before")) after_each(note("after"))
describe("inner", function()
    before_all(note("setup inner")) after_all(note("teardown inner"))
    before_each(note("before inner")) after_each(note("after inner"))
    it("one", function()
        finally(note("finally 1")) finally(note("finally 2"))
        log[#log + 1] = "one"
        error("on purpose")
    end)
    it("two", note("two"))
end)
it("tells", function()
    assert.same({
        "setup", "setup inner",
        "before", "before inner", "one", "finally 2", "finally 1", "after inner", "after",
        "before", "before inner", "two", "after inner", "after",
        "teardown inner", "before",
    }, log)
end)
"#,
    )
    .run();
    assert_eq!(report.totals(), [2, 1, 0], "{:#?}", report.0);
    assert_eq!(report.failure()["message"], "on purpose");
    assert_eq!(report.failure()["line"], 12);
}

#[test]
fn a_failing_setup_fails_its_tests_and_a_failing_teardown_is_an_error() {
    let report = Spec::new(
        r#"
describe("a", function()
    setup(function() assert.is_true(false) end)
    it("x", function() error("never runs") end)
    describe("b", function() it("y", function() error("never runs") end) end)
end)
describe("c", function()
    teardown(function() error("left over") end)
    it("z", function() end)
end)
"#,
    )
    .run();
    assert_eq!(report.names("test_fail"), ["a x", "a b y"]);
    for fail in report.all("test_fail") {
        assert_eq!(fail["failure"]["message"], "setup of \"a\" failed: the value is not true");
        assert_eq!(fail["failure"]["line"], 3);
    }
    let error = report.all("error")[0];
    assert_eq!(
        (&error["stage"], &error["name"]),
        (&json!("teardown"), &json!("teardown of \"c\""))
    );
    assert_eq!(error["failure"]["message"], "left over");
    assert_eq!(report.totals(), [1, 3, 0]);
}

#[test]
fn a_test_can_end_itself_as_skipped_and_only_leaves_out_the_others() {
    let report = Spec::new(
        r#"
it("a", function() pending("no network here") end)
it.only("b", function() pending("not yet") end)
it.only("c", function() end)
"#,
    )
    .run();
    assert_eq!(report.names("test_skip"), ["a", "b"]);
    assert_eq!(report.all("test_skip")[0]["reason"], "another test of the file is marked it.only");
    assert_eq!(report.all("test_skip")[1]["reason"], "not yet");
    assert_eq!(report.totals(), [1, 0, 2]);
}

const MANY: &str = r#"
describe("a #slow", function() it("1", function() error("x") end) it("2", function() end) end)
describe("b", function() it("3", function() error("y") end) it("4 #slow", function() end) end)
"#;

#[test]
fn the_host_selects_orders_lists_and_stops() {
    let selected = Spec::new(MANY).with("only", "slow").run();
    assert_eq!(selected.names("test_start"), ["a #slow 1", "a #slow 2", "b 4 #slow"]);
    assert_eq!(selected.0[0]["tests"], 3);
    let reversed = Spec::new(MANY).with("reversed", true).run();
    assert_eq!(reversed.names("test_start"), ["b 4 #slow", "b 3", "a #slow 2", "a #slow 1"]);
    let listed = Spec::new(MANY).with("mode", "list").run();
    assert_eq!(listed.names("test_listed"), ["a #slow 1", "a #slow 2", "b 3", "b 4 #slow"]);
    assert!(listed.all("test_start").is_empty());
    let stopped = Spec::new(MANY).with("stop_after", 1).run();
    assert_eq!(stopped.names("test_start"), ["a #slow 1"]);
    let setup = "setup(function() error('no test of the file runs') end) it('a', function() end)";
    let none = Spec::new(setup).with("only", "nothing").run();
    assert_eq!(none.totals(), [0, 0, 0]);
}

#[test]
fn a_test_that_hangs_says_where_each_of_its_coroutines_waits() {
    let report = Spec::new(
        r#"
local never = channel.new()
local function wait() never:receive() end
it("hangs", function()
    coroutine.spawn(function()
        wait()
    end)
    coroutine.spawn(function() end)
    pcall(wait)
end)
it.timeout("5ms", "hangs for a shorter time", function() wait() end)
it("goes on", function() end)
after_each(function() cleaned = (cleaned or 0) + 1 end)
it("cleaned up", function() assert.equal(3, cleaned) end)
"#,
    )
    .run();
    assert_eq!(report.totals(), [2, 2, 0]);
    let fails = report.all("test_fail");
    let failure = &fails[0]["failure"];
    assert_eq!(failure["message"], "timed out after 1000 ms");
    assert_eq!(fails[0]["duration_ms"], 1000.0);
    assert_eq!(failure["line"], 3);
    assert_eq!(
        failure["traceback"],
        "the test waits at\n\
         a_spec.lua:3: in function <a_spec.lua:3>\n\
         [C]: in global 'pcall'\n\
         a_spec.lua:9: in function <a_spec.lua:4>\n\
         coroutine 1 waits at\n\
         a_spec.lua:3: in upvalue 'wait'\n\
         a_spec.lua:6: in function <a_spec.lua:5>"
    );
    assert_eq!(fails[1]["failure"]["message"], "timed out after 5 ms");
}

#[test]
fn a_failing_coroutine_fails_its_test() {
    let report = Spec::new(
        r#"
it("waits for nothing", function()
    coroutine.spawn(function(want)
        require("time").sleep("1ms")
        assert.equal(want, 2)
    end, 1)
    channel.new():receive()
end)
it("is over before", function()
    coroutine.spawn(function() require("time").sleep("20ms") error("late") end)
end)
it("meanwhile", function() require("time").sleep("50ms") end)
"#,
    )
    .run();
    let fail = report.all("test_fail")[0];
    assert_eq!(fail["full_name"], "waits for nothing");
    assert_eq!((&fail["failure"]["line"], &fail["failure"]["expected"]), (&json!(5), &json!("1")));
    let error = report.all("error")[0];
    assert_eq!(
        (&error["stage"], &error["failure"]["message"]),
        (&json!("coroutine"), &json!("late"))
    );
    assert_eq!(report.totals(), [2, 2, 0]);
}

#[test]
fn a_file_that_does_not_load_and_a_block_that_fails_are_errors() {
    let report = Spec::new("it('a', function() end)\nlocal x = nil + 1").run();
    let error = report.all("error")[0];
    assert_eq!((&error["stage"], &error["failure"]["line"]), (&json!("load"), &json!(2)));
    assert_eq!(error["failure"]["message"], "attempt to perform arithmetic on a nil value");
    assert_eq!(report.totals(), [1, 1, 0], "what was declared before is run");

    let report = Spec::new("describe('b', function() it('a', function() end) it(5) end)").run();
    let error = report.all("error")[0];
    assert_eq!((&error["stage"], &error["name"]), (&json!("describe"), &json!("b")));
    assert_eq!(error["failure"]["message"], "it takes a name first (a string, got number)");

    for misuse in ["it('b', print)", "describe('b', print)", "before_each(print)"] {
        let source = format!("it('a', function()\n {misuse} end)");
        let report = Spec::new(&source).run();
        let message = report.failure()["message"].as_str().unwrap().to_owned();
        assert!(message.ends_with("cannot be used inside a test or hook"), "{message}");
        assert_eq!(report.failure()["line"], 2);
    }
    let report = Spec::new("finally(print)").run();
    assert_eq!(report.failure()["message"], "finally can only be used inside a test");
}

#[test]
fn what_is_raised_becomes_a_failure() {
    let raised = |source: &str| {
        let source = format!("it('a', function()\n{source}\nend)");
        let report = Spec::new(&source).run();
        report.failure().clone()
    };
    let object = raised("error(errors.new{message = 'no seat', kind = errors.CONFLICT})");
    assert_eq!((&object["message"], &object["kind"]), (&json!("no seat"), &json!("Conflict")));
    assert_eq!(object["line"], 2);
    assert_eq!(raised("error({code = 5})")["message"], "{code = 5}");
    assert_eq!(raised("error('bare', 0)")["message"], "bare");
    assert_eq!(raised("error()")["message"], "nil");
    assert_eq!(raised("assert(false, 'as in Lua')")["message"], "as in Lua");
    assert_eq!(raised("assert(nil)")["message"], "assertion failed!");
    let deep = raised("local function helper() local t = nil; t.x = 1 end\nhelper() return 1");
    assert_eq!(deep["line"], 2);
    assert_eq!(
        deep["traceback"],
        "a_spec.lua:2: in local 'helper'\na_spec.lua:3: in function <a_spec.lua:1>"
    );
}
