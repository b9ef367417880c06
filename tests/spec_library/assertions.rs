//! The assertions: what holds, what does not, and how a failure is told.

use serde_json::Value as Json;

use crate::Spec;

/// Runs statements that all must hold.
fn holds(statements: &[&str]) {
    for statement in statements {
        let source = format!("it('a', function() {statement} end)");
        let report = Spec::new(&source).run();
        assert_eq!(report.totals(), [1, 0, 0], "{statement}\n{:#?}", report.0);
    }
}

/// The failure of a statement that must not hold.
fn failure(statement: &str) -> Json {
    let source = format!("it('a', function()\n{statement}\nend)");
    let report = Spec::new(&source).run();
    assert_eq!(report.totals(), [0, 1, 0], "{statement}");
    let failure = report.failure().clone();
    assert_eq!(failure["file"], "a_spec.lua");
    assert_eq!(failure["line"], 2, "{failure:#?}");
    failure
}

fn message(statement: &str) -> String {
    failure(statement)["message"].as_str().unwrap().to_owned()
}

#[test]
fn all_that_should_hold() {
    holds(&[
        "assert(1) assert(true, 'm') assert(select('#', assert(1, 2, 3)) == 3)",
        "assert.are.equal(1, 1.0) assert.equals('a', 'a') assert.is_equal(nil, nil)",
        "assert.are_not.equal({}, {}) assert.are.Not.equal(1, 2) assert.not_equal(1, '1')",
        "assert.are.same({a = {1, 2}, [3] = 'x'}, {a = {1, 2}, [3] = 'x'})",
        "assert.are_not.same({1}, {1, 2}) assert.is_not.same({a = 1}, {a = false})",
        "local a, b = {}, {} a.x, b.x = a, b assert.same(a, b)",
        "assert.same(errors.new('x'), errors.new('x')) assert.not_same(errors.new('x'), errors.new('y'))",
        "assert.is_true(true) assert.is.True(true) assert.is_not_true(1) assert.is_false(false)",
        "assert.is_nil(nil) assert.is_not_nil(false) assert.is_not.Nil(0) assert.Nil(nil)",
        "assert.truthy(0) assert.is_falsy(nil) assert.is_not.falsy(1) assert.not_truthy(false)",
        "assert.is_string('') assert.is_number(1) assert.is_table({}) assert.is_boolean(false)",
        "assert.is_function(pcall) assert.is_not.string(1) assert.is_a.number(2)",
        "assert.is_userdata(errors.new('x')) assert.is_thread(coroutine.create(pcall))",
        "assert.has_error(function() error('x') end) assert.has.error(function() error() end)",
        "assert.has_error(function() error('x') end, 'x') assert.errors(function() error('x', 0) end, 'x')",
        "assert.has_error(function() error({1}) end, {1})",
        "assert.has_error(function() error(errors.new('gone')) end, 'gone')",
        "assert.has_no_error(function() end) assert.has_no.errors(function() end)",
        "assert.has_no_error(function() error('a') end, 'b')",
        "assert.equal(5, assert.has_no_error(function() return 5 end))",
        "assert.equal('gone', assert.has_error(function() error('gone', 0) end))",
        "assert.error_matches(function() error('code 17') end, 'code %d+')",
        "assert.matches('^a+$', 'aaa') assert.is_not.match('b', 'aaa') assert.matches('gone', errors.new('is gone'))",
        "assert.near(1, 1.05, 0.1) assert.is_not.near(1, 1.2, 0.1)",
        "assert.error_kind(errors.TIMEOUT, errors.new{message = 'm', kind = errors.TIMEOUT})",
        "assert.is_not.error_kind(errors.TIMEOUT, errors.new('m'))",
        "assert.one_of({1, {2}, 'x'}, {2}) assert.is_not.one_of({1}, 2)",
        "assert.equal('v', (assert.is_string('v')))",
        "local n = 0 assert.equal(3, assert.eventually(function() n = n + 1 return n == 3 and n end))",
        "local n = 0 assert.eventually(function() n = n + 1 assert.equal(3, n) return true end)",
        "local ch = channel.new(1) ch:send(7) assert.equal(7, assert.receives(ch))",
        "local ch = channel.new() coroutine.spawn(function() require('time').sleep('1ms') ch:send(7) end) \
            assert.receives(ch, {within = '1s'})",
        "assert.is_not.receives(channel.new(), {within = '5ms'})",
    ]);
}

