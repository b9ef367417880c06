use super::rig::{Rig, id, ms, service, tiered};
use crate::node::supervisor::{Graph, Outcome, Status, Tier};
use crate::registry::kind::Startup;

#[test]
fn dependents_start_after_what_they_need() {
    let mut rig = Rig::boot(vec![service("a", &["b"]), service("b", &[])]);
    assert_eq!(
        (rig.status("a"), rig.details("a").as_str()),
        (Status::Starting, "waiting for app:b")
    );
    rig.pass(ms(9_000));
    assert_eq!(rig.orders.len(), 1);
    rig.up("b");
    assert_eq!(rig.orders(), ["start a"]);
}

#[test]
fn ready_services_start_together_scopes_first() {
    let mut rig = Rig::boot(vec![
        service("a", &[]),
        service("b", &[]),
        tiered("host", Tier::Host, &[], |_| {}),
        tiered("pg", Tier::Scope, &[], |_| {}),
    ]);
    assert_eq!(rig.orders(), ["start pg", "start host", "start a", "start b"]);
}

#[test]
fn needed_services_start_without_auto_start_and_others_do_not() {
    let manual = |name| tiered(name, Tier::Host, &[], |spec| spec.auto_start = false);
    let mut rig = Rig::boot(vec![service("a", &["host"]), manual("host"), manual("other")]);
    assert_eq!(rig.orders(), ["start host"]);
    assert_eq!(rig.status("other"), Status::Unknown);
}

#[test]
fn a_failed_service_blocks_only_what_needs_it() {
    let mut rig = Rig::boot(vec![
        tiered("bad", Tier::Service, &[], |spec| spec.restart.max_attempts = 1),
        service("child", &["bad"]),
        service("grandchild", &["child"]),
        service("other", &[]),
    ]);
    let run = rig.run("bad");
    rig.fail("bad", run);
    rig.up("other");
    assert_eq!(
        (rig.status("child"), rig.details("child").as_str()),
        (Status::Starting, "waiting for app:bad")
    );
    assert_eq!(rig.orders(), [""; 0]);
    let report = rig.booted.take().unwrap();
    let failed: Vec<_> = report.failed.iter().map(|(id, why)| format!("{id}: {why}")).collect();
    assert_eq!(
        failed,
        [
            "app:bad: failed, given up after 1 failures: boom",
            "app:child: app:bad: failed, given up after 1 failures: boom",
            "app:grandchild: app:bad: failed, given up after 1 failures: boom",
        ]
    );
    rig.act(|supervisor, now| supervisor.handle_start(now, &id("bad")));
    rig.up("bad");
    rig.up("child");
    assert_eq!(rig.orders(), ["start grandchild"]);
}

#[test]
fn one_stuck_start_holds_up_nobody_else() {
    let mut rig = Rig::boot(vec![service("stuck", &[]), service("a", &[]), service("b", &["a"])]);
    rig.up("a");
    let run = rig.up("b");
    rig.fail("b", run);
    rig.pass(ms(100));
    rig.up("b");
    assert_eq!((rig.status("b"), rig.status("stuck")), (Status::Running, Status::Starting));
    rig.act(|supervisor, now| supervisor.handle_shutdown(now));
    assert!(rig.orders().contains(&"stop b".to_owned()));
}

#[test]
fn finished_work_lets_dependents_start() {
    let mut rig = Rig::boot(vec![
        service("slow", &[]),
        service("migration", &[]),
        service("app", &["migration", "slow"]),
    ]);
    let run = rig.up("migration");
    rig.end("migration", run, Outcome::Normal);
    rig.up("slow");
    rig.up("app");
    assert!(rig.booted.unwrap().is_complete());
    assert_eq!(rig.supervisor.unready(), []);
}

#[test]
fn boot_waits_for_required_services_only() {
    let mut rig = Rig::boot(vec![
        service("a", &[]),
        tiered("b", Tier::Service, &[], |spec| spec.startup = Startup::Optional),
    ]);
    assert_eq!(rig.booted, None);
    rig.up("a");
    assert!(rig.booted.unwrap().is_complete());
}

#[test]
fn boot_of_nothing_is_over_at_once() {
    assert!(Rig::boot(vec![]).booted.unwrap().is_complete());
}

