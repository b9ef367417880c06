//! Networks that are cut, lose packets or lead one way only.

use std::time::{Duration, Instant};

use super::fixture::*;
use super::relay::Relay;
use crate::mesh::{MemberChange, SendError};
use crate::wire::Lane;

/// Waits until every node has a session with every other and no other member.
fn whole(nodes: &[&Node]) {
    for one in nodes {
        for other in nodes.iter().filter(|other| other.name() != one.name()) {
            one.linked(other);
        }
        let view = one.mesh.view();
        let log: Vec<_> = one
            .log
            .all()
            .into_iter()
            .filter(|s| !matches!(s, Seen::Frame(..)))
            .map(|s| format!("{s:?}"))
            .collect();
        assert_eq!(
            view.alive().count(),
            nodes.len() - 1,
            "{view:?} {log:#?} {:?}",
            one.mesh.complaints()
        );
    }
}

#[test]
fn a_death_without_a_word_is_noticed_and_a_restart_elsewhere_accepted() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    let n3 = relay.start(&cluster, "n3", &[&n1]);
    whole(&[&n1, &n2, &n3]);
    // What a SIGKILL looks like from outside.
    relay.cut(&n1, &n2);
    relay.cut(&n2, &n3);
    let start = Instant::now();
    n1.sees(&n2.origin(), MemberChange::Failed);
    n3.sees(&n2.origin(), MemberChange::Failed);
    assert!(
        start.elapsed() < cluster.config("n1", &[]).times.idle_timeout,
        "{:?}",
        start.elapsed()
    );
    assert_eq!(n1.send(&n2, Lane::Message, b"x"), Err(SendError::NotFound));
    for node in [&n1, &n3] {
        assert_nested(&node.log.all(), &n2.origin());
        assert!(!is_up(&node.log.all(), &n2.origin()), "no session outlives its member");
    }
    let again = cluster.start("n2", &[&n1]);
    n1.linked(&again);
    n3.linked(&again);
    again.linked(&n3);
}

#[test]
fn a_restart_before_the_death_is_noticed_replaces_the_old_run() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    whole(&[&n1, &n2]);
    relay.cut(&n1, &n2);
    let again = cluster.start("n2", &[&n1]);
    n1.linked(&again);
    let (old, new) = (n2.origin(), again.origin());
    let mine = |seen: &Seen| match seen {
        Seen::Up(o) | Seen::Down(o) | Seen::Member(o, _) => o.node == old.node,
        _ => false,
    };
    let log: Vec<Seen> = n1.log.all().into_iter().filter(mine).collect();
    let expected = [
        Seen::Member(old.clone(), MemberChange::Joined),
        Seen::Up(old.clone()),
        Seen::Down(old.clone()),
        Seen::Member(old, MemberChange::Failed),
        Seen::Member(new.clone(), MemberChange::Joined),
        Seen::Up(new),
    ];
    assert_eq!(log, expected);
}

#[test]
fn a_long_split_heals_by_itself() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    let n3 = relay.start(&cluster, "n3", &[&n1]);
    let all = [&n1, &n2, &n3];
    whole(&all);
    // First everyone alone, then one apart from the two others; n1 has no seeds at all.
    for lonely in [vec![(&n1, &n2), (&n1, &n3), (&n2, &n3)], vec![(&n1, &n2), (&n1, &n3)]] {
        lonely.iter().for_each(|(one, other)| relay.cut(one, other));
        for (one, other) in &lonely {
            one.log.wait("a failure", |seen| !is_up(seen, &other.origin()));
            other.log.wait("a failure", |seen| !is_up(seen, &one.origin()));
            let deadline = Instant::now() + PATIENCE;
            // Longer than failed members are remembered.
            while one.mesh.view().member(other.name()).is_some() {
                assert!(Instant::now() < deadline);
                std::thread::yield_now();
            }
        }
        let before = n2.log.all().len();
        relay.heal();
        whole(&all);
        if lonely.len() == 2 {
            // n1 comes back with old news of two deaths; nobody falls for them.
            let since = n2.log.all().split_off(before);
            assert!(!since.contains(&Seen::Down(n3.origin())), "{since:#?}");
        }
        for (one, other) in &lonely {
            one.send(other, Lane::Pg, b"together").unwrap();
            other.gets(one, Lane::Pg, b"together");
        }
    }
    for one in all {
        all.iter().for_each(|other| assert_nested(&one.log.all(), &other.origin()));
    }
}

