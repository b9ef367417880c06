//! Real time, kept short; what happens when is tested with the supervisor.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::document::{Medium, Source};
use crate::node::supervisor::{Outcome, Status};
use crate::registry::{LoadOptions, Registry};

/// Services that run until told to stop, by name: `bad` fails at once, `mute` drops its reporter,
/// `slow` never gets to run, `deaf` only ends when killed.
#[derive(Default)]
struct Fake {
    live: Mutex<HashMap<String, Reporter>>,
    seen: Mutex<Vec<String>>,
}

struct Shared(Arc<Fake>);

impl Shared {
    fn keep(&self, id: &EntryId, reporter: Reporter) {
        self.0.live.lock().unwrap().insert(id.name().to_owned(), reporter);
    }
}

impl Backend for Shared {
    fn start(&self, id: &EntryId, reporter: Reporter) {
        match id.name() {
            "bad" => reporter.ended(Outcome::Fatal("broken".to_owned())),
            "mute" => drop(reporter),
            "slow" => self.keep(id, reporter),
            name => {
                reporter.started(format!("pid of {name}"));
                self.keep(id, reporter);
            }
        }
    }

    fn stop(&self, id: &EntryId, _: Instant) {
        if id.name() != "deaf" {
            self.terminate(id);
        }
    }

    fn terminate(&self, id: &EntryId) {
        if let Some(reporter) = self.0.live.lock().unwrap().remove(id.name()) {
            reporter.ended(Outcome::Stopped);
        }
    }

    fn changed(&self, record: &StateRecord) {
        self.0.seen.lock().unwrap().push(format!("{} {}", record.id.name(), record.status));
    }
}

fn id(name: &str) -> EntryId {
    format!("app:{name}").parse().unwrap()
}

fn graph(services: &[(&str, &str)]) -> Graph {
    let mut text = "namespace: app\nentries:\n".to_owned();
    for (name, more) in services {
        text.push_str(&format!(
            "- {{name: {name}, kind: pg.scope, lifecycle: {{auto_start: true, stop_timeout: 50ms, {more}}}}}\n"
        ));
    }
    let source = Source::new("_index.yaml", text, Medium::File);
    Graph::of(&Registry::from_sources(&[source], &LoadOptions::default()).unwrap()).unwrap()
}

fn run(graph: Graph) -> (Services, Arc<Fake>) {
    let fake = Arc::<Fake>::default();
    (Services::run(graph, Limits::default(), Shared(fake.clone())), fake)
}

#[tokio::test]
async fn services_boot_and_stop_in_order() {
    let (services, fake) = run(graph(&[("a", "requires: [b]"), ("b", "")]));
    assert_eq!(services.unready().len(), 2);
    assert!(services.boot().await.is_complete());
    let states = services.states();
    assert_eq!(states[&id("a")].details, "pid of a");
    assert!(services.unready().is_empty());
    let (first, second) = tokio::join!(services.shutdown(), services.shutdown());
    assert_eq!((first.forced.len(), second.left.len()), (0, 0));
    let seen = fake.seen.lock().unwrap().join(", ");
    assert!(seen.ends_with("a stopping, a stopped, b stopping, b stopped"), "{seen}");
    // The snapshot taken before is still what it was.
    assert_eq!(states[&id("a")].status, Status::Running);
    assert_eq!(services.shutdown().await.left.len(), 0);
}

#[tokio::test]
async fn failures_are_told_and_a_lost_reporter_is_one() {
    let never = "restart: {max_attempts: 2, initial_delay: 1ms}";
    let (services, _) = run(graph(&[("bad", ""), ("mute", never)]));
    let failed = services.boot().await.failed;
    assert_eq!(failed[0], (id("bad"), "exited, broken".to_owned()));
    assert_eq!(failed[1].1, "failed, given up after 2 failures: the service ended without a word");
}

#[tokio::test]
async fn the_deaf_are_killed() {
    let (services, _) = run(graph(&[("deaf", "")]));
    services.boot().await;
    let report = services.shutdown().await;
    assert_eq!(report.forced, [(id("deaf"), "stop timeout after 50ms, terminated".to_owned())]);
}

#[tokio::test]
async fn shutdown_in_the_middle_of_boot_ends_both() {
    let (services, _) = run(graph(&[("slow", "")]));
    let (boot, down) = tokio::join!(services.boot(), services.shutdown());
    assert!(boot.late.is_empty() && boot.failed.is_empty());
    assert!(down.left.is_empty() && down.forced.is_empty());
    assert_eq!(services.states()[&id("slow")].status, Status::Stopped);
}

#[tokio::test]
async fn updates_go_over_to_the_new_services() {
    let (services, _) = run(graph(&[("a", ""), ("b", "")]));
    services.boot().await;
    services.update(graph(&[("b", ""), ("c", "")]), [id("b")].into());
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while services.states().get(&id("c")).is_none_or(|record| record.status != Status::Running) {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", services.states());
        tokio::task::yield_now().await;
    }
    assert!(services.states().get(&id("a")).is_none());
    services.shutdown().await;
}
