//! The VM and the scheduler together: scripts run in a real runtime and report by their result.

use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;

use super::{Identity, Modules, Output, Program, Programs, Role, Seed, Services, start};
use crate::id::{Incarnation, NodeName, Origin};
use crate::process::{HostLimits, Outcome, Runtime, SpawnReply, SpawnRequest, Ties, Watcher};
use crate::scope::{Clock, Scopes};
use crate::security::{Guard, Mode, Policies};
use crate::value::{ErrorValue, Values};

/// A runtime with the host `app:processes` and the given `(entry, source)` programs.
pub(crate) struct Bench {
    pub runtime: Runtime,
    services: Arc<Services>,
    timers: tokio::runtime::Runtime,
}

impl Bench {
    pub fn new(programs: &[(&str, &str)]) -> Self {
        let services = Arc::new(Services {
            guard: Guard::new(Mode::Permissive),
            policies: Policies::new([]).unwrap(),
            programs: Programs::default(),
            names: ArcSwapOption::empty(),
            scopes: OnceLock::new(),
            spec: None,
            output: Output::Lines(Arc::new(|_| {})),
        });
        services.programs.replace(programs.iter().map(|(id, source)| Program {
            id: id.parse().unwrap(),
            role: Role::Process,
            chunk_name: (*id).to_owned(),
            source: (*source).into(),
            method: "main".into(),
            modules: Modules::All,
            imports: [("lib".to_owned(), "app:lib".parse().unwrap())].into(),
            default_host: None,
        }));
        let origin = Origin { node: NodeName::local(), incarnation: Incarnation(0xabc) };
        let (runtime, _) = start(origin, 2, services.clone()).unwrap();
        runtime.hosts().open(&"app:processes".parse().unwrap(), HostLimits::default()).unwrap();
        let timers = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let bench = Self { runtime, services, timers };
        let scopes = Scopes::new(&bench.runtime, Clock::steady());
        scopes.declare([bench.scope_id()]);
        let _ = bench.services.scopes.set(scopes);
        bench.start_scope(crate::pg::Config::default());
        bench
    }

    fn scope_id(&self) -> crate::id::ScopeId {
        "app:pg".parse().unwrap()
    }

    /// The scope `app:pg`, which runs unless it was stopped.
    pub fn scopes(&self) -> &Scopes {
        self.services.scopes.get().unwrap()
    }

    /// Starts the scope `app:pg` anew.
    pub fn start_scope(&self, config: crate::pg::Config) {
        let _inside = self.timers.enter();
        self.scopes().stop(&self.scope_id());
        self.scopes().start(&self.scope_id(), config).unwrap();
    }

    /// Stops the scope `app:pg`.
    pub fn stop_scope(&self) {
        self.scopes().stop(&self.scope_id());
    }

    /// Runs an entry to its end.
    pub fn run(&self, id: &str) -> Result<Values, ErrorValue> {
        let (done, ended) = mpsc::channel();
        let failed = done.clone();
        let program = self.services.programs.get(id).unwrap();
        let request = SpawnRequest {
            entry: program.id.clone(),
            host: self.runtime.hosts().find("app:processes").unwrap(),
            seed: Box::new(Seed {
                program,
                arguments: Values::EMPTY,
                identity: Identity::default(),
            }),
            name: None,
            messages: Vec::new(),
            watcher: Some(Watcher::Callback(Box::new(move |_, outcome| {
                let _ = done.send(outcome);
            }))),
            parent: None,
            ties: Ties::default(),
        };
        let reply = SpawnReply::Callback(Box::new(move |started| {
            if let Err(error) = started {
                let _ = failed.send(Outcome::Failed(error));
            }
        }));
        self.runtime.spawn(request, reply);
        ended.recv_timeout(Duration::from_secs(20)).expect("the script hangs").result()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.runtime.stop();
    }
}

/// Runs one main function.
fn main(source: &str) -> Result<Values, ErrorValue> {
    Bench::new(&[("app:main", &format!("return function()\n{source}\nend"))]).run("app:main")
}

fn ok(source: &str) {
    match main(source) {
        Ok(value) => assert_eq!(value, Values::bool(true), "{source}"),
        Err(error) => panic!("{source}\n{} {}", error.kind, error.message),
    }
}

#[test]
fn main_returns() {
    assert_eq!(main("return 42"), Ok(Values::int(42)));
    assert_eq!(main(""), Ok(Values::NIL));
    assert_eq!(&*main("return 1, 'bad'").unwrap_err().message, "bad");
    assert_eq!(&*main("error('boom')").unwrap_err().message, "app:main:2: boom");
    assert_eq!(
        &*main("error(errors.new{message='m', kind='Conflict'})").unwrap_err().kind,
        "Conflict"
    );
}

