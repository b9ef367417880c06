//! Many scopes on virtual time, with everything going wrong that can: see `tests/sim/story.rs`.
//!
//! `cargo sim --runs N --seed S` runs more of the same from the command line; a failing run prints
//! the command that repeats it. The simulation lives here and not in `src`, since nothing that is
//! shipped needs it.

#[path = "sim/batch.rs"]
mod batch;
#[path = "sim/checks.rs"]
mod checks;
#[path = "sim/dice.rs"]
mod dice;
#[path = "sim/network.rs"]
mod network;
#[path = "sim/node.rs"]
mod node;
#[path = "sim/report.rs"]
mod report;
#[path = "sim/sabotage.rs"]
mod sabotage;
#[path = "sim/story.rs"]
mod story;
#[path = "sim/world.rs"]
mod world;

use sabotage::Sabotage;

/// Seeds that every run of the tests goes through.
const FIXED: u64 = 1_500;
/// Further seeds that nobody has seen before.
const FRESH: u64 = 600;

fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64) & 0xffff_ffff_ffff
}

#[test]
fn every_view_is_exact_after_a_heal() {
    for (first, runs) in [(0, FIXED), (fresh_seed(), FRESH)] {
        let outcome = batch::run(first, runs, None);
        assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
        assert_eq!(outcome.runs, runs);
        println!("{outcome}");
    }
}

/// How many of the first seeds it takes until the checks notice that `rule` is broken.
fn seeds_until_noticed(rule: Sabotage) -> Option<u64> {
    (0..300).find(|seed| story::run(*seed, Some(rule)).is_err())
}

#[test]
fn a_skipped_gap_check_is_noticed() {
    assert!(seeds_until_noticed(Sabotage::SkipGapCheck).is_some());
}

#[test]
fn a_dropped_leave_is_noticed() {
    assert!(seeds_until_noticed(Sabotage::DropOneLeave).is_some());
}

#[test]
fn an_accepted_old_incarnation_is_noticed() {
    assert!(seeds_until_noticed(Sabotage::AcceptOldIncarnation).is_some());
}

#[test]
fn a_run_depends_on_its_seed_alone() {
    for seed in 0..20 {
        let frames = || story::run(seed, None).map(|summary| summary.frames).ok();
        assert_eq!(frames(), frames());
    }
}

#[test]
fn costs_grow_with_the_nodes_as_they_should() {
    let report = report::measure(40);
    assert_eq!(report.frames_per_join, 39.0);
    assert!(report.bytes_per_join < 39.0 * 100.0, "{report}");
    assert!(report.frames_per_idle_second < 40.0 / 30.0 * 1.5, "{report}");
    assert!(report.frames_per_healed_pair <= 4.0, "{report}");
}