#[test]
fn failures_carry_expected_and_actual() {
    let equal = failure("assert.are.equal('a\\tb', 5)");
    assert_eq!(equal["message"], "the values are not equal");
    assert_eq!((&equal["expected"], &equal["actual"]), (&"\"a\\tb\"".into(), &"5".into()));
    assert_eq!(failure("assert.equal(1.0, 2)")["expected"], "1.0");
    assert_eq!(failure("assert.equal(2^53, 1)")["expected"], "9007199254740992.0");
    assert_eq!(
        failure("assert.equal(0/0, 1)")["expected"].as_str().unwrap().trim_start_matches('-'),
        "nan"
    );
    assert_eq!(failure("assert.equal('\\xff', 1)")["expected"], "\"\\xff\"");
    assert_eq!(failure("assert.equal('ü', 1)")["expected"], "\"ü\"");
    assert!(message("assert.equal({}, {})").contains("compare content with are.same"));
    assert_eq!(failure("assert.is_nil(0)")["expected"], "nil");
    assert_eq!(failure("assert.is_string(0)")["message"], "the value is not a string");
    let near = failure("assert.near(1, 2, 0.5)");
    assert_eq!((&near["expected"], &near["actual"]), (&"1 ± 0.5".into(), &"2".into()));
    let kind = failure("assert.error_kind('Timeout', errors.new{message = 'm', kind = 'Invalid'})");
    assert_eq!(kind["actual"], "\"Invalid\" (m)");
    assert_eq!(failure("assert.one_of({1, 2}, 3)")["expected"], "one of {1, 2}");
    assert!(failure("assert.are_not.equal(1, 1)")["diff"].is_null());
}

#[test]
fn same_says_where_values_differ() {
    let same = failure(
        "assert.same({name = 'ann', list = {1, 2, 3}, gone = true}, {name = 'bob', list = {1, 5, 3}, new = {}})",
    );
    assert_eq!(
        same["diff"],
        ".gone: missing, expected true\n\
         .list[2]: expected 2, actual 5\n\
         .name: expected \"ann\", actual \"bob\"\n\
         .new: not expected, actual {}"
    );
    assert_eq!(same["expected"], "{gone = true, list = {1, 2, 3}, name = \"ann\"}");
    let error = failure("assert.same({e = errors.new('a')}, {e = errors.new('b')})");
    assert_eq!(error["diff"], ".e.message: expected \"a\", actual \"b\"");
    let long = failure("local t = {} for i = 1, 50 do t[i] = i end assert.same(t, {})");
    assert_eq!(long["diff"].as_str().unwrap().lines().count(), 21);
    let text = failure("assert.same(('x'):rep(40) .. '\\nabc', ('x'):rep(40) .. '\\nabd')");
    assert_eq!(text["diff"], "texts differ from line 2, column 3 on: expected \"c\", actual \"d\"");
    assert!(text["expected"].as_str().unwrap().ends_with("\nabc"), "lines stand for themselves");
}