#[test]
fn a_process_talks_to_itself() {
    ok("local ch = process.listen('x')
        assert(process.send(process.pid(), 'x', {a = {1, nil, 3}, b = 'y'}))
        local v, ok = ch:receive()
        return ok and v.a[3] == 3 and v.a[2] == nil and v.b == 'y'");
    ok("process.send(process.pid(), 'x', 1, 2)
        local m = process.inbox():receive()
        return m:topic() == 'x' and m:from() == process.pid() and #m:payload() == 2
            and m:payload()[2]:data() == 2");
}

#[test]
fn blocking_works_wherever_lua_can_yield() {
    ok("local ch = channel.new()
        coroutine.spawn(function() time_ = 1; ch:send('v') end)
        local ok, v = pcall(function() return ch:receive() end)
        return ok and v == 'v'");
    ok("local ch = channel.new()
        local co = coroutine.wrap(function() coroutine.yield(ch:receive()); return 'end' end)
        coroutine.spawn(function() for i = 1, 3 do ch:send(i) end end)
        local first = co()
        return first == 1 and ch:receive() == 2 and co() == 'end'");
    ok("local ch = channel.new()
        coroutine.spawn(function() for i = 1, 3 do ch:send(i) end ch:close() end)
        local sum = 0
        for v in function() return (ch:receive()) end do sum = sum + v end
        local t = setmetatable({}, {__index = function(_, k) local c = channel.new()
            coroutine.spawn(function() c:send(k .. '!') end) return (c:receive()) end})
        return sum == 6 and t.hello == 'hello!'");
    ok("local ch = channel.new()
        local ok, err = pcall(table.sort, {3, 2, 1}, function(a, b) ch:receive() return a < b end)
        return not ok and tostring(err):find('would have to wait') ~= nil");
    ok("local ch = channel.new()
        local ok, err = pcall(string.gsub, 'abc', '%w', function()
            local co = coroutine.create(function() return ch:receive() end)
            local ok, err = coroutine.resume(co)
            assert(not ok) error(err, 0)
        end)
        return not ok and tostring(err):find('would have to wait') ~= nil");
}

#[test]
fn select_follows_the_list() {
    ok("local a, b = channel.new(1), channel.new(1)
        b:send(2)
        local r = channel.select{a:case_receive(), b:case_receive()}
        local d = channel.select({a:case_receive(), default = true})
        local s = channel.select{a:case_send(5)}
        coroutine.spawn(function() b:send(9) end)
        local w = channel.select{b:case_receive()}
        return r.channel == b and r.value == 2 and r.ok and d.default and d.ok and s.ok
            and s.channel == a and a:receive() == 5 and w.value == 9 and w.default == nil");
    ok("local c = channel.new()
        coroutine.spawn(function() c:close() end)
        local r = channel.select{c:case_receive()}
        local t = channel.select{c:case_receive()}
        return r.ok == false and t.ok == false and r.value == nil");
}

#[test]
fn busy_loops_are_cut() {
    let bench = Bench::new(&[
        ("app:busy", "return function() while true do end end"),
        ("app:sorter", "return function() while true do table.sort({3,2,1}, function(a, b) for i = 1, 1e7 do end return a < b end) end end"),
        (
            "app:main",
            "return function()
                for i = 1, 4 do process.spawn('app:busy', 'app:processes') end
                local co = coroutine.create(function() local n = 0 while n < 1e7 do n = n + 1 end return n end)
                local ok, n = coroutine.resume(co)
                return ok and n == 1e7 and coroutine.status(co) == 'dead'
            end",
        ),
    ]);
    assert_eq!(bench.run("app:main"), Ok(Values::bool(true)));
    assert!(bench.runtime.preemptions() > 10);
}

#[test]
fn monitors_and_links_tell_the_end() {
    let bench = Bench::new(&[
        (
            "app:fails",
            "return function(how) if how == 'error' then error(errors.new{message='bad', kind='Conflict'}) end return how end",
        ),
        ("app:waits", "return function() process.inbox():receive() end"),
        (
            "app:main",
            "return function()
                local H = 'app:processes'
                local pid = assert(process.spawn_monitored('app:fails', H, 'value'))
                local e = process.events():receive()
                assert(e.kind == process.event.EXIT and e.from == pid and e.result.value == 'value')
                pid = assert(process.spawn_monitored('app:fails', H, 'error'))
                e = process.events():receive()
                assert(e.result.error:kind() == 'Conflict' and e.from == pid)
                process.set_options{trap_links = true}
                pid = assert(process.spawn_linked_monitored('app:waits', H))
                assert(process.terminate(pid))
                local first, second = process.events():receive(), process.events():receive()
                assert(first.kind == process.event.EXIT and second.kind == process.event.LINK_DOWN)
                assert(tostring(first.result.error) == 'process terminated')
                local ok, err = process.send(pid, 'x')
                assert(not ok and err:kind() == errors.NOT_FOUND)
                ok, err = process.monitor(pid)
                assert(not ok and tostring(err):find('not found'))
                local value, failure = process.exec('app:fails', H, 'x')
                assert(value == 'x' and failure == nil)
                value, failure = process.exec('app:fails', H, 'error')
                assert(value == nil and failure:kind() == 'Conflict')
                process.set_options{trap_links = false}
                process.spawn_linked('app:fails', H, 'error')
                process.inbox():receive()
            end",
        ),
    ]);
    assert_eq!(&*bench.run("app:main").unwrap_err().message, "linked process failed");
}
