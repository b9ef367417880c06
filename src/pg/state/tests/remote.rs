use super::net::{Link, Net};
use super::{NOW, events, members, names, origin, start};
use crate::id::{HostIndex, Serial};
use crate::pg::message::{Body, Envelope, Generation, Run};
use crate::pg::state::{FrameError, Outcome, Reach};
use crate::pg::{Change, Config};

fn join(net: &mut Net, node: usize, member: u64, groups: &[&str]) {
    net.nodes[node].handle_join(net.now, Serial(member), &names(groups)).unwrap();
}

fn leave(net: &mut Net, node: usize, member: u64, groups: &[&str]) {
    net.nodes[node].handle_leave(net.now, Serial(member), &names(groups)).unwrap();
}

#[test]
fn announcements_reach_every_peer_as_one_frame_a_step() {
    let mut net = Net::connected(3, &Config::default());
    net.nodes[1].handle_events(Serial(9));
    net.carried.clear();
    join(&mut net, 0, 1, &["g", "g", "h"]);
    net.settle();
    assert_eq!(net.carried.len(), 2);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1", "a:1"]);
    assert_eq!(members(&net.nodes[2], "h"), ["a:1"]);
    leave(&mut net, 0, 1, &["g"]);
    net.nodes[0].handle_exit(Serial(1));
    net.settle();
    let seen: Vec<_> = events(&mut net.nodes[1])
        .into_iter()
        .map(|(change, group, list)| (change, group, list.len()))
        .collect();
    assert_eq!(seen.len(), 5);
    assert_eq!(seen[2], (Change::Left, "g".to_owned(), 1));
    assert_eq!(net.nodes[1].view().group_count(), 0);
    assert_eq!(net.nodes[1].stats().remote, Default::default());
}

#[test]
fn both_sides_of_a_first_contact_merge_whatever_their_sizes() {
    for count in [1, 50, 51, 500, 20_000] {
        let mut net = Net::new(2, &Config::default());
        for member in 0..count {
            join(&mut net, 0, member, &["shared", &format!("g{}", member % 100)]);
            join(&mut net, 1, member, &["shared"]);
        }
        net.connect(0, 1);
        net.settle();
        for node in &net.nodes {
            assert_eq!(node.view().slots("shared"), 2 * count);
            assert_eq!(node.view().slots("g0"), count.div_ceil(100));
        }
    }
}

#[test]
fn joins_during_a_first_contact_are_not_lost() {
    let mut net = Net::new(2, &Config::default());
    join(&mut net, 0, 1, &["g"]);
    net.connect(0, 1);
    join(&mut net, 0, 2, &["g"]);
    leave(&mut net, 0, 1, &["g"]);
    net.settle();
    assert_eq!(members(&net.nodes[1], "g"), ["a:2"]);
    assert_eq!(net.nodes[1].stats().gaps, 0);
}

#[test]
fn a_session_that_comes_back_to_the_same_state_costs_no_sync() {
    let mut net = Net::connected(2, &Config::default());
    join(&mut net, 0, 1, &["g"]);
    net.settle();
    let before = net.nodes[0].stats().syncs_sent;
    for _ in 0..3 {
        let peer = net.origin(1);
        net.nodes[0].handle_session_down(&peer);
        net.connect(0, 1);
        net.settle();
    }
    assert_eq!(net.nodes[0].stats().syncs_sent, before);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"]);
}

#[test]
fn a_dead_node_leaves_in_one_step_with_one_event_a_group() {
    let mut net = Net::connected(2, &Config::default());
    for member in 0..10 {
        join(&mut net, 0, member, &["g", "h"]);
    }
    join(&mut net, 1, 5, &["g"]);
    net.settle();
    net.nodes[1].handle_events(Serial(9));
    let dead = net.origin(0);
    net.nodes[1].handle_node_gone(&dead);
    let mut seen = events(&mut net.nodes[1]);
    seen.sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(seen.len(), 2);
    assert_eq!((seen[0].0, seen[0].2.len()), (Change::Left, 10));
    assert_eq!(members(&net.nodes[1], "g"), ["b:5"]);
    assert_eq!(net.nodes[1].view().group_count(), 1);
    net.connect(0, 1);
    net.settle();
    assert_eq!(net.nodes[1].view().slots("h"), 10, "it was alive after all");
}

#[test]
fn a_later_incarnation_replaces_and_an_earlier_one_is_ignored() {
    let mut net = Net::connected(2, &Config::default());
    join(&mut net, 0, 1, &["g"]);
    net.settle();
    net.nodes[1].handle_events(Serial(9));
    let old = net.origin(0);
    net.nodes[0] = start(origin("a", 2), 1, Config::default());
    net.connect(0, 1);
    assert_eq!(events(&mut net.nodes[1]).len(), 1, "the old ones are gone at once");
    join(&mut net, 0, 1, &["g"]);
    net.settle();
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"]);
    let now = net.now;
    net.nodes[1].handle_session_up(now, old.clone());
    net.nodes[1].handle_session_down(&old);
    net.nodes[1].handle_node_gone(&old);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"]);
    let run = Run { incarnation: old.incarnation, generation: Generation(1) };
    let frame = Envelope::new(&"app:pg".parse().unwrap(), &old.node, run).frame(&Body::Absent);
    assert_eq!(net.nodes[1].handle_frame(now, &old.node, &frame), Ok(None));
    assert_eq!(members(&net.nodes[1], "g"), ["a:1"], "a frame of the earlier run");
}

