use super::rig::{Rig, id, ms, service, tiered};
use crate::node::supervisor::{Limits, Outcome, Status, Tier};

fn shutdown(rig: &mut Rig) {
    rig.act(|supervisor, now| supervisor.handle_shutdown(now));
}

#[test]
fn stopping_goes_from_dependents_to_what_they_need() {
    let mut rig = Rig::boot(vec![service("a", &["b"]), service("b", &[])]);
    let b = rig.up("b");
    let a = rig.up("a");
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("b")));
    assert_eq!(rig.orders(), ["stop a"]);
    rig.end("a", a, Outcome::Normal);
    assert_eq!(rig.orders(), ["stop b"]);
    rig.end("b", b, Outcome::Normal);
    assert_eq!((rig.status("a"), rig.status("b")), (Status::Stopped, Status::Stopped));
    assert_eq!((rig.details("b").as_str(), rig.supervisor.next_deadline()), ("", None));
}

#[test]
fn shutdown_goes_level_by_level_services_hosts_scopes() {
    let mut rig = Rig::boot(vec![
        tiered("pg", Tier::Scope, &[], |_| {}),
        tiered("host", Tier::Host, &[], |_| {}),
        service("a", &["host"]),
        service("b", &["host"]),
        service("top", &["a"]),
    ]);
    let (pg, host) = (rig.up("pg"), rig.up("host"));
    let (a, b) = (rig.up("a"), rig.up("b"));
    let top = rig.up("top");
    shutdown(&mut rig);
    assert_eq!(rig.orders(), ["stop top"]);
    rig.end("top", top, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop a", "stop b"]);
    rig.end("b", b, Outcome::Stopped);
    assert_eq!(rig.orders(), [""; 0]);
    rig.end("a", a, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop host"]);
    rig.end("host", host, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop pg"]);
    assert_eq!(rig.down, None);
    rig.end("pg", pg, Outcome::Stopped);
    let report = rig.down.take().unwrap();
    assert!(report.forced.is_empty() && report.left.is_empty());
}

#[test]
fn shutdown_cancels_pending_starts_and_retries() {
    let mut rig = Rig::boot(vec![
        service("failing", &[]),
        service("starting", &[]),
        service("waiting", &["starting"]),
    ]);
    let failing = rig.up("failing");
    rig.fail("failing", failing);
    let starting = rig.run("starting");
    shutdown(&mut rig);
    assert_eq!((rig.status("failing"), rig.status("waiting")), (Status::Stopped, Status::Stopped));
    assert_eq!(
        (rig.status("starting"), rig.orders()),
        (Status::Stopping, vec!["stop starting".to_owned()])
    );
    rig.end("starting", starting, Outcome::Stopped);
    assert!(rig.down.is_some());
    rig.act(|supervisor, now| supervisor.handle_start(now, &id("failing")));
    rig.pass(ms(100_000));
    assert_eq!(rig.orders(), [""; 0]);
}

#[test]
fn who_ignores_the_request_is_killed() {
    let mut rig = Rig::boot(vec![service("deaf", &[])]);
    let run = rig.up("deaf");
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("deaf")));
    rig.pass(ms(9_999));
    assert_eq!(rig.orders(), ["stop deaf"]);
    rig.pass(ms(1));
    assert_eq!(rig.orders(), ["kill deaf"]);
    assert_eq!(rig.status("deaf"), Status::Stopping);
    rig.end("deaf", run, Outcome::Retry("process terminated".to_owned()));
    assert_eq!(
        (rig.status("deaf"), rig.details("deaf").as_str()),
        (Status::Stopped, "stop timeout after 10s, terminated")
    );
    rig.act(|supervisor, now| supervisor.handle_start(now, &id("deaf")));
    rig.up("deaf");
    assert_eq!((rig.details("deaf").as_str(), rig.orders()), ("pid of deaf", vec![]));
}

#[test]
fn who_survives_the_kill_has_no_second_instance() {
    let mut rig = Rig::boot(vec![service("undead", &[])]);
    let run = rig.up("undead");
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("undead")));
    rig.pass(ms(11_000));
    assert_eq!(
        (rig.status("undead"), rig.details("undead").as_str()),
        (Status::Stopped, "still there 1s after it was terminated")
    );
    rig.orders();
    rig.act(|supervisor, now| supervisor.handle_start(now, &id("undead")));
    assert_eq!(
        (rig.details("undead").as_str(), rig.orders()),
        ("waiting for the previous run to end", vec![])
    );
    rig.end("undead", run, Outcome::Stopped);
    assert_eq!(rig.orders(), ["start undead"]);
}

