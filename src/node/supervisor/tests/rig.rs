use std::time::{Duration, Instant};

use crate::id::EntryId;
use crate::node::supervisor::{
    Action, Graph, Item, Limits, Outcome, Run, ServiceSpec, Status, Supervisor, Tier,
};
use crate::registry::kind::Lifecycle;

/// A supervisor on virtual time that records what it is told to do.
pub struct Rig {
    pub supervisor: Supervisor,
    pub now: Instant,
    begin: Instant,
    /// Starts, stops and kills that were not looked at yet.
    pub orders: Vec<Action>,
    /// Everything that was published, as `name status`.
    pub published: Vec<String>,
    pub booted: Option<super::super::BootReport>,
    pub down: Option<super::super::ShutdownReport>,
}

pub fn id(name: &str) -> EntryId {
    format!("app:{name}").parse().unwrap()
}

/// An auto-started service with waits of 100 ms, doubling, without jitter.
pub fn service(name: &str, requires: &[&str]) -> Item {
    tiered(name, Tier::Service, requires, |_| {})
}

pub fn tiered(
    name: &str,
    tier: Tier,
    requires: &[&str],
    change: impl FnOnce(&mut Lifecycle),
) -> Item {
    let mut lifecycle = Lifecycle { auto_start: true, ..Lifecycle::default() };
    lifecycle.restart.initial_delay = ms(100);
    lifecycle.restart.jitter = 0.0;
    change(&mut lifecycle);
    let spec = ServiceSpec { tier, lifecycle };
    Item {
        id: id(name),
        references: requires.iter().map(|name| id(name)).collect(),
        service: Some(spec),
    }
}

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

impl Rig {
    pub fn new(items: Vec<Item>) -> Self {
        Self::with_limits(items, Limits::default())
    }

    pub fn with_limits(items: Vec<Item>, limits: Limits) -> Self {
        let now = Instant::now();
        let graph = Graph::build(items).unwrap();
        let supervisor = Supervisor::new(graph, limits, || 0.0, now);
        let (orders, published) = (Vec::new(), Vec::new());
        Self { supervisor, now, begin: now, orders, published, booted: None, down: None }
    }

    /// As `new`, booted.
    pub fn boot(items: Vec<Item>) -> Self {
        let mut rig = Self::new(items);
        rig.act(|supervisor, now| supervisor.handle_boot(now));
        rig
    }

    pub fn act(&mut self, act: impl FnOnce(&mut Supervisor, Instant)) {
        act(&mut self.supervisor, self.now);
        while let Some(action) = self.supervisor.poll_action() {
            match action {
                Action::Publish(record) => {
                    self.published.push(format!("{} {}", record.id.name(), record.status));
                }
                Action::Gone(id) => self.published.push(format!("{} gone", id.name())),
                Action::Booted(report) => assert!(self.booted.replace(report).is_none()),
                Action::Down(report) => assert!(self.down.replace(report).is_none()),
                order => self.orders.push(order),
            }
        }
    }

    /// Lets `duration` pass, stopping at every deadline on the way.
    pub fn pass(&mut self, duration: Duration) {
        let end = self.now + duration;
        while let Some(next) = self.supervisor.next_deadline().filter(|next| *next <= end) {
            assert!(next >= self.now || self.now == end, "a deadline in the past was left");
            self.now = self.now.max(next);
            self.act(|supervisor, now| supervisor.handle_timeout(now));
        }
        self.now = end;
    }

    /// Milliseconds of virtual time so far.
    pub fn elapsed(&self) -> u128 {
        (self.now - self.begin).as_millis()
    }

    /// The orders since the last call, as `verb name`.
    pub fn orders(&mut self) -> Vec<String> {
        self.orders.drain(..).map(|order| describe(&order)).collect()
    }

    /// The run that was last told to `verb`, which must be the only order for `name` in the queue.
    pub fn run(&mut self, name: &str) -> Run {
        let at = self.orders.iter().position(|order| describe(order) == format!("start {name}"));
        let at = at.unwrap_or_else(|| panic!("no start of {name} in {:?}", self.orders));
        match self.orders.remove(at) {
            Action::Start { run, .. } => run,
            other => panic!("{other:?}"),
        }
    }

    /// Lets the pending start of `name` succeed.
    pub fn up(&mut self, name: &str) -> Run {
        let run = self.run(name);
        self.act(|supervisor, now| {
            supervisor.handle_started(now, &id(name), run, format!("pid of {name}"))
        });
        run
    }

    pub fn end(&mut self, name: &str, run: Run, outcome: Outcome) {
        self.act(|supervisor, now| supervisor.handle_ended(now, &id(name), run, outcome));
    }

    pub fn fail(&mut self, name: &str, run: Run) {
        self.end(name, run, Outcome::Retry("boom".to_owned()));
    }

    pub fn status(&self, name: &str) -> Status {
        self.supervisor.state(&id(name)).unwrap().status
    }

    pub fn details(&self, name: &str) -> String {
        self.supervisor.state(&id(name)).unwrap().details.clone()
    }
}

fn describe(order: &Action) -> String {
    match order {
        Action::Start { id, .. } => format!("start {}", id.name()),
        Action::Stop { id, .. } => format!("stop {}", id.name()),
        Action::Terminate { id, .. } => format!("kill {}", id.name()),
        other => panic!("{other:?} is no order"),
    }
}
