use std::time::Duration;

use super::net::{Link, Net};
use super::{members, names};
use crate::id::Serial;
use crate::pg::state::{Outcome, Reach};
use crate::pg::{BreakerState, Config};

fn config() -> Config {
    Config { anti_entropy_interval: None, ..Config::default() }
}

fn join(net: &mut Net, member: u64) {
    net.nodes[0].handle_join(net.now, Serial(member), &names(&["g"])).unwrap();
}

fn breaker(net: &Net) -> BreakerState {
    net.nodes[0].breakers(net.now).next().unwrap().1
}

/// Two nodes, of which the first has a broadcast refused until its breaker opens.
fn tripped() -> Net {
    let mut net = Net::connected(2, &config());
    net.nodes[1].handle_join(net.now, Serial(1), &names(&["g"])).unwrap();
    net.settle();
    for _ in 0..3 {
        let now = net.now;
        let recipients = net.nodes[0].handle_broadcast(now, "g", Reach::Cluster);
        net.nodes[0].handle_sent(now, recipients.remote[0].ticket, Outcome::Refused, 0);
    }
    net
}

#[test]
fn a_refused_announcement_is_retried_in_order_with_all_that_followed() {
    let mut net = Net::connected(2, &config());
    net.link(|_, _| Link::Refuses);
    join(&mut net, 1);
    net.settle();
    join(&mut net, 2);
    net.settle();
    assert_eq!(net.nodes[0].stats().peers_retrying, 1);
    net.link(|_, _| Link::Carries);
    net.pass(0.3);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1", "a:2"]);
    assert_eq!(net.nodes[1].stats().gaps, 0);
    let stats = net.nodes[0].stats();
    assert_eq!((stats.retries, stats.retry_giveups, stats.peers_retrying), ([1, 0, 0], 0, 0));
}

#[test]
fn after_the_last_retry_the_peer_is_healed_by_the_next_announcement() {
    let config = Config { circuit_breaker_failures: 100, ..config() };
    let mut net = Net::connected(2, &config);
    net.link(|_, _| Link::Refuses);
    join(&mut net, 1);
    net.settle();
    net.pass(1.5);
    let stats = net.nodes[0].stats();
    assert_eq!((stats.retries, stats.retry_giveups), ([1, 2, 0], 1));
    assert_eq!(stats.peers_needing_sync, 1);
    net.link(|_, _| Link::Carries);
    net.pass(10.0);
    assert_eq!(members(&net.nodes[1], "g"), [""; 0], "a flag, not a queue");
    join(&mut net, 2);
    net.settle();
    assert_eq!(members(&net.nodes[1], "g"), ["a:1", "a:2"]);
    assert_eq!(net.nodes[0].stats().peers_needing_sync, 0);
}

#[test]
fn without_retries_the_first_failure_sets_the_flag() {
    let mut net = Net::connected(2, &Config { max_retries: 0, ..config() });
    net.link(|_, _| Link::Refuses);
    join(&mut net, 1);
    net.settle();
    let stats = net.nodes[0].stats();
    assert_eq!((stats.peers_needing_sync, stats.retry_giveups), (1, 1));
    assert_eq!(stats.retries, [0; 3]);
}

#[test]
fn an_open_breaker_skips_broadcasts_until_one_probe_gets_through() {
    let mut net = tripped();
    assert_eq!(breaker(&net), BreakerState::Open);
    assert_eq!(net.nodes[0].stats().breaker_trips, 1);
    let now = net.now;
    assert!(net.nodes[0].handle_broadcast(now, "g", Reach::Cluster).remote.is_empty());
    assert_eq!(net.nodes[0].stats().broadcasts_skipped, 1);
    let later = net.now + Duration::from_secs(10);
    let probe = net.nodes[0].handle_broadcast(later, "g", Reach::Cluster).remote;
    assert_eq!(probe.len(), 1);
    assert!(net.nodes[0].handle_broadcast(later, "g", Reach::Cluster).remote.is_empty());
    net.nodes[0].handle_sent(later, probe[0].ticket, Outcome::Accepted, 0);
    assert_eq!(net.nodes[0].handle_broadcast(later, "g", Reach::Cluster).remote.len(), 1);
}

#[test]
fn an_announcement_that_meets_an_open_breaker_is_retried() {
    let mut net = tripped();
    join(&mut net, 5);
    net.settle();
    assert_eq!(net.nodes[0].stats().peers_retrying, 1);
    assert_eq!(members(&net.nodes[1], "g"), ["b:1"]);
}

#[test]
fn the_breaker_does_not_hold_up_what_heals() {
    let mut net = tripped();
    net.nodes[1].handle_join(net.now, Serial(2), &names(&["g"])).unwrap();
    net.settle();
    assert_eq!(breaker(&net), BreakerState::Open);
    net.connect(0, 1);
    assert_eq!(breaker(&net), BreakerState::Closed, "a new session closes it");
    net.settle();
    let now = net.now;
    assert_eq!(net.nodes[0].handle_broadcast(now, "g", Reach::Cluster).remote.len(), 1);
}

#[test]
fn a_peer_without_session_is_no_false_success() {
    let mut net = Net::connected(2, &config());
    net.nodes[1].handle_join(net.now, Serial(1), &names(&["g"])).unwrap();
    net.settle();
    let peer = net.origin(1);
    net.nodes[0].handle_session_down(&peer);
    assert_eq!(members(&net.nodes[0], "g"), ["b:1"], "a lost session alone is not death");
    for _ in 0..3 {
        let now = net.now;
        assert!(net.nodes[0].handle_broadcast(now, "g", Reach::Cluster).remote.is_empty());
    }
    assert_eq!(net.nodes[0].stats().broadcasts_failed, 3);
    assert_eq!(breaker(&net), BreakerState::Open);
}
