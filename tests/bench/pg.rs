//! What the rulebook of process groups costs: `cargo bench --bench pg`.
//!
//! One figure a line, nanoseconds unless it says otherwise, for the same work as
//! `shared/bench/erlang` measures around Erlang's `pg`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moonmesh::id::{GroupName, HostIndex, Incarnation, Origin, Serial};
use moonmesh::pg::message::Generation;
use moonmesh::pg::{Config, Outcome, Reach, State};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NOW: Duration = Duration::from_secs(1);

fn main() {
    empty_scope();
    for size in [1_000, 10_000, 100_000, 1_000_000] {
        large_group(size);
    }
    two_nodes();
}

fn empty_scope() {
    let mut state = state("a");
    let group = [name("workers")];
    let rounds = 500_000;
    time("join + leave, empty scope", rounds, || {
        for _ in 0..rounds {
            join_and_leave(&mut state, Serial(9), &group);
        }
    });
    state.handle_monitor(Serial(1), name("workers"));
    time("the same with a monitor", rounds, || {
        for _ in 0..rounds {
            join_and_leave(&mut state, Serial(9), &group);
            while let Some(event) = state.poll_event() {
                black_box(event);
            }
        }
    });
}

fn large_group(size: u64) {
    let mut state = state("a");
    let group = [name("workers")];
    time(&format!("fill a group of {size}, each"), size, || {
        for member in 0..size {
            state.handle_join(NOW, Serial(member * 2), &group).expect("no limit");
        }
    });
    let rounds = 200_000;
    // Odd serials are not members; a stride that is coprime to the size goes all over the group.
    let stranger = |round: u64| Serial((round * 7_919 % size) * 2 + 1);
    time("  join + leave", rounds, || {
        for round in 0..rounds {
            join_and_leave(&mut state, stranger(round), &group);
        }
    });
    time("  the same, read before each", rounds, || {
        for round in 0..rounds {
            let view = state.view().clone();
            state.handle_join(NOW, stranger(round), &group).expect("no limit");
            drop(view);
            let view = state.view().clone();
            state.handle_leave(NOW, stranger(round), &group).expect("a member");
            drop(view);
        }
    });
    time("  resolve a broadcast", rounds, || {
        for _ in 0..rounds {
            black_box(state.handle_broadcast(NOW, "workers", Reach::Cluster));
        }
    });
    let members = state.handle_broadcast(NOW, "workers", Reach::Node).local.expect("members");
    time("  go through the members, each", size, || {
        for member in members.iter() {
            black_box(member);
        }
    });
    drop(members);
    time("  exit, each", size, || {
        for member in 0..size {
            state.handle_exit(Serial(member * 2));
        }
    });
}

fn two_nodes() {
    let (mut here, mut there) = (state("a"), state("b"));
    let groups: Vec<GroupName> = (0..1_000).map(|n| name(&format!("room-{n}"))).collect();
    for member in 0..100_000u64 {
        let group = std::slice::from_ref(&groups[member as usize % groups.len()]);
        here.handle_join(NOW, Serial(member), group).expect("no limit");
    }
    time("sync of 100,000 memberships in 1,000 groups, each", 100_000, || {
        here.handle_session_up(NOW, there.view().origin().clone());
        there.handle_session_up(NOW, here.view().origin().clone());
        carry(&mut here, &mut there);
    });
    assert_eq!(there.view().remote_totals().slots, 100_000);
    there.handle_events(Serial(3));
    let rounds = 200_000;
    time("join or leave seen by a peer", 2 * rounds, || {
        for _ in 0..rounds {
            here.handle_join(NOW, Serial(9), &groups[..1]).expect("no limit");
            carry(&mut here, &mut there);
            here.handle_leave(NOW, Serial(9), &groups[..1]).expect("a member");
            carry(&mut here, &mut there);
        }
    });
    time("a dead node's 100,000 memberships, each", 100_000, || {
        there.handle_node_gone(here.view().origin());
        while let Some(event) = there.poll_event() {
            black_box(event);
        }
    });
}

fn state(node: &str) -> State {
    let node = node.parse().expect("a node name");
    let origin = Arc::new(Origin { node, incarnation: Incarnation(5) });
    let scope = "app:pg".parse().expect("a scope id");
    let mut state = State::new(scope, origin, Generation(1), Config::default(), 77);
    state.learn_host(HostIndex(0), &"app:procs".parse().expect("a host id"));
    state
}

fn name(text: &str) -> GroupName {
    text.parse().expect("a group name")
}

fn join_and_leave(state: &mut State, member: Serial, group: &[GroupName]) {
    state.handle_join(NOW, member, group).expect("no limit");
    state.handle_leave(NOW, member, group).expect("a member");
}

/// Carries frames in both directions until there are none.
fn carry(one: &mut State, other: &mut State) {
    while carry_to(one, other) + carry_to(other, one) > 0 {}
}

fn carry_to(from: &mut State, to: &mut State) -> usize {
    let mut frames = 0;
    while let Some(transmit) = from.poll_send(NOW, 1) {
        from.handle_sent(NOW, transmit.ticket, Outcome::Accepted, 1);
        let sender = from.view().origin().node.clone();
        to.handle_frame(NOW, &sender, &transmit.frame).expect("a well-formed frame");
        frames += 1;
    }
    frames
}

fn time(what: &str, count: u64, work: impl FnOnce()) {
    let begin = Instant::now();
    work();
    println!("{what}: {:.1}", begin.elapsed().as_nanos() as f64 / count as f64);
}
