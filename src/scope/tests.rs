//! The serial section, its queue and its health, without Lua.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::*;
use crate::id::{EntryId, HostIndex, Incarnation, NodeName, Origin, Serial};
use crate::pg::message::Frame;
use crate::pg::{Config, Reach};
use crate::process::{BodyFactory, Runtime, Ticket};

struct NoBodies;

impl BodyFactory for NoBodies {
    fn attach(&self, _: &std::rc::Rc<crate::process::Worker>) {}

    fn create(
        &self,
        _: &std::rc::Rc<crate::process::Process>,
        _: &mut crate::process::SpawnRequest,
    ) -> Result<std::rc::Rc<dyn crate::process::Body>, crate::value::ErrorValue> {
        Err(crate::value::ErrorValue::new(crate::value::kind::INTERNAL, "no bodies here"))
    }

    fn between_slices(&self) {}

    fn detach(&self) {}
}

/// A node without processes; members are mere numbers.
struct Rig {
    runtime: Runtime,
    scopes: Scopes,
    clock: Arc<AtomicU64>,
    _timers: tokio::runtime::Runtime,
}

impl Rig {
    fn new(config: Config) -> Self {
        Self::named("a", config)
    }

    fn named(node: &str, config: Config) -> Self {
        let origin = origin(node);
        let factory = |_| Ok(Box::new(NoBodies) as Box<dyn BodyFactory>);
        let runtime = Runtime::start(origin, 1, factory, |_| {}).unwrap();
        runtime.hosts().open(&"app:processes".parse().unwrap(), Default::default()).unwrap();
        let clock = Arc::new(AtomicU64::new(1_000));
        let read = clock.clone();
        let read = move || Duration::from_millis(read.load(Ordering::Relaxed));
        let scopes = Scopes::new(&runtime, Clock::from_fn(read));
        scopes.declare([id()]);
        let timers = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let inside = timers.enter();
        scopes.start(&id(), config).unwrap();
        drop(inside);
        Self { runtime, scopes, clock, _timers: timers }
    }

    fn scope(&self) -> Arc<Scope> {
        self.scopes.open("app:pg").unwrap()
    }

    fn pass(&self, time: Duration) {
        self.clock.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.runtime.stop();
    }
}

fn origin(node: &str) -> Origin {
    Origin { node: node.parse().unwrap(), incarnation: Incarnation(1) }
}

fn id() -> EntryId {
    "app:pg".parse().unwrap()
}

fn join(group: &str) -> Operation {
    Operation::Join(vec![group.parse().unwrap()])
}

const ME: Serial = Serial(1);
const TICKET: Ticket = Ticket { coroutine: 0, wait: 0 };

#[test]
fn reads_see_what_was_done_before_them() {
    let rig = Rig::new(Config::default());
    let scope = rig.scope();
    for round in 1..=100 {
        assert!(matches!(scope.perform(ME, join("g")), Ok(Answer::Changed)));
        assert_eq!(scope.read(|view| view.slots("g")), Ok(round));
    }
    rig.scopes.stop(&id());
    assert_eq!(scope.read(|view| view.slots("g")), Err(ScopeError::Stopped));
    assert_eq!(scope.perform(ME, join("g")).err(), Some(ScopeError::Stopped));
}

#[test]
fn who_comes_while_somebody_is_at_work_queues_up_to_the_limit() {
    let config = Config { action_queue_size: 1, action_queue_max_size: 2, ..Config::default() };
    let rig = Rig::new(config);
    let scope = rig.scope();
    let pending = scope.enter(|_, _| {
        std::thread::scope(|threads| {
            let visitor = threads.spawn(|| {
                assert!(scope.try_perform(ME, join("g")).is_err());
                let one = scope.enqueue(scope.reserve().unwrap(), (ME, TICKET), join("g"));
                let _other = scope.enqueue(scope.reserve().unwrap(), (ME, TICKET), join("h"));
                assert!(matches!(scope.reserve(), Err(ScopeError::Full { limit: 2 })));
                one
            });
            visitor.join().unwrap()
        })
    });
    // The turn that kept them waiting has served them; their process is not alive.
    assert_eq!(pending.take().unwrap().err(), Some(ScopeError::CallerGone));
    let stats = scope.stats();
    assert_eq!((stats.queue_depth, stats.queue_refused, stats.pg.joins), (0, 1, 0));
}