#[test]
fn a_one_way_cut_is_no_healthy_link() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    whole(&[&n1, &n2]);
    relay.cut_one_way(&n1, &n2);
    n1.sees(&n2.origin(), MemberChange::Failed);
    n2.sees(&n1.origin(), MemberChange::Failed);
    n1.unlinked(&n2.origin());
    n2.unlinked(&n1.origin());
    assert_eq!(n1.send(&n2, Lane::Pg, b"x"), Err(SendError::NotFound));
    relay.heal();
    whole(&[&n1, &n2]);
    n1.send(&n2, Lane::Pg, b"back").unwrap();
    n2.gets(&n1, Lane::Pg, b"back");
}

#[test]
fn a_link_cut_between_two_of_three_kills_nobody() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    let n3 = relay.start(&cluster, "n3", &[&n1]);
    whole(&[&n1, &n2, &n3]);
    relay.cut(&n2, &n3);
    // The session goes with the transport's idle timeout; the member stays, as n1 still reaches it.
    n2.unlinked(&n3.origin());
    n3.unlinked(&n2.origin());
    assert_eq!(n2.send(&n3, Lane::Message, b"x"), Err(SendError::Disconnected));
    let failed = Seen::Member(n3.origin(), MemberChange::Failed);
    assert!(!n2.log.all().contains(&failed));
    relay.heal();
    whole(&[&n1, &n2, &n3]);
    assert!(!n2.log.all().contains(&failed));
    assert_nested(&n2.log.all(), &n3.origin());
}

#[test]
fn loss_changes_neither_order_nor_content() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    whole(&[&n1, &n2]);
    relay.lose(0.1);
    let frames: Vec<Vec<u8>> = (0..3_000_u32)
        .map(|number| {
            let mut frame = number.to_be_bytes().to_vec();
            frame.resize(if number % 50 == 0 { 30_000 } else { 60 }, 7);
            frame
        })
        .collect();
    for frame in &frames {
        n1.send(&n2, Lane::Message, frame).unwrap();
    }
    n2.gets(&n1, Lane::Message, &frames[frames.len() - 1]);
    assert_eq!(n2.frames(&n1.origin(), Lane::Message), frames);
}

#[test]
fn last_words_survive_a_slow_network() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    relay.delay(Duration::from_millis(25));
    for round in 0..5 {
        let n2 = relay.start(&cluster, &format!("m{round}"), &[&n1]);
        whole_pair(&n1, &n2);
        n2.send(&n1, Lane::Pg, b"bye").unwrap();
        let start = Instant::now();
        n2.mesh.stop();
        n1.sees(&n2.origin(), MemberChange::Left);
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(n1.frames(&n2.origin(), Lane::Pg), [b"bye".to_vec()]);
    }
}

fn whole_pair(one: &Node, other: &Node) {
    one.linked(other);
    other.linked(one);
}

#[test]
fn a_frozen_peer_does_not_hold_up_a_stop() {
    let (cluster, mut relay) = (Cluster::new("blue"), Relay::new());
    let n1 = relay.start(&cluster, "n1", &[]);
    let n2 = relay.start(&cluster, "n2", &[&n1]);
    let n3 = relay.start(&cluster, "n3", &[&n1]);
    whole(&[&n1, &n2, &n3]);
    relay.cut(&n1, &n2);
    let start = Instant::now();
    n1.mesh.stop();
    assert!(start.elapsed() < Duration::from_millis(1_600), "{:?}", start.elapsed());
    n3.sees(&n1.origin(), MemberChange::Left);
    // n2 hears of it from n3, and still knows it for what it is.
    n2.sees(&n1.origin(), MemberChange::Left);
}
