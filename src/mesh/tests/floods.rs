//! Too much of everything: garbage, handshakes, bad manners, frames.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fixture::*;
use super::relay::Relay;
use super::stranger::{Stranger, first_packets};
use crate::mesh::{DropReason, QueueLimits, SendError};
use crate::wire::{CloseCode, Generation, Lane, LinkMessage, frame_header};

#[test]
fn garbage_and_unfinished_handshakes_keep_nobody_out() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let stranger = Arc::new(Stranger::new(&cluster));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for packet in first_packets(&stranger, 1_000) {
        socket.send_to(&packet, n1.mesh.bound_addr()).unwrap();
    }
    for size in 0..1_000_usize {
        let garbage: Vec<u8> = (0..size).map(|i| (i * size) as u8).collect();
        socket.send_to(&garbage, n1.mesh.bound_addr()).unwrap();
    }
    let start = Instant::now();
    let n2 = cluster.start("n2", &[&n1]);
    n2.linked(&n1);
    assert!(start.elapsed() < n1_patience(), "{:?}", start.elapsed());
}

fn n1_patience() -> Duration {
    quick_times().hello_timeout
}

#[test]
fn silent_callers_make_room_for_those_who_speak() {
    let cluster = Cluster::new("blue");
    let mut config = cluster.config("n1", &[]);
    config.max_half_open = 8;
    let n1 = Node::start(config);
    let stranger = Stranger::new(&cluster);
    let calls: Vec<_> = (0..20).map(|_| stranger.call(n1.mesh.bound_addr())).collect();
    let n2 = cluster.start("n2", &[&n1]);
    n2.linked(&n1);
    assert!(n1.mesh.counts().half_open_evicted >= 10, "{:?}", n1.mesh.counts());
    drop(calls);
}

#[test]
fn a_caller_who_never_says_hello_is_told_so() {
    let cluster = Cluster::new("blue");
    let mut config = cluster.config("n1", &[]);
    config.times.hello_timeout = Duration::from_millis(300);
    let n1 = Node::start(config);
    let stranger = Stranger::new(&cluster);
    let call = stranger.call(n1.mesh.bound_addr());
    assert_eq!(stranger.turned_away(&call).code, CloseCode::HelloTimeout);
}

#[test]
fn a_bad_hello_is_answered_with_what_is_bad_about_it() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let addr = n1.mesh.bound_addr();
    let mut stranger = Stranger::new(&cluster);
    let refused = |stranger: &Stranger, bytes: &[u8]| {
        let mut call = stranger.call(addr);
        stranger.say(&mut call, bytes);
        stranger.turned_away(&call)
    };
    assert_eq!(refused(&stranger, &[7; 100]).code, CloseCode::Protocol);
    let good = stranger.hello.encode();
    let mut later = good.clone();
    later[5] = 9;
    let refusal = refused(&stranger, &later);
    assert_eq!(refusal.code, CloseCode::Version);
    assert_eq!(refusal.reason, "protocol version 9, this node speaks 1");
    let mut damaged = good;
    damaged.truncate(10);
    damaged.resize(200, 0xff);
    assert_eq!(refused(&stranger, &damaged).code, CloseCode::Protocol);
    stranger.hello.identity.origin.node = "n5".parse().unwrap();
    let refusal = refused(&stranger, &stranger.hello.encode());
    assert_eq!(refusal.code, CloseCode::Name);
    assert_eq!(refusal.reason, "node says it is n5, its certificate is for [stranger]");
    assert!(n1.log.all().is_empty());
}

/// What `n1` says when the stranger, in a proper session, sends this on a lane.
fn on_a_lane(lane_bytes: &[&[u8]]) -> CloseCode {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    let stranger = Stranger::new(&cluster);
    let call = stranger.session(n1.mesh.bound_addr());
    let up = Seen::Up(stranger.hello.identity.origin.clone());
    n1.log.wait("session", |seen| seen.contains(&up));
    lane_bytes.iter().for_each(|bytes| stranger.lane(&call, bytes));
    let refusal = stranger.turned_away(&call);
    let down = Seen::Down(stranger.hello.identity.origin.clone());
    n1.log.wait("end of session", |seen| seen.contains(&down));
    n1.send(&n2, Lane::Pg, b"well").unwrap();
    n2.gets(&n1, Lane::Pg, b"well");
    assert!(!n1.log.all().contains(&Seen::Down(n2.origin())));
    refusal.code
}

#[test]
fn a_frame_that_is_too_large_ends_the_session_of_its_sender_only() {
    let mut bytes = vec![Lane::Bulk.tag()];
    bytes.extend_from_slice(frame_header(Lane::Bulk, 1, 1 << 30).as_bytes());
    assert_eq!(on_a_lane(&[&bytes]), CloseCode::Oversized);
}

