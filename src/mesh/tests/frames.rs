//! What happens to frames between two nodes that get along.

use std::sync::Arc;

use super::fixture::*;
use crate::mesh::SendError;
use crate::wire::Lane;

#[test]
fn two_nodes_connect_and_talk_in_every_lane() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    n2.linked(&n1);
    for lane in Lane::ALL {
        let large = vec![lane.tag(); 1 << 20];
        n1.send(&n2, lane, b"hello").unwrap();
        n1.send(&n2, lane, &large).unwrap();
        n2.send(&n1, lane, b"").unwrap();
        n2.gets(&n1, lane, &large);
        n1.gets(&n2, lane, b"");
        assert_eq!(n2.frames(&n1.origin(), lane), [b"hello".to_vec(), large]);
    }
    assert_eq!(n1.mesh.counts().lane(Lane::Pg).frames_out, 2);
    assert_eq!(n2.mesh.counts().lane(Lane::Pg).frames_in, 2);
    let status = n1.mesh.sessions();
    assert_eq!(status.len(), 1);
    assert_eq!(status[0].origin, n2.origin());
    assert!(status[0].bytes_out > 1 << 20);
    let view = n1.mesh.view();
    assert!(view.member(n2.name()).unwrap().connected);
    assert_eq!(view.alive().count(), 1, "no node lists itself");
}

#[test]
fn order_holds_under_many_senders() {
    let cluster = Cluster::new("blue");
    let n1 = Arc::new(cluster.start("n1", &[]));
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    let senders: Vec<_> = (0..4_u8)
        .map(|sender| {
            let (n1, to) = (n1.clone(), n2.name().clone());
            std::thread::spawn(move || {
                for number in 0..2_000_u32 {
                    let size = if number % 97 == 0 { 20_000 } else { 10 };
                    let mut payload = vec![sender; size];
                    payload[1..5].copy_from_slice(&number.to_be_bytes());
                    let payload = bytes::Bytes::from(payload);
                    while n1.mesh.send(&to, Lane::Message, payload.clone()).is_err() {
                        std::thread::yield_now();
                    }
                }
            })
        })
        .collect();
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    n1.send(&n2, Lane::Message, b"end").unwrap();
    n2.gets(&n1, Lane::Message, b"end");
    let mut next = [0_u32; 4];
    for frame in n2.frames(&n1.origin(), Lane::Message) {
        if let [sender, a, b, c, d, ..] = frame[..] {
            let expected = &mut next[usize::from(sender)];
            assert_eq!(u32::from_be_bytes([a, b, c, d]), *expected);
            *expected += 1;
        }
    }
    assert_eq!(next, [2_000; 4]);
}

#[test]
fn sends_that_cannot_arrive_say_so_at_once() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let stranger = "n9".parse().unwrap();
    let send = |to| n1.mesh.send(to, Lane::Message, "x".into());
    assert_eq!(send(&stranger), Err(SendError::NotFound));
    assert_eq!(send(n1.name()), Err(SendError::NotFound));
    let mut config = cluster.config("n2", &[&n1]);
    config.max_frame_bytes = 2000;
    let n2 = Node::start(config);
    n1.linked(&n2);
    let error = n1.send(&n2, Lane::Bulk, &[0; 2001]).unwrap_err();
    assert_eq!(error, SendError::TooLarge { found_bytes: 2001, limit_bytes: 2000 });
    n1.send(&n2, Lane::Bulk, &[1; 2000]).unwrap();
    n2.gets(&n1, Lane::Bulk, &[1; 2000]);
    n1.mesh.stop();
    assert_eq!(n1.send(&n2, Lane::Bulk, b"x"), Err(SendError::Stopped));
    n1.mesh.stop();
}

#[test]
fn a_few_bad_frames_are_skipped_and_many_end_the_session() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    n2.linked(&n1);
    for _ in 0..99 {
        n1.send(&n2, Lane::Pg, b"nonsense").unwrap();
    }
    n1.send(&n2, Lane::Pg, b"sense").unwrap();
    n2.gets(&n1, Lane::Pg, b"sense");
    assert!(!n2.log.all().contains(&Seen::Down(n1.origin())));
    n1.send(&n2, Lane::Control, b"nonsense").unwrap();
    n2.log.wait("the session to end", |seen| seen.contains(&Seen::Down(n1.origin())));
    n2.linked(&n1);
    assert_nested(&n2.log.all(), &n1.origin());
}

#[test]
fn last_words_arrive_before_the_leave_which_is_seen_at_once() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    let n3 = cluster.start("n3", &[&n1]);
    for (one, other) in [(&n1, &n2), (&n2, &n1), (&n1, &n3), (&n3, &n1), (&n2, &n3), (&n3, &n2)] {
        one.linked(other);
    }
    for peer in [&n1, &n3] {
        for number in 0..500_u32 {
            n2.send(peer, Lane::Pg, &number.to_be_bytes()).unwrap();
        }
        n2.send(peer, Lane::Message, b"bye").unwrap();
    }
    let start = std::time::Instant::now();
    n2.mesh.stop();
    assert!(start.elapsed().as_millis() < 1_500, "{:?}", start.elapsed());
    for peer in [&n1, &n3] {
        peer.sees(&n2.origin(), crate::mesh::MemberChange::Left);
        assert_eq!(peer.frames(&n2.origin(), Lane::Pg).len(), 500);
        assert_eq!(peer.frames(&n2.origin(), Lane::Message), [b"bye".to_vec()]);
        assert_nested(&peer.log.all(), &n2.origin());
        assert_eq!(peer.send(&n2, Lane::Pg, b"x"), Err(SendError::NotFound));
    }
}