#[test]
fn wanted_again_while_stopping() {
    for wait in [0, 10_000, 11_000] {
        let mut rig = Rig::boot(vec![service("a", &[])]);
        let run = rig.up("a");
        rig.act(|supervisor, now| supervisor.handle_stop(now, &id("a")));
        rig.act(|supervisor, now| supervisor.handle_start(now, &id("a")));
        rig.pass(ms(wait));
        assert!(rig.orders().iter().all(|order| order != "start a"));
        rig.end("a", run, Outcome::Stopped);
        assert_eq!(rig.orders(), ["start a"], "after {wait} ms");
        assert_eq!(rig.status("a"), Status::Starting);
    }
}

#[test]
fn a_start_that_hangs_while_a_stop_waits_its_turn_is_killed() {
    let mut rig = Rig::boot(vec![service("a", &["b"]), service("b", &[])]);
    rig.up("b");
    let a = rig.up("a");
    rig.fail("a", a);
    rig.pass(ms(100));
    let a = rig.run("a");
    rig.pass(ms(10_000));
    assert_eq!(rig.orders(), ["kill a"]);
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("b")));
    assert_eq!(
        (rig.status("a"), rig.status("b"), rig.orders()),
        (Status::Stopping, Status::Running, vec![])
    );
    rig.end("a", a, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop b"]);
}

#[test]
fn a_failure_to_stop_does_not_keep_others_from_stopping() {
    let mut rig = Rig::boot(vec![service("a", &["b"]), service("b", &[]), service("c", &["b"])]);
    let b = rig.up("b");
    let (_, c) = (rig.up("a"), rig.up("c"));
    shutdown(&mut rig);
    rig.end("c", c, Outcome::Stopped);
    assert_eq!(rig.orders(), ["stop a", "stop c"]);
    rig.pass(ms(11_000));
    assert_eq!(rig.orders(), ["kill a", "stop b"]);
    rig.end("b", b, Outcome::Stopped);
    let report = rig.down.take().unwrap();
    assert_eq!(report.forced, [(id("a"), "still there 1s after it was terminated".to_owned())]);
    assert!(report.left.is_empty());
}

#[test]
fn the_overall_deadline_ends_it() {
    let patient = |name, requires: &[&str]| {
        tiered(name, Tier::Service, requires, |spec| spec.stop_timeout = ms(3_600_000))
    };
    let limits = Limits { shutdown: ms(30_000), ..Limits::default() };
    let mut rig = Rig::with_limits(vec![patient("a", &["b"]), patient("b", &[])], limits);
    rig.act(|supervisor, now| supervisor.handle_boot(now));
    rig.up("b");
    rig.up("a");
    shutdown(&mut rig);
    assert_eq!(rig.orders(), ["stop a"]);
    rig.pass(ms(29_999));
    assert_eq!(rig.down, None);
    rig.pass(ms(1));
    assert_eq!(rig.orders(), ["kill a", "kill b"]);
    let report = rig.down.take().unwrap();
    assert_eq!(report.left, [id("a"), id("b")]);
    assert_eq!(rig.supervisor.next_deadline(), None);
}

#[test]
fn shutdown_of_nothing_is_over_at_once() {
    let mut rig = Rig::boot(vec![]);
    shutdown(&mut rig);
    shutdown(&mut rig);
    assert!(rig.down.is_some());
}
