use std::collections::BTreeMap;
use std::time::Instant;

use proptest::prelude::*;

use super::rig::{id, ms, tiered};
use crate::id::EntryId;
use crate::node::supervisor::{Action, Graph, Limits, Outcome, Run, Supervisor, Tier};

const NAMES: [&str; 5] = ["pg", "host", "a", "b", "c"];

#[derive(Debug, Clone)]
enum Step {
    Want(usize),
    Unwant(usize),
    Started(usize),
    Ended(usize, Outcome),
    Pass(u64),
    Update(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![
        Just(Outcome::Normal),
        Just(Outcome::Stopped),
        Just(Outcome::Fatal("fatal".to_owned())),
        Just(Outcome::Retry("retry".to_owned())),
    ];
    prop_oneof![
        (0..NAMES.len()).prop_map(Step::Want),
        (0..NAMES.len()).prop_map(Step::Unwant),
        (0..NAMES.len()).prop_map(Step::Started),
        (0..NAMES.len(), outcome).prop_map(|(at, outcome)| Step::Ended(at, outcome)),
        (1..20_000_u64).prop_map(Step::Pass),
        any::<u8>().prop_map(Step::Update),
    ]
}

/// A chain pg <- host <- a <- b and a loose c; `bits` leaves out or changes some of it.
fn graph(bits: u8) -> Graph {
    let spec = |at: usize, tier, requires: &[&str]| {
        let timeout = ms(1_000 + 500 * u64::from(bits >> at & 1));
        tiered(NAMES[at], tier, requires, |spec| spec.stop_timeout = timeout)
    };
    let mut items = vec![
        spec(0, Tier::Scope, &[]),
        spec(1, Tier::Host, &["pg"]),
        spec(2, Tier::Service, &["host"]),
        spec(4, Tier::Service, &[]),
    ];
    if bits & 32 == 0 {
        items.push(spec(3, Tier::Service, &["a", "host"]));
    }
    Graph::build(items).unwrap()
}

/// The world as the driver sees it: which runs exist.
struct World {
    supervisor: Supervisor,
    now: Instant,
    live: BTreeMap<EntryId, Run>,
    down: u32,
}

impl World {
    fn drain(&mut self) {
        while let Some(action) = self.supervisor.poll_action() {
            match action {
                Action::Start { id, run } => {
                    assert_eq!(self.live.insert(id.clone(), run), None, "two runs of {id}");
                }
                Action::Stop { id, run, deadline } => {
                    assert_eq!(self.live.get(&id), Some(&run), "stop of a run that is gone");
                    assert!(deadline >= self.now);
                }
                Action::Terminate { id, run } => {
                    assert_eq!(self.live.get(&id), Some(&run), "kill of a run that is gone");
                }
                Action::Down(_) => self.down += 1,
                Action::Publish(_) | Action::Gone(_) | Action::Booted(_) => {}
            }
        }
    }

    fn end(&mut self, id: &EntryId, outcome: Outcome) {
        if let Some(run) = self.live.remove(id) {
            self.supervisor.handle_ended(self.now, id, run, outcome);
            self.drain();
        }
    }

    fn pass(&mut self, time_ms: u64) {
        let end = self.now + ms(time_ms);
        while let Some(next) = self.supervisor.next_deadline().filter(|next| *next <= end) {
            assert!(next >= self.now, "a deadline was left in the past");
            self.now = next;
            self.supervisor.handle_timeout(next);
            self.drain();
        }
        self.now = end;
    }

    fn step(&mut self, step: Step) {
        let now = self.now;
        match step {
            Step::Want(at) => self.supervisor.handle_start(now, &id(NAMES[at])),
            Step::Unwant(at) => self.supervisor.handle_stop(now, &id(NAMES[at])),
            Step::Started(at) => {
                if let Some(run) = self.live.get(&id(NAMES[at])) {
                    self.supervisor.handle_started(now, &id(NAMES[at]), *run, String::new());
                }
            }
            Step::Ended(at, outcome) => self.end(&id(NAMES[at]), outcome),
            Step::Pass(time_ms) => self.pass(time_ms),
            Step::Update(bits) => self.supervisor.handle_update(now, graph(bits), &[].into()),
        }
        self.drain();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever happens, there is one run per service, orders go to runs that exist, no deadline is
    /// left behind, and a shutdown whose runs all end is over, once, with nothing left to do.
    #[test]
    fn any_schedule_keeps_the_invariants(steps in prop::collection::vec(step(), 1..60)) {
        let now = Instant::now();
        let supervisor = Supervisor::new(graph(0), Limits::default(), || 0.5, now);
        let mut world = World { supervisor, now, live: BTreeMap::new(), down: 0 };
        world.supervisor.handle_boot(now);
        world.drain();
        for step in steps {
            world.step(step);
        }
        world.supervisor.handle_shutdown(world.now);
        world.drain();
        for _ in 0..NAMES.len() {
            for id in world.live.keys().cloned().collect::<Vec<_>>() {
                world.end(&id, Outcome::Stopped);
            }
        }
        prop_assert_eq!(world.down, 1);
        prop_assert_eq!(world.supervisor.next_deadline(), None);
        world.pass(1_000_000);
        prop_assert!(world.live.is_empty());
    }
}