#[test]
fn boot_names_those_that_are_late_and_readiness_follows() {
    let slow = tiered("slow", Tier::Service, &[], |spec| spec.start_timeout = ms(120_000));
    let mut rig = Rig::boot(vec![slow, service("a", &["slow"]), service("quick", &[])]);
    rig.up("quick");
    rig.pass(ms(59_999));
    assert_eq!(rig.booted, None);
    rig.pass(ms(1));
    let late = rig.booted.take().unwrap().late;
    assert_eq!(
        late,
        [
            (id("a"), "starting, waiting for app:slow".to_owned()),
            (id("slow"), "starting".to_owned())
        ]
    );
    assert_eq!(rig.supervisor.unready(), late);
    rig.up("slow");
    rig.up("a");
    assert_eq!(rig.supervisor.unready(), []);
}

#[test]
fn a_retrying_service_can_still_make_it() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.up("a");
    assert!(rig.booted.take().unwrap().is_complete());
    rig.fail("a", run);
    assert_eq!(rig.supervisor.unready(), [(id("a"), "failed, boom".to_owned())]);
    rig.pass(ms(100));
    rig.up("a");
    assert_eq!(rig.supervisor.unready(), []);
}

#[test]
fn an_update_stops_waits_and_starts_again() {
    let items = || {
        vec![service("a", &["host"]), service("b", &[]), tiered("host", Tier::Host, &[], |_| {})]
    };
    let mut rig = Rig::boot(items());
    let host = rig.up("host");
    let (a, b) = (rig.up("a"), rig.up("b"));
    let mut new = items();
    new.retain(|item| item.id != id("b"));
    new.push(service("c", &[]));
    let graph = Graph::build(new).unwrap();
    rig.act(|supervisor, now| supervisor.handle_update(now, graph, &[id("host")].into()));
    assert_eq!(rig.orders(), ["stop a", "stop b"]);
    rig.end("a", a, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop host"]);
    // Wanted in the middle of the change: it is started by the change itself.
    rig.act(|supervisor, now| supervisor.handle_start(now, &id("a")));
    rig.end("b", b, Outcome::Stopped);
    assert_eq!(rig.orders(), [""; 0]);
    rig.end("host", host, Outcome::Stopped);
    assert_eq!(rig.orders.len(), 2);
    rig.up("host");
    rig.up("a");
    rig.up("c");
    assert!(rig.supervisor.state(&id("b")).is_none());
    assert!(rig.published.contains(&"b gone".to_owned()));
    assert!(rig.published.contains(&"c unknown".to_owned()));
}

#[test]
fn a_service_that_comes_back_waits_for_its_last_run() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.up("a");
    let empty = Graph::build([]).unwrap();
    rig.act(|supervisor, now| supervisor.handle_update(now, empty, &[].into()));
    rig.pass(ms(11_000));
    assert_eq!(rig.orders(), ["stop a", "kill a"]);
    assert_eq!(rig.supervisor.states().count(), 0);
    let again = Graph::build([service("a", &[])]).unwrap();
    rig.act(|supervisor, now| supervisor.handle_update(now, again, &[].into()));
    assert_eq!(rig.orders(), [""; 0]);
    assert_eq!(rig.details("a"), "waiting for the previous run to end");
    rig.end("a", run, Outcome::Stopped);
    assert_eq!(rig.orders(), ["start a"]);
}

#[test]
fn an_update_leaves_alone_what_did_not_change() {
    let items = || vec![service("a", &["b"]), service("b", &[])];
    let mut rig = Rig::boot(items());
    rig.up("b");
    rig.up("a");
    let graph = Graph::build(items()).unwrap();
    rig.act(|supervisor, now| supervisor.handle_update(now, graph, &[].into()));
    assert_eq!(rig.orders(), [""; 0]);
    assert_eq!(rig.status("a"), Status::Running);
}

#[test]
fn ten_thousand_services_boot_and_stop_quickly() {
    let mut items = vec![tiered("host", Tier::Host, &[], |_| {})];
    items.extend((0..10_000).map(|n| service(&format!("s{n}"), &["host"])));
    let mut rig = Rig::boot(items);
    rig.up("host");
    let starts = std::mem::take(&mut rig.orders);
    for order in &starts {
        let super::super::Action::Start { id, run } = order else { panic!() };
        rig.act(|supervisor, now| supervisor.handle_started(now, id, *run, String::new()));
    }
    assert!(rig.booted.as_ref().unwrap().is_complete());
    rig.act(|supervisor, now| supervisor.handle_shutdown(now));
    assert_eq!(rig.orders.len(), 10_000);
}