#[test]
fn a_frame_of_another_origin_or_without_session_is_refused_and_counted() {
    let mut net = Net::connected(2, &Config::default());
    let scope = "app:pg".parse().unwrap();
    let frame = |node: &str, incarnation| {
        let origin = origin(node, incarnation);
        let run = Run { incarnation: origin.incarnation, generation: Generation(1) };
        Envelope::new(&scope, &origin.node, run).frame(&Body::SyncRequest)
    };
    let (peer, now) = (net.origin(0).node.clone(), net.now);
    let node = &mut net.nodes[1];
    for forged in [frame("c", 1), frame("b", 1), frame("a", 2)] {
        assert_eq!(node.handle_frame(now, &peer, &forged), Err(FrameError::Foreign));
    }
    let stranger = "c".parse().unwrap();
    let unknown = node.handle_frame(now, &stranger, &frame("c", 1));
    assert_eq!(unknown, Err(FrameError::NoSession));
    assert!(matches!(node.handle_frame(now, &peer, b"junk"), Err(FrameError::Malformed(_))));
    let stats = node.stats();
    let counts = (stats.foreign_frames, stats.unknown_frames, stats.malformed_frames);
    assert_eq!(counts, (3, 1, 1));
    assert!(node.poll_send(now, 0).is_none());
}

#[test]
fn a_restarted_scope_lists_its_living_members_again_without_an_event() {
    let mut net = Net::connected(2, &Config::default());
    join(&mut net, 0, 1, &["g", "g"]);
    join(&mut net, 0, 2, &["g"]);
    net.settle();
    let mut retained = net.nodes[0].retain();
    retained.remove(Serial(2));
    assert_eq!(retained.members().collect::<Vec<_>>(), [Serial(1)]);
    let mut again = start(net.origin(0), 2, Config::default());
    again.restore(retained);
    net.nodes[1].handle_events(Serial(9));
    again.handle_start(net.now, [net.origin(1)], 3);
    net.nodes[0] = again;
    net.settle();
    let left = (Change::Left, "g".to_owned(), vec!["a:2".to_owned()]);
    assert_eq!(events(&mut net.nodes[1]), [left]);
    assert_eq!(members(&net.nodes[1], "g"), ["a:1", "a:1"]);
}

#[test]
fn a_stopped_scope_takes_its_members_away() {
    let mut net = Net::connected(2, &Config::default());
    join(&mut net, 0, 1, &["g"]);
    net.settle();
    net.nodes[0].handle_stop();
    net.settle();
    assert_eq!(net.nodes[1].view().group_count(), 0);
    net.count(2);
    join(&mut net, 1, 1, &["h"]);
    net.settle();
    assert_eq!(net.count(2), 0, "nothing is announced to a node that does not run the scope");
}

#[test]
fn a_broadcast_goes_to_each_node_with_members_once() {
    let mut net = Net::connected(4, &Config::default());
    for member in 0..3 {
        join(&mut net, 0, member, &["g"]);
        join(&mut net, 1, member, &["g"]);
        join(&mut net, 2, member, &["g", "g"]);
    }
    net.settle();
    let recipients = net.nodes[0].handle_broadcast(NOW, "g", Reach::Cluster);
    assert_eq!(recipients.local.unwrap().slots(), 3);
    let targets: Vec<_> =
        recipients.remote.iter().map(|target| (target.to.as_str(), target.slots)).collect();
    assert_eq!(targets, [("b", 3), ("c", 6)]);
    for target in &recipients.remote {
        net.nodes[0].handle_sent(NOW, target.ticket, Outcome::Accepted, 0);
    }
    let local = net.nodes[0].handle_broadcast(NOW, "g", Reach::Node);
    assert!(local.remote.is_empty());
    assert!(net.nodes[0].handle_broadcast(NOW, "nobody", Reach::Cluster).local.is_none());
}

#[test]
fn a_step_too_large_for_a_frame_travels_as_a_sync() {
    let mut net = Net::connected(2, &Config::default());
    let long: Vec<String> = (0..500).map(|n| format!("{n:0>1000}")).collect();
    let groups: Vec<&str> = long.iter().map(String::as_str).collect();
    join(&mut net, 0, 1, &["before"]);
    join(&mut net, 0, 1, &groups);
    join(&mut net, 0, 1, &["after"]);
    net.settle();
    assert_eq!(net.nodes[1].view().group_count(), 502);
}

#[test]
fn hosts_travel_with_the_members() {
    let mut net = Net::connected(2, &Config::default());
    net.nodes[0].learn_host(HostIndex(5), &"app:other".parse().unwrap());
    net.link(|_, _| Link::Carries);
    join(&mut net, 0, 5 << Serial::HOST_SHIFT | 1, &["g"]);
    net.settle();
    let view = net.nodes[1].view();
    let pid = view.members("g").next().unwrap().0.to_pid();
    assert_eq!(pid.to_string(), format!("{{a@app:other|1.{}}}", pid.serial));
}
