//! Who is a member, and when.

use std::time::{Duration, Instant};

use super::fixture::*;
use crate::id::Origin;
use crate::mesh::{MemberChange, MemberState, SendError};
use crate::wire::Lane;

#[test]
fn acquaintances_of_acquaintances_connect() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let others: Vec<Node> = (2..=5).map(|i| cluster.start(&format!("n{i}"), &[&n1])).collect();
    let all: Vec<&Node> = others.iter().chain([&n1]).collect();
    for one in &all {
        for other in all.iter().filter(|other| other.name() != one.name()) {
            one.linked(other);
        }
    }
    for one in &all {
        let view = one.mesh.view();
        assert_eq!(view.alive().count(), 4);
        assert!(view.member(one.name()).is_none(), "no node lists itself");
        for other in &all {
            assert_nested(&one.log.all(), &other.origin());
        }
    }
}

#[test]
fn both_may_dial_at_once_again_and_again() {
    let cluster = Cluster::new("blue");
    for round in 0..10 {
        let (a, b) = (format!("a{round}"), format!("b{round}"));
        let (mut first, mut second) = (cluster.config(&a, &[]), cluster.config(&b, &[]));
        // Each is told the port of the other before either runs.
        let ports = [(); 2].map(|()| std::net::UdpSocket::bind("127.0.0.1:0").unwrap());
        let [one, two] = ports.map(|socket| socket.local_addr().unwrap());
        first.bind_port = crate::mesh::PortChoice::Fixed(one.port());
        second.bind_port = crate::mesh::PortChoice::Fixed(two.port());
        first.seeds = vec![two.to_string()];
        second.seeds = vec![one.to_string()];
        let (first, second) = (Node::start(first), Node::start(second));
        first.linked(&second);
        second.linked(&first);
        first.send(&second, Lane::Control, b"x").unwrap();
        second.gets(&first, Lane::Control, b"x");
        for (node, other) in [(&first, &second), (&second, &first)] {
            let log = node.log.all();
            assert_nested(&log, &other.origin());
            assert!(!log.contains(&Seen::Down(other.origin())), "round {round}: {log:#?}");
        }
    }
}

#[test]
fn a_restart_after_a_stop_is_a_leave_and_a_join() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let old = cluster.start("n2", &[&n1]);
    n1.linked(&old);
    let before = old.origin();
    old.mesh.stop();
    let new = cluster.start("n2", &[&n1]);
    n1.linked(&new);
    let members = |seen: Seen| match seen {
        Seen::Member(origin, change) => Some((origin, change)),
        _ => None,
    };
    let log: Vec<(Origin, MemberChange)> = n1.log.all().into_iter().filter_map(members).collect();
    let expected = [
        (before.clone(), MemberChange::Joined),
        (before, MemberChange::Left),
        (new.origin(), MemberChange::Joined),
    ];
    assert_eq!(log, expected);
}

#[test]
fn a_second_live_node_of_a_name_is_refused_and_the_first_undisturbed() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let first = cluster.start("n2", &[&n1]);
    n1.linked(&first);
    first.linked(&n1);
    let second = cluster.start("n2", &[&n1]);
    let deadline = Instant::now() + PATIENCE;
    while n1.mesh.counts().refused < 2 {
        assert!(Instant::now() < deadline, "refused {} times", n1.mesh.counts().refused);
        std::thread::yield_now();
    }
    assert!(second.log.all().is_empty(), "{:?}", second.log.all());
    assert!(!n1.log.all().contains(&Seen::Down(first.origin())));
    n1.send(&first, Lane::Message, b"still here").unwrap();
    first.gets(&n1, Lane::Message, b"still here");
}

#[test]
fn own_addresses_among_the_seeds_are_harmless() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let mut config = cluster.config("n2", &[&n1]);
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    drop(socket);
    config.bind_port = crate::mesh::PortChoice::Fixed(port);
    config.seeds.push(format!("127.0.0.1:{port}"));
    config.seeds.push(format!("localhost:{port}"));
    let n2 = Node::start(config);
    n2.linked(&n1);
    n1.linked(&n2);
    assert_eq!(n2.mesh.view().members.len(), 1);
}

#[test]
fn a_node_that_listens_everywhere_tells_an_address_that_works() {
    let cluster = Cluster::new("blue");
    let anywhere = |name: &str, seeds: &[&Node]| {
        let mut config = cluster.config(name, seeds);
        config.bind_addr = [0, 0, 0, 0].into();
        config.advertise_addr = seeds.is_empty().then_some([127, 0, 0, 1].into());
        Node::start(config)
    };
    let n1 = anywhere("n1", &[]);
    let n2 = anywhere("n2", &[&n1]);
    let n3 = anywhere("n3", &[&n1]);
    assert!(!n2.mesh.advertised_addr().ip().is_unspecified());
    n2.linked(&n3);
    n3.linked(&n2);
}

#[test]
fn a_move_is_told_to_all() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    n2.linked(&n1);
    n2.mesh.set_advertised_addr("127.0.0.7:7777".parse().unwrap());
    n1.sees(&n2.origin(), MemberChange::Updated);
    let view = n1.mesh.view();
    let member = view.member(n2.name()).unwrap();
    assert_eq!((member.addr.port(), member.state), (7777, MemberState::Alive));
    assert!(!n1.log.all().contains(&Seen::Down(n2.origin())), "the session stays");
}

#[test]
fn a_drop_is_as_good_as_a_stop() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    let origin = n2.origin();
    drop(n2);
    n1.sees(&origin, MemberChange::Left);
    n1.unlinked(&origin);
    let send = n1.mesh.send(&origin.node, Lane::Message, "x".into());
    assert_eq!(send, Err(SendError::NotFound));
    assert!(n1.mesh.view().alive().count() == 0);
    let state = n1.mesh.view().member(&origin.node).map(|member| member.state);
    assert_eq!(state, Some(MemberState::Left));
    let deadline = Instant::now() + Duration::from_secs(10);
    while n1.mesh.view().member(&origin.node).is_some() {
        assert!(Instant::now() < deadline, "forgotten after a while");
        std::thread::yield_now();
    }
}
