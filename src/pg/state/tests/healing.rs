use super::net::{Link, Net};
use super::{events, members, names};
use crate::id::Serial;
use crate::pg::Config;
use crate::pg::message::Body;

const ANNOUNCE: u8 = 2;
const DIGEST: u8 = 4;

fn slow() -> Config {
    Config { anti_entropy_interval: None, ..Config::default() }
}

fn join(net: &mut Net, node: usize, member: u64, group: &str) {
    net.nodes[node].handle_join(net.now, Serial(member), &names(&[group])).unwrap();
}

fn lose(net: &mut Net, change: impl FnOnce(&mut Net)) {
    net.link(|_, _| Link::Loses);
    change(net);
    net.settle();
    net.link(|_, _| Link::Carries);
}

#[test]
fn a_gap_is_noticed_with_the_next_announcement_and_only_differences_are_events() {
    let mut net = Net::connected(2, &slow());
    join(&mut net, 0, 1, "g");
    net.settle();
    net.nodes[1].handle_events(Serial(9));
    lose(&mut net, |net| {
        net.nodes[0].handle_exit(Serial(1));
        join(net, 0, 2, "g");
    });
    join(&mut net, 0, 3, "g");
    net.settle();
    assert_eq!(members(&net.nodes[1], "g"), ["a:2", "a:3"]);
    assert_eq!(events(&mut net.nodes[1]).len(), 2, "one leave, one join of two");
    assert_eq!(net.nodes[1].stats().gaps, 1);
    assert_eq!(net.nodes[1].stats().syncs_changed, 1);
}

#[test]
fn repeated_and_late_announcements_change_nothing() {
    let mut net = Net::connected(2, &slow());
    join(&mut net, 0, 1, "g");
    let transmit = net.nodes[0].poll_send(net.now, 0).unwrap();
    let (from, now) = (net.origin(0).node.clone(), net.now);
    for _ in 0..3 {
        net.nodes[1].handle_frame(now, &from, &transmit.frame).unwrap();
    }
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"]);
    assert_eq!(net.nodes[1].stats().stale_frames, 2);
}

#[test]
fn anti_entropy_finds_what_no_announcement_revealed() {
    let config = Config::default();
    let mut net = Net::connected(4, &config);
    lose(&mut net, |net| join(net, 0, 1, "g"));
    net.count(DIGEST);
    net.pass(3.0 * 30.0);
    for node in 1..4 {
        assert_eq!(members(&net.nodes[node], "g"), ["a:1"]);
    }
    assert_eq!(net.count(DIGEST), 4 * 3, "one peer a tick");
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    let mut net = Net::new(2, &slow());
    join(&mut net, 0, 1, "g");
    net.link(|from, _| if from == "a" { Link::Loses } else { Link::Carries });
    net.connect(0, 1);
    net.settle();
    net.link(|_, _| Link::Carries);
    assert_eq!(members(&net.nodes[1], "g"), [""; 0]);
    net.pass(5.5);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"]);
}

#[test]
fn a_broken_off_sync_does_not_switch_over() {
    let mut net = Net::new(2, &slow());
    for member in 0..50_000 {
        join(&mut net, 0, member << 20, "g");
    }
    let left = std::cell::Cell::new(3);
    net.link(move |from, _| match (from, left.get()) {
        ("a", 0) => Link::Refuses,
        ("a", n) => {
            left.set(n - 1);
            Link::Carries
        }
        _ => Link::Carries,
    });
    net.connect(0, 1);
    net.settle();
    assert_eq!(net.nodes[1].view().slots("g"), 0, "nothing half-way");
    assert_eq!(net.nodes[0].stats().peers_needing_sync, 1);
    net.link(|_, _| Link::Carries);
    net.pass(5.5);
    assert_eq!(net.nodes[1].view().slots("g"), 50_000);
    assert_eq!(net.nodes[0].stats().peers_needing_sync, 0);
}

#[test]
fn a_disabled_anti_entropy_sends_nothing() {
    let mut net = Net::connected(3, &slow());
    net.count(DIGEST);
    net.pass(100.0);
    assert_eq!(net.count(DIGEST), 0);
    assert!(net.nodes[0].next_deadline().is_none());
}

#[test]
fn discovery_asks_a_few_peers_at_a_time_and_gets_to_all() {
    let mut net = Net::connected(12, &slow());
    for node in 1..12 {
        join(&mut net, node, 1, "g");
    }
    net.settle();
    let sessions: Vec<_> = (1..12).map(|node| net.origin(node)).collect();
    let mut late = super::start(super::origin("a", 1), 2, slow());
    late.handle_start(net.now, sessions, 99);
    net.nodes[0] = late;
    net.link(|_, to| if to == "a" { Link::Loses } else { Link::Carries });
    net.carried.clear();
    net.settle();
    assert_eq!(net.carried.len(), 4, "at most four before any has answered");
    net.link(|_, _| Link::Carries);
    net.pass(6.0);
    assert_eq!(net.nodes[0].view().slots("g"), 11);
    let stats = net.nodes[0].stats();
    assert_eq!((stats.discover_targets.sum, stats.discover_pool.sum), (11, 11 + 7 + 3));
    assert_eq!(net.count(ANNOUNCE), 0);
}

#[test]
fn a_peer_that_was_absent_when_it_was_asked_is_heard_when_it_comes_back() {
    let mut net = Net::connected(6, &slow());
    let sessions: Vec<_> = (1..6).map(|node| net.origin(node)).collect();
    let mut late = super::start(super::origin("a", 1), 2, slow());
    late.handle_start(net.now, sessions, 3);
    net.nodes[0] = late;
    net.link(|_, _| Link::Loses);
    let now = net.now;
    for node in 1..6 {
        let (absent, peer) = (net.nodes[node].envelope().frame(&Body::Absent), net.origin(node));
        net.nodes[0].handle_frame(now, &peer.node, &absent).unwrap();
    }
    net.pass(6.0);
    net.link(|_, _| Link::Carries);
    for node in 1..6 {
        let mut back = super::start(net.origin(node), 2, slow());
        back.handle_join(net.now, Serial(1), &names(&["g"])).unwrap();
        back.handle_start(net.now, [net.origin(0)], 0);
        net.nodes[node] = back;
    }
    net.settle();
    assert_eq!(net.nodes[0].view().slots("g"), 5);
}
