use super::rig::{Rig, id, ms, service, tiered};
use crate::node::supervisor::{Desired, Outcome, Status, Tier};

/// The times of all starts while the service fails as soon as it runs.
fn starts(rig: &mut Rig, name: &str, failures: usize) -> Vec<u128> {
    let mut times = Vec::new();
    for _ in 0..failures {
        times.push(rig.elapsed());
        let run = rig.up(name);
        rig.fail(name, run);
        let next = rig.supervisor.next_deadline().filter(|_| rig.booted.is_some());
        if let Some(next) = next {
            rig.pass(next - rig.now);
        }
    }
    times
}

#[test]
fn waits_double() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    assert_eq!(starts(&mut rig, "a", 4), [0, 100, 300, 700]);
    assert_eq!(rig.elapsed(), 1500);
}

#[test]
fn max_attempts_is_the_number_of_starts() {
    let mut rig =
        Rig::boot(vec![tiered("a", Tier::Service, &[], |spec| spec.restart.max_attempts = 3)]);
    assert_eq!(starts(&mut rig, "a", 3), [0, 100, 300]);
    rig.pass(ms(3_600_000));
    assert_eq!(rig.orders(), [""; 0]);
    let record = rig.supervisor.state(&id("a")).unwrap();
    assert_eq!(
        (record.status, record.desired, record.retry_count),
        (Status::Failed, Desired::Running, 2)
    );
    assert_eq!(record.details, "given up after 3 failures: boom");
    assert_eq!(rig.supervisor.next_deadline(), None);
}

#[test]
fn one_attempt_never_retries() {
    let mut rig =
        Rig::boot(vec![tiered("a", Tier::Service, &[], |spec| spec.restart.max_attempts = 1)]);
    assert_eq!(starts(&mut rig, "a", 1), [0]);
    rig.pass(ms(3_600_000));
    assert_eq!(rig.orders(), [""; 0]);
}

#[test]
fn a_stable_run_starts_the_count_again() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    for expected in [100, 200, 400] {
        let run = rig.up("a");
        rig.fail("a", run);
        assert_eq!(rig.supervisor.next_deadline(), Some(rig.now + ms(expected)));
        rig.pass(ms(expected));
    }
    let run = rig.up("a");
    rig.pass(ms(5_000));
    rig.fail("a", run);
    assert_eq!(rig.supervisor.next_deadline(), Some(rig.now + ms(100)));
    assert_eq!(rig.supervisor.state(&id("a")).unwrap().retry_count, 0);
    rig.pass(ms(100));
    let run = rig.up("a");
    rig.pass(ms(4_999));
    rig.fail("a", run);
    assert_eq!(rig.supervisor.next_deadline(), Some(rig.now + ms(200)));
}

#[test]
fn time_spent_starting_is_not_a_stable_run() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    for expected in [100, 200] {
        let run = rig.run("a");
        rig.pass(ms(6_000));
        rig.fail("a", run);
        rig.pass(ms(expected - 1));
        assert_eq!(rig.orders(), [""; 0]);
        rig.pass(ms(1));
    }
}

#[test]
fn outcomes_that_are_final() {
    for (outcome, details) in [
        (Outcome::Normal, ""),
        (Outcome::Fatal("no such process".to_owned()), "no such process"),
        (Outcome::Stopped, "stopped from outside"),
    ] {
        let mut rig = Rig::boot(vec![service("a", &[])]);
        let run = rig.up("a");
        rig.end("a", run, outcome);
        assert_eq!((rig.status("a"), rig.details("a").as_str()), (Status::Exited, details));
        assert_eq!(rig.supervisor.next_deadline(), None);
    }
}

#[test]
fn a_fatal_start_is_final() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.run("a");
    rig.end("a", run, Outcome::Fatal("host not found".to_owned()));
    assert_eq!((rig.status("a"), rig.details("a").as_str()), (Status::Exited, "host not found"));
}

#[test]
fn a_start_that_takes_too_long_is_killed_and_tried_again_when_it_is_gone() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.run("a");
    rig.pass(ms(10_000));
    assert_eq!(
        (rig.status("a"), rig.details("a").as_str()),
        (Status::Failed, "start timeout after 10s")
    );
    assert_eq!(rig.orders(), ["kill a"]);
    rig.pass(ms(100));
    assert_eq!(rig.details("a").as_str(), "waiting for the previous run to end");
    // The start succeeds after all, too late to count.
    rig.act(|supervisor, now| supervisor.handle_started(now, &id("a"), run, String::new()));
    assert_eq!((rig.status("a"), rig.orders()), (Status::Starting, vec![]));
    rig.fail("a", run);
    assert_eq!(rig.orders(), ["start a"]);
    assert_eq!(rig.supervisor.state(&id("a")).unwrap().retry_count, 1);
}

#[test]
fn stop_during_the_wait_is_immediate() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.up("a");
    rig.fail("a", run);
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("a")));
    assert_eq!((rig.status("a"), rig.supervisor.next_deadline()), (Status::Stopped, None));
    rig.pass(ms(60_000));
    assert_eq!(rig.orders(), [""; 0]);
}

#[test]
fn reports_about_an_old_run_change_nothing() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let old = rig.up("a");
    rig.fail("a", old);
    rig.pass(ms(100));
    rig.up("a");
    rig.fail("a", old);
    rig.end("unknown", old, Outcome::Normal);
    assert_eq!((rig.status("a"), rig.details("a").as_str()), (Status::Running, "pid of a"));
}

#[test]
fn records_are_published_in_order_with_the_real_count() {
    let mut rig = Rig::boot(vec![service("a", &[])]);
    let run = rig.up("a");
    rig.fail("a", run);
    rig.pass(ms(100));
    rig.up("a");
    rig.act(|supervisor, now| supervisor.handle_stop(now, &id("a")));
    // Before the start is issued the service is `starting` without a run: one more publication.
    rig.published.dedup();
    let expected = ["starting", "running", "failed", "starting", "running", "stopping"];
    assert_eq!(rig.published, expected.map(|status| format!("a {status}")));
    assert_eq!(rig.supervisor.state(&id("a")).unwrap().retry_count, 1);
}

#[test]
fn a_thousand_restarts_leave_nothing_behind() {
    let mut rig = Rig::boot(vec![tiered("a", Tier::Service, &[], |spec| {
        spec.restart.max_delay = ms(100);
    })]);
    for _ in 0..1_000 {
        let run = rig.up("a");
        rig.fail("a", run);
        rig.pass(ms(100));
    }
    let index = &rig.supervisor.index;
    assert_eq!((index.timers.len(), index.alive.len(), index.to_begin.len()), (1, 1, 0));
    assert_eq!(rig.supervisor.state(&id("a")).unwrap().retry_count, 1_000);
}
