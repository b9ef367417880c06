use proptest::prelude::*;
use smallvec::smallvec;

use super::*;
use crate::id::EntryId;
use crate::value::Values;

fn envelope() -> Envelope {
    let run = Run { incarnation: Incarnation(0xabcd), generation: Generation(300) };
    Envelope::new(&"app:pg".parse().unwrap(), &"n1".parse().unwrap(), run)
}

fn samples<'a>() -> Vec<Body<'a>> {
    let digest = Digest { version: 9, slots: 4, hash: u64::MAX - 5 };
    let run = Run { incarnation: Incarnation(3), generation: Generation(0) };
    let hosts: NamedHosts<'_> = smallvec![(HostIndex(0), "app:a"), (HostIndex(1), "app:b")];
    let far = Serial(1 << Serial::HOST_SHIFT | 77);
    vec![
        Body::Discover { own: digest, held: None },
        Body::Discover { own: Digest::default(), held: Some((run, digest)) },
        Body::Announce {
            from: 1_000_000,
            hosts: hosts.clone(),
            steps: smallvec![
                Step {
                    change: Change::Joined,
                    member: Serial(1),
                    groups: smallvec![("a", 1), ("ü", 70_000)],
                },
                Step { change: Change::Left, member: far, groups: smallvec![("a", 1)] },
            ],
        },
        Body::Sync(SyncChunk {
            version: 5,
            index: 2,
            total: 3,
            hosts,
            groups: vec![
                ("a", vec![(Serial(0), 1), (Serial(5), 2), (far, 1)]),
                ("b", vec![(far, 9)]),
            ],
        }),
        Body::Digest(digest),
        Body::SyncRequest,
        Body::Absent,
        Body::Broadcast {
            group: "g",
            topic: "task",
            sender: far,
            host: "app:b",
            values: &[1, 0, 0, 0, 7],
        },
    ]
}

#[test]
fn every_message_survives_the_wire() {
    let frames: Vec<Frame> = samples().iter().map(|body| envelope().frame(body)).collect();
    for (frame, body) in frames.iter().zip(samples()) {
        let message = Message::decode(frame).unwrap();
        assert_eq!((message.scope, message.node), ("app:pg", "n1"));
        assert_eq!(message.run.generation, Generation(300));
        assert_eq!(message.body, body);
        assert_eq!(frame_scope(frame), Ok("app:pg"));
    }
}

#[test]
fn cut_and_extended_frames_are_refused() {
    for body in samples() {
        let open_ended = matches!(body, Body::Broadcast { .. } | Body::Sync(_));
        let frame = envelope().frame(&body);
        let whole = frame.len() - usize::from(open_ended) * 6;
        for length in 0..whole {
            let cut = Message::decode(&frame[..length]);
            assert!(cut.is_err() || matches!(cut.unwrap().body, Body::Sync(_)), "{length}");
        }
        if !open_ended {
            let longer = [&frame[..], &[0]].concat();
            assert_eq!(Message::decode(&longer), Err(MalformedFrame::Trailing));
        }
    }
}

#[test]
fn broken_rules_are_refused() {
    let hosts: NamedHosts<'_> = smallvec![(HostIndex(0), "app:a")];
    let chunk = |index, total, groups| {
        Body::Sync(SyncChunk { version: 1, index, total, hosts: hosts.clone(), groups })
    };
    let announce = |from, member, groups: &[(&'static str, u64)]| Body::Announce {
        from,
        hosts: hosts.clone(),
        steps: smallvec![Step { change: Change::Joined, member, groups: groups.into() }],
    };
    let broadcast = |topic| Body::Broadcast {
        group: "g",
        topic,
        sender: Serial(1),
        host: "app:a",
        values: &[],
    };
    let stranger = Serial(5 << Serial::HOST_SHIFT);
    let bad = [
        chunk(1, 1, vec![]),
        chunk(0, MAX_SYNC_CHUNKS + 1, vec![]),
        chunk(0, 1, vec![("a", vec![])]),
        chunk(0, 1, vec![("a", vec![(Serial(1), 1), (Serial(1), 1)])]),
        chunk(0, 1, vec![("a", vec![(Serial(1), 0)])]),
        chunk(0, 1, vec![("a", vec![(stranger, 1)])]),
        chunk(0, 1, vec![("", vec![(Serial(1), 1)])]),
        announce(0, Serial(1), &[]),
        announce(0, Serial(1), &[("a", 0)]),
        announce(0, Serial(1), &[("a", 1 << 32)]),
        announce(0, stranger, &[("a", 1)]),
        announce(u64::MAX, Serial(1), &[("a", 1)]),
        broadcast(""),
        broadcast("@pid.inbox"),
    ];
    for body in bad {
        assert!(Message::decode(&envelope().frame(&body)).is_err(), "{body:?}");
    }
}

#[test]
fn a_broadcast_carries_its_values() {
    let values = Values::concat(&[Values::int(7), Values::str("x".repeat(1000)), Values::NIL]);
    let host: EntryId = "app:procs".parse().unwrap();
    let broadcast = BroadcastFrame {
        group: "g",
        topic: "task",
        sender: Serial(3),
        host: &host,
        values: &values,
    };
    let frame = envelope().broadcast(&broadcast);
    let Body::Broadcast { values: wire, topic: "task", .. } = Message::decode(&frame).unwrap().body
    else {
        panic!("a broadcast")
    };
    assert_eq!(Values::from_wire(wire), Ok(values));
}

#[test]
fn full_states_are_cut_into_bounded_parts() {
    let mut chunks = SyncChunks::new();
    let members = |n: u64| (0..n).map(|serial| (Serial(serial * 1000), 1));
    chunks.group("large", members(100_000));
    for n in 0..2_000 {
        chunks.group(&format!("group-{n:0>100}"), members(2));
    }
    let frames = chunks.finish(&envelope(), 42, |_| "app:procs");
    assert!(frames.len() > 10);
    let mut slots = 0;
    for (index, frame) in frames.iter().enumerate() {
        assert!(frame.len() <= CHUNK_BYTES + 2 * 1024, "{} bytes", frame.len());
        let Body::Sync(chunk) = Message::decode(frame).unwrap().body else { panic!("a sync") };
        assert_eq!((chunk.version, chunk.index as usize), (42, index));
        assert_eq!(chunk.total as usize, frames.len());
        slots += chunk.groups.iter().map(|(_, members)| members.len()).sum::<usize>();
    }
    assert_eq!(slots, 104_000);
}

#[test]
fn an_empty_state_is_one_part() {
    let frames = SyncChunks::new().finish(&envelope(), 0, |_| "app:procs");
    let Body::Sync(chunk) = Message::decode(&frames[0]).unwrap().body else { panic!("a sync") };
    assert_eq!((frames.len(), chunk.total, chunk.groups.len()), (1, 1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Message::decode(&bytes);
        let _ = frame_scope(&bytes);
    }

    #[test]
    fn spoiled_frames_never_panic(
        sample in 0usize..8, at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut frame = envelope().frame(&samples()[sample]).to_vec();
        let at = at.index(frame.len());
        frame[at] = byte;
        let _ = Message::decode(&frame);
    }
}