#[test]
fn large_values_take_several_lines_and_have_an_end() {
    let shown = |value: &str| {
        failure(&format!("assert.equal({value}, nil)"))["expected"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown("{1, nil, 3, x = {y = {}}}"), "{1, [3] = 3, x = {y = {}}}");
    assert_eq!(
        shown("{['two words'] = 1, [true] = 2, [2.5] = 3}"),
        "{[2.5] = 3, [\"two words\"] = 1, [true] = 2}"
    );
    let long = shown("{name = ('n'):rep(50), list = {('m'):rep(50), 2}}");
    assert_eq!(
        long,
        format!(
            "{{\n    list = {{\"{}\", 2}},\n    name = \"{}\",\n}}",
            "m".repeat(50),
            "n".repeat(50)
        )
    );
    let cycle = shown("(function() local t = {} t.t = t return t end)()");
    assert_eq!(cycle, "{t = <cycle>}");
    let many = shown("(function() local t = {} for i = 1, 1000 do t[i] = i end return t end)()");
    assert!(many.ends_with("200,\n    … 800 more,\n}"), "{many}");
    let big = shown("('x'):rep(100000)");
    assert!(big.len() < 2100 && big.ends_with("… (100000 bytes)"));
    let deep = shown("(function() local t = {} for i = 1, 500 do t = {t} end return t end)()");
    assert!(deep.contains("{…}"));
}

#[test]
fn messages_of_the_caller_come_first() {
    assert_eq!(message("assert.is_true(false, 'the door')"), "the door: the value is not true");
    assert_eq!(message("assert.equal(1, 2, 'sum')"), "sum: the values are not equal");
    assert_eq!(message("assert.has_error(function() end, nil, 'm')"), "m: no error was raised");
    assert_eq!(
        message("assert.has_no_error(function() error('boom', 0) end)"),
        "an error was raised: boom"
    );
    let other = failure("assert.has_error(function() error('boom', 0) end, 'bang')");
    assert_eq!(other["message"], "another error was raised");
    assert_eq!((&other["expected"], &other["actual"]), (&"\"bang\"".into(), &"boom".into()));
    assert_eq!(message("assert.matches('a', {})"), "the value is not a text");
    assert_eq!(message("assert.error_kind('Timeout', 'text')"), "the value is not an error object");
}

#[test]
fn misuse_is_told_at_the_place_of_use() {
    assert_eq!(
        message("assert.is_equl(1, 1)"),
        "assert has no \"is_equl\"; did you mean \"equal\"?"
    );
    assert_eq!(message("assert.are.equal(1)"), "assert.equal takes 2 arguments, not 1");
    assert_eq!(message("assert.is_not.eventually(print)"), "assert.eventually cannot be negated");
    assert_eq!(message("assert.has_error(5)"), "bad argument #1 (a function expected, got number)");
    assert_eq!(message("assert.eventually(print, {whithin = '1s'})"), "unknown option \"whithin\"");
    assert_eq!(message("assert()"), "bad argument #1 to 'assert' (value expected)");
}

#[test]
fn waiting_assertions_say_what_they_saw() {
    let value =
        failure("assert.eventually(function() return nil end, {within = '50ms', every = '10ms'})");
    assert_eq!(value["message"], "not so within 50 ms, after 6 tries: it returned nil");
    let inner = failure("assert.eventually(function() assert.equal(1, 2) end, {within = '20ms'})");
    assert_eq!(inner["message"], "not so within 20 ms, after 3 tries: the values are not equal");
    assert_eq!((&inner["expected"], &inner["actual"]), (&"1".into(), &"2".into()));
    assert_eq!(
        message("assert.receives(channel.new(), {within = '5ms'})"),
        "nothing was received within 5 ms"
    );
    assert_eq!(
        message("local ch = channel.new() ch:close() assert.receives(ch)"),
        "the channel is closed"
    );
    let some = failure("local ch = channel.new(1) ch:send(7) assert.is_not.receives(ch)");
    assert_eq!(
        (&some["message"], &some["actual"]),
        (&"something was received".into(), &"7".into())
    );
}

#[test]
fn a_failure_reads_well_where_it_is_caught() {
    holds(&[
        "local ok, e = pcall(assert.equal, 1, 2) assert.is_false(ok) \
            assert.matches('the values are not equal', tostring(e))",
        "assert.error_matches(function() assert.is_nil(1) end, 'a_spec.lua:1: the value is not nil')",
    ]);
}