#[test]
fn garbage_in_a_lane_ends_the_session_of_its_sender_only() {
    let mut bytes = vec![Lane::Message.tag()];
    bytes.extend([0xff; 1_000]);
    assert_eq!(on_a_lane(&[&bytes]), CloseCode::Protocol);
    let mut tiny = vec![Lane::Message.tag()];
    tiny.extend([0; 1_000]);
    assert_eq!(on_a_lane(&[&tiny]), CloseCode::DecodeErrors);
}

#[test]
fn a_lane_that_is_none_or_comes_twice_ends_the_session() {
    assert_eq!(on_a_lane(&[&[9]]), CloseCode::Protocol);
    assert_eq!(on_a_lane(&[&[0], &[0]]), CloseCode::Protocol);
}

#[test]
fn a_follower_cannot_choose() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let stranger = Stranger::new(&cluster);
    let mut call = stranger.session(n1.mesh.bound_addr());
    let chosen = LinkMessage::Chosen { generation: Generation(7) };
    stranger.more(&mut call, &chosen.encode());
    assert_eq!(stranger.turned_away(&call).code, CloseCode::Protocol);
}

#[test]
fn a_stopped_reader_costs_a_bounded_queue_and_nobody_else_notices() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let patient = |name: &str, seeds: &[&Node]| {
        let mut config = cluster.config(name, seeds);
        // The peer is to stay a member for the whole test.
        config.membership.probe_interval = Duration::from_secs(30);
        config.times.idle_timeout = Duration::from_secs(30);
        config.queue = QueueLimits { messages: 2_000, bytes: 4 << 20 };
        config
    };
    let n1 = relay.start_with(patient("n1", &[]));
    let n2 = relay.start_with(patient("n2", &[&n1]));
    let n3 = relay.start_with(patient("n3", &[&n1]));
    for peer in [&n2, &n3] {
        n1.linked(peer);
        peer.linked(&n1);
    }
    relay.cut(&n1, &n2);
    let (mut sent, mut refused) = (0_u64, 0);
    for number in 0..10_000_u32 {
        let frame = [number.to_be_bytes().to_vec(), vec![0; 2_000]].concat();
        match n1.send(&n2, Lane::Message, &frame) {
            Ok(()) => sent += 1,
            Err(SendError::Overloaded) => refused += 1,
            Err(other) => panic!("{other}"),
        }
        n1.send(&n2, Lane::Control, &frame).ok();
        if number % 100 == 0 {
            n1.send(&n3, Lane::Message, &number.to_be_bytes()).unwrap();
        }
    }
    assert!(refused > 0 && sent + refused == 10_000, "{sent} {refused}");
    n3.gets(&n1, Lane::Message, &9_900_u32.to_be_bytes());
    assert_eq!(n3.frames(&n1.origin(), Lane::Message).len(), 100);
    let status = n1.mesh.sessions().into_iter().find(|s| s.origin == n2.origin()).unwrap();
    for queue in status.queues {
        assert!(queue.messages <= 2_000 && queue.bytes <= 4 << 20, "{queue:?}");
    }
    let counts = n1.mesh.counts().lane(Lane::Message);
    let over = counts.dropped(DropReason::QueueFull) + counts.dropped(DropReason::QueueBytes);
    assert_eq!(over, refused);
    relay.heal();
    // The writer was in the middle of a write when its queue overflowed, and tells when it goes on.
    n1.log.wait("resync", |seen| seen.contains(&Seen::Resync(n2.origin(), Lane::Control)));
    // What was queued arrives, in order, once; nothing of what was refused.
    n2.log.wait("the queued frames", |seen| {
        seen.iter().filter(|s| matches!(s, Seen::Frame(_, Lane::Message, _))).count() as u64 == sent
    });
    let numbers: Vec<Vec<u8>> = n2.frames(&n1.origin(), Lane::Message);
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_lane_without_progress_ends_the_session() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let stubborn = |name: &str, seeds: &[&Node]| {
        let mut config = cluster.config(name, seeds);
        config.membership.probe_interval = Duration::from_secs(30);
        config.times.idle_timeout = Duration::from_secs(60);
        config.times.write_progress = Duration::from_millis(300);
        config
    };
    let n1 = relay.start_with(stubborn("n1", &[]));
    let n2 = relay.start_with(stubborn("n2", &[&n1]));
    n1.linked(&n2);
    relay.cut(&n1, &n2);
    while n1.send(&n2, Lane::Bulk, &[0; 1 << 20]).is_ok() {}
    n1.unlinked(&n2.origin());
    assert!(n1.mesh.counts().lane(Lane::Bulk).dropped(DropReason::LinkLost) > 0);
}
