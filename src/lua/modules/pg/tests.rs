//! The rows of pg.md section 2 that need a view from outside; the rest is in `tests/lua/pg`.

use std::time::{Duration, Instant};

use crate::id::Serial;
use crate::lua::tests::Bench;
use crate::pg::Config;
use crate::process::{Deliver, Message, Source};
use crate::value::{ErrorValue, Values};

const OPEN: &str = "local pg = require('pg') local g = assert(pg.open('app:pg')) ";

fn bench(source: &str) -> Bench {
    let idle = "return function(group, times)
        local g = require('pg').open('app:pg')
        for _ = 1, times or 1 do assert(g:join(group)) end
        process.listen('stop'):receive()
        return 'left'
    end";
    Bench::new(&[
        ("app:main", &format!("return function() {OPEN} {source} end")),
        ("app:member", idle),
    ])
}

fn run(source: &str) -> Result<Values, ErrorValue> {
    bench(source).run("app:main")
}

fn ok(source: &str) {
    match run(source) {
        Ok(value) => assert_eq!(value, Values::bool(true), "{source}"),
        Err(error) => panic!("{source}\n{} {}", error.kind, error.message),
    }
}

#[test]
fn joins_count_and_leaves_take_one_each() {
    ok("local me = process.pid()
        assert(g:join('a')) assert(g:join({'a', 'b', 'a'}))
        local members = g:get_members('a')
        assert(#members == 3 and members[1] == me and members[3] == me)
        assert(#g:get_members('nobody') == 0)
        local names = g:which_groups() table.sort(names)
        assert(table.concat(names, ' ') == 'a b')
        assert(g:leave({'a', 'b', 'c'}))
        assert(#g:get_local_members('a') == 2 and #g:which_local_groups() == 1)
        local ok, err = g:leave('c')
        assert(ok == nil and err:kind() == errors.INVALID)
        assert(err:message() == 'pg.leave: group \"c\": not a member', err:message())
        local ok, err = g:leave({'x', 'y'})
        assert(err:message() == 'pg.leave: groups \"x\", \"y\": a member of none of them')
        return true");
}

#[test]
fn a_broadcast_reaches_every_slot_and_says_how_many() {
    ok("local ch = process.listen('news')
        g:join({'a', 'a'})
        local ok, err, n = g:broadcast('a', 'news', {1, nil, 3}, 'more')
        assert(ok == true and err == nil and n == 2)
        local v = ch:receive() assert(v[1][3] == 3 and v[2] == 'more')
        assert(ch:receive()[1][1] == 1)
        local ok, err, n = g:broadcast_local('a', 'note')
        assert(n == 2)
        local m = process.inbox():receive()
        assert(m:topic() == 'note' and m:from() == process.pid() and m:payload() == nil)
        local ok, err, n = g:broadcast('nobody', 'news', 1)
        return ok == true and n == 0");
}

#[test]
fn bad_arguments_are_refused_before_anything_happens() {
    ok("local function invalid(what, ok, err)
            assert(ok == nil, what)
            assert(err:kind() == errors.INVALID, what .. err:kind())
            assert(err:message():find(what, 1, true), err:message())
        end
        invalid('group is missing', g:join())
        invalid('name is empty', g:join(''))
        invalid('list of groups is empty', g:join({}))
        invalid('groups[2] is a number', g:join({'a', 2}))
        invalid('groups[2] is missing', g:join({'a', nil, 'b'}))
        invalid('groups[1] is missing', g:join({x = 'a'}))
        invalid('groups[2]: group name is empty', g:leave({'a', ''}))
        invalid('not valid UTF-8', g:join('\\xff'))
        invalid('topic is missing', g:broadcast('a'))
        invalid('topic is empty', g:broadcast('a', ''))
        invalid('topics that start', g:broadcast('a', '@x'))
        invalid('value[1].f: a function cannot be sent', g:broadcast('a', 't', {f = print}))
        assert(#g:which_groups() == 0)
        local ok, err = pcall(g.join, g, 1)
        assert(not ok and tostring(err):find('string expected, got number'))
        local ok, err = pcall(g.join, 'a')
        assert(not ok and tostring(err):find('use g:join'))
        local sub, members, err = g:monitor('')
        assert(sub == nil and members == nil and err:kind() == errors.INVALID)
        local ok, err = pg.open('app:none')
        assert(ok == nil and err:kind() == errors.NOT_FOUND)
        local ok, err = pg.open('')
        assert(ok == nil and err:kind() == errors.INVALID)
        return true");
}

#[test]
fn a_released_instance_answers_nothing_but_release() {
    ok("g:join('a')
        assert(tostring(g) == 'pg.Instance(app:pg)')
        assert(g:release() == true and g:release() == true)
        assert(tostring(g) == 'pg.Instance(app:pg, released)')
        local ok, err = g:join('a')
        assert(ok == nil and err:kind() == errors.INVALID)
        local sub, members, err = g:events()
        assert(sub == nil and members == nil and err:kind() == errors.INVALID)
        return #pg.open('app:pg'):get_members('a') == 1");
}

#[test]
fn a_snapshot_and_its_events_make_the_view() {
    ok("g:join('a')
        local sub, members, err = g:monitor('a')
        assert(err == nil and #members == 1)
        local all, snapshot = g:events()
        assert(#snapshot.a == 1)
        local pid = process.spawn_monitored('app:member', 'app:processes', 'a', 2)
        for _ = 1, 2 do
            local e = sub:channel():receive()
            assert(e.system == 'pg' and e.kind == 'member.joined' and e.path == 'a')
            assert(e.data.Group == 'a' and e.data.PIDs[1] == pid and #e.data.PIDs == 1)
        end
        process.send(pid, 'stop')
        assert(process.events():receive().kind == process.event.EXIT)
        assert(#g:get_members('a') == 1)
        local e = sub:channel():receive()
        assert(e.kind == 'member.left' and #e.data.PIDs == 2 and e.data.Dropped == nil)
        g:join('b')
        for i, path in ipairs({'a', 'a', 'a', 'b'}) do
            assert(all:channel():receive().path == path)
        end
        assert(sub:close() and sub:close() and all:close({flush = true}))
        g:leave('a')
        local v, ok = sub:channel():receive()
        return v == nil and ok == false and sub:dropped() == 0");
}

#[test]
fn a_full_buffer_drops_counts_and_tells() {
    let bench = bench(
        "local sub = g:events()
        for _ = 1, 5 do g:join('a') end
        assert(sub:dropped() == 3, sub:dropped())
        local ch = sub:channel()
        assert(ch:receive().data.Dropped == nil and ch:receive().data.Dropped == nil)
        g:leave('a')
        local e = ch:receive()
        return e.kind == 'member.left' and e.data.Dropped == 3",
    );
    bench.start_scope(Config { monitor_buffer: 2, ..Config::default() });
    assert_eq!(bench.run("app:main"), Ok(Values::bool(true)));
}

#[test]
fn limits_name_themselves() {
    let bench = bench(
        "assert(g:join({'a', 'a'}))
        local ok, err = g:join({'b', 'a'})
        assert(err:kind() == errors.RATE_LIMITED)
        assert(err:message() == 'pg.join: group \"a\": the group may have at most 2 members')
        assert(err:details().limit == 'max_members_per_group' and err:details().value == 2)
        local ok, err = g:join({'b', 'c'})
        assert(err:details().limit == 'max_groups' and err:details().value == 2)
        return #g:which_groups() == 1",
    );
    let limits =
        Config { max_groups: Some(2), max_members_per_group: Some(2), ..Config::default() };
    bench.start_scope(limits);
    assert_eq!(bench.run("app:main"), Ok(Values::bool(true)));
}

#[test]
fn a_stopped_scope_is_unavailable_and_keeps_the_living() {
    let bench = bench(
        "local sub = g:events()
        g:join('a')
        local pid = process.spawn_monitored('app:member', 'app:processes', 'a')
        local ch = sub:channel()
        assert(ch:receive().kind == 'member.joined' and ch:receive().kind == 'member.joined')
        process.registry.register('first')
        process.listen('stopped'):receive()
        local v, ok = ch:receive()
        assert(v == nil and ok == false)
        for _, call in ipairs({'join', 'leave', 'get_members'}) do
            local ok, err = g[call](g, 'a')
            assert(ok == nil and err:kind() == errors.UNAVAILABLE and err:retryable(), call)
        end
        assert(select(2, pg.open('app:pg')):kind() == errors.UNAVAILABLE)
        process.send(pid, 'stop')
        process.events():receive()
        process.registry.register('second')
        process.listen('started'):receive()
        local members = g:get_members('a')
        return #members == 1 and members[1] == process.pid()",
    );
    std::thread::scope(|threads| {
        let main = threads.spawn(|| bench.run("app:main"));
        let process = wait_for(&bench, "first");
        bench.stop_scope();
        tell(&bench, process, "stopped");
        wait_for(&bench, "second");
        bench.start_scope(Config::default());
        tell(&bench, process, "started");
        assert_eq!(main.join().unwrap(), Ok(Values::bool(true)));
    });
}

/// The process that gives itself a name, once it has done so.
fn wait_for(bench: &Bench, name: &str) -> Serial {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(process) = bench.runtime.names().lookup(name) {
            return process;
        }
        assert!(Instant::now() < deadline, "nobody is called {name}");
        std::thread::yield_now();
    }
}

fn tell(bench: &Bench, process: Serial, topic: &str) {
    let message = Message { source: Source::System, topic: topic.into(), values: Values::EMPTY };
    bench.runtime.deliver(process, message).unwrap();
}

#[test]
fn many_processes_at_once_lose_nothing() {
    let bench = Bench::new(&[
        (
            "app:churner",
            "return function()
                local g = require('pg').open('app:pg')
                for i = 1, 300 do
                    assert(g:join({'a', 'b'})) assert(g:leave('b'))
                    if i % 50 == 0 then g:broadcast('a', 'x', i) end
                end
            end",
        ),
        (
            "app:main",
            "return function()
                local g = require('pg').open('app:pg')
                for _ = 1, 40 do process.spawn_monitored('app:churner', 'app:processes') end
                for _ = 1, 40 do
                    local result = process.events():receive().result
                    assert(not result.error, tostring(result.error))
                end
                return #g:which_groups() == 0
            end",
        ),
    ]);
    assert_eq!(bench.run("app:main"), Ok(Values::bool(true)));
    let stats = bench.scopes().open("app:pg").unwrap().stats();
    assert_eq!((stats.pg.joins, stats.pg.leaves), (12_000, 12_000));
    assert_eq!((stats.queue_depth, stats.pg.local.slots), (0, 0));
}

#[test]
fn calls_work_wherever_lua_code_runs() {
    ok("local order = {3, 1, 2}
        table.sort(order, function(a, b) g:join('sorted') return a < b end)
        assert(#g:get_members('sorted') > 0)
        local t = setmetatable({}, {__index = function(_, k) return g:join(k) end})
        assert(t.indexed and pcall(g.join, g, 'called'))
        for ok in coroutine.wrap(function() coroutine.yield(g:join('wrapped')) end) do assert(ok) end
        local function tail() return g:broadcast('called', 'x') end
        local ok, err, n = tail()
        return ok and err == nil and n == 1 and #g:which_groups() == 4");
}