#[test]
fn a_scope_that_is_stuck_says_so_and_an_idle_one_is_well_for_ever() {
    let rig = Rig::new(Config::default());
    let (scope, silence) = (rig.scope(), Duration::from_secs(300));
    rig.pass(Duration::from_secs(1_000_000));
    assert_eq!(scope.health(silence), Health::Good);
    scope.enter(|_, _| {
        std::thread::scope(|threads| {
            let health = || threads.spawn(|| scope.health(silence)).join().unwrap();
            assert_eq!(health(), Health::Good);
            rig.pass(Duration::from_secs(4));
            assert_eq!(health(), Health::Good);
            rig.pass(Duration::from_secs(2));
            assert_eq!(health(), Health::Stuck(Duration::from_secs(6)));
        });
    });
    assert_eq!(scope.health(silence), Health::Good);
}

/// Carries frames between two rigs when told to.
#[derive(Clone, Default)]
struct Wire(Arc<Mutex<Vec<(NodeName, Frame)>>>);

impl Peers for Wire {
    fn send(&self, to: &NodeName, frame: Frame) -> Result<(), SendRefused> {
        self.0.lock().push((to.clone(), frame));
        Ok(())
    }
}

impl Wire {
    fn carry(&self, from: &Rig, to: &Rig) -> usize {
        let frames = std::mem::take(&mut *self.0.lock());
        let from = from.runtime.origin().node.clone();
        frames.iter().for_each(|(_, frame)| to.scopes.handle_frame(&from, frame).unwrap());
        frames.len()
    }
}

#[test]
fn two_nodes_see_each_other_and_silence_is_noticed() {
    let (a, b) = (Rig::named("a", Config::default()), Rig::named("b", Config::default()));
    let (from_a, from_b) = (Wire::default(), Wire::default());
    a.scopes.connect(Box::new(from_a.clone()));
    b.scopes.connect(Box::new(from_b.clone()));
    a.scopes.session_up(&origin("b"));
    b.scopes.session_up(&origin("a"));
    a.scope().perform(ME, join("g")).unwrap();
    while from_a.carry(&a, &b) + from_b.carry(&b, &a) > 0 {}
    assert_eq!(b.scope().read(|view| view.slots("g")), Ok(1));
    let Ok(Answer::Addressed(addressed)) =
        b.scope().perform(ME, Operation::Broadcast("g".parse().unwrap(), Reach::Cluster))
    else {
        panic!("no addresses");
    };
    assert_eq!(addressed.slots(), 1);
    assert_eq!(a.scope().stats().pg.peers_present, 1);
    a.pass(Duration::from_secs(301));
    let silent = Health::Silent(Duration::from_secs(301));
    assert_eq!(a.scope().health(Duration::from_secs(300)), silent);
    b.scopes.node_gone(&origin("a"));
    assert_eq!(b.scope().read(|view| view.group_count()), Ok(0));
}

#[test]
fn a_scope_that_does_not_run_tells_peers_that_ask() {
    let (a, b) = (Rig::named("a", Config::default()), Rig::named("b", Config::default()));
    let (from_a, from_b) = (Wire::default(), Wire::default());
    a.scopes.connect(Box::new(from_a.clone()));
    b.scopes.connect(Box::new(from_b.clone()));
    b.scopes.stop(&id());
    a.scopes.session_up(&origin("b"));
    assert!(from_a.carry(&a, &b) > 0);
    assert!(from_b.carry(&b, &a) > 0);
    assert_eq!(a.scope().stats().pg.peers_present, 0);
    assert!(a.scopes.handle_frame(&"b".parse().unwrap(), b"garbage").is_err());
}

#[test]
fn entries_come_and_go() {
    let rig = Rig::new(Config::default());
    let scope = rig.scope();
    assert!(rig.scopes.open("app:other").is_err());
    rig.scopes.declare(["app:other".parse().unwrap()]);
    assert!(rig.scopes.open("app:pg").is_err());
    assert!(!rig.scopes.open("app:other").unwrap().is_running());
    assert_eq!(scope.perform(ME, join("g")).err(), Some(ScopeError::Stopped));
    assert_eq!(HostIndex(0), ME.host_index());
}
