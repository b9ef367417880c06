//! Every interleaving of two dials, with one connection that dies without a word, is walked through.

use std::collections::{HashSet, VecDeque};

use super::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Judge,
    Follower,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Packet {
    Hello(Generation),
    Chosen(Generation),
    Ping,
    Pong,
    Close,
}

/// One connection, with what is on its way in each direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wire {
    dialler: Side,
    dead: bool,
    to_judge: VecDeque<Packet>,
    to_follower: VecDeque<Packet>,
    open_at_judge: bool,
    open_at_follower: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    judge: Judge<usize>,
    follower: Follower<usize>,
    wires: Vec<Wire>,
    dials_left: [u8; 2],
    deaths_left: u8,
    asking: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Dial(Side),
    Deliver(usize, Side),
    Die(usize),
    IdleTimeout(usize, Side),
    AskTimeout,
}

impl World {
    fn new(dials: u8, deaths: u8) -> Self {
        Self {
            judge: Judge::default(),
            follower: Follower::default(),
            wires: Vec::new(),
            dials_left: [dials, dials],
            deaths_left: deaths,
            asking: None,
        }
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for side in [Side::Judge, Side::Follower] {
            let free = match side {
                Side::Judge => self.judge.held().is_none(),
                Side::Follower => self.follower.held().is_none(),
            };
            let dialling = self.wires.iter().any(|wire| wire.dialler == side && wire.open(side));
            if free && !dialling && self.dials_left[side as usize] > 0 {
                steps.push(Step::Dial(side));
            }
        }
        for (index, wire) in self.wires.iter().enumerate() {
            if wire.dead {
                for side in [Side::Judge, Side::Follower] {
                    if wire.open(side) {
                        steps.push(Step::IdleTimeout(index, side));
                    }
                }
            } else {
                for side in [Side::Judge, Side::Follower] {
                    if !wire.queue(side).is_empty() {
                        steps.push(Step::Deliver(index, side));
                    }
                }
                if self.deaths_left > 0 && (wire.open_at_judge || wire.open_at_follower) {
                    steps.push(Step::Die(index));
                }
            }
        }
        if let Some(held) = self.asking
            && (self.wires[held].dead || !self.wires[held].open_at_follower)
        {
            steps.push(Step::AskTimeout);
        }
        steps
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Dial(side) => {
                self.dials_left[side as usize] -= 1;
                let mut wire = Wire::new(side);
                // The dialler speaks first; the follower says which session it has lost.
                let lost =
                    if side == Side::Follower { self.follower.lost() } else { Generation(0) };
                wire.queue_mut(other(side)).push_back(Packet::Hello(lost));
                self.wires.push(wire);
            }
            Step::Die(index) => {
                self.deaths_left -= 1;
                self.wires[index].dead = true;
                self.wires[index].to_judge.clear();
                self.wires[index].to_follower.clear();
            }
            Step::IdleTimeout(index, side) => self.closed(index, side),
            Step::AskTimeout => {
                let held = self.asking.take().unwrap();
                let verdicts = self.judge.silent(held);
                self.carry_out(verdicts);
            }
            Step::Deliver(index, side) => {
                let packet = self.wires[index].queue_mut(side).pop_front().unwrap();
                if self.wires[index].open(side) {
                    self.receive(index, side, packet);
                }
            }
        }
    }

    fn receive(&mut self, index: usize, side: Side, packet: Packet) {
        match (side, packet) {
            (_, Packet::Close) => self.closed(index, side),
            (Side::Follower, Packet::Hello(_)) => {
                let lost = self.follower.lost();
                self.send(index, Side::Judge, Packet::Hello(lost));
            }
            (Side::Judge, Packet::Hello(lost)) => {
                let verdicts = self.judge.arrived(index, lost);
                self.carry_out(verdicts);
            }
            (Side::Follower, Packet::Chosen(generation)) => {
                match self.follower.chosen(index, generation) {
                    Adoption::Adopt { instead_of } => {
                        if let Some(old) = instead_of {
                            self.close(old, Side::Follower);
                        }
                    }
                    Adoption::Outdated => self.close(index, Side::Follower),
                }
            }
            (Side::Follower, Packet::Ping) => self.send(index, Side::Judge, Packet::Pong),
            (Side::Judge, Packet::Pong) => {
                if self.asking == Some(index) {
                    self.asking = None;
                }
                let verdict = self.judge.answered(index);
                self.carry_out(verdict);
            }
            (_, packet) => panic!("{packet:?} at {side:?}"),
        }
    }

    fn carry_out(&mut self, verdicts: impl IntoIterator<Item = Verdict<usize>>) {
        for verdict in verdicts {
            match verdict {
                Verdict::Choose { connection, generation } => {
                    self.send(connection, Side::Follower, Packet::Chosen(generation));
                }
                Verdict::Drop { connection } => self.close(connection, Side::Judge),
                Verdict::Ask { held } => {
                    self.asking = Some(held);
                    self.send(held, Side::Follower, Packet::Ping);
                }
            }
        }
    }

    fn send(&mut self, index: usize, to: Side, packet: Packet) {
        if !self.wires[index].dead {
            self.wires[index].queue_mut(to).push_back(packet);
        }
    }

    fn close(&mut self, index: usize, side: Side) {
        self.send(index, other(side), Packet::Close);
        self.closed(index, side);
    }

    fn closed(&mut self, index: usize, side: Side) {
        match side {
            Side::Judge => {
                self.wires[index].open_at_judge = false;
                if self.asking == Some(index) {
                    self.asking = None;
                }
                let verdict = self.judge.closed(index);
                self.carry_out(verdict);
            }
            Side::Follower => {
                self.wires[index].open_at_follower = false;
                self.follower.closed(index);
            }
        }
    }
}

impl Wire {
    fn new(dialler: Side) -> Self {
        Self {
            dialler,
            dead: false,
            to_judge: VecDeque::new(),
            to_follower: VecDeque::new(),
            open_at_judge: true,
            open_at_follower: true,
        }
    }

    fn open(&self, side: Side) -> bool {
        match side {
            Side::Judge => self.open_at_judge,
            Side::Follower => self.open_at_follower,
        }
    }

    fn queue(&self, to: Side) -> &VecDeque<Packet> {
        match to {
            Side::Judge => &self.to_judge,
            Side::Follower => &self.to_follower,
        }
    }

    fn queue_mut(&mut self, to: Side) -> &mut VecDeque<Packet> {
        match to {
            Side::Judge => &mut self.to_judge,
            Side::Follower => &mut self.to_follower,
        }
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Judge => Side::Follower,
        Side::Follower => Side::Judge,
    }
}

/// Walks every reachable world once and returns how many there were and those at rest.
fn explore(start: World) -> (usize, Vec<World>) {
    let mut seen = HashSet::new();
    let mut rest = Vec::new();
    let mut open = vec![start];
    while let Some(world) = open.pop() {
        if !seen.insert(world.clone()) {
            continue;
        }
        let steps = world.steps();
        if steps.is_empty() {
            rest.push(world);
            continue;
        }
        for step in steps {
            let mut next = world.clone();
            next.take(step);
            open.push(next);
        }
    }
    (seen.len(), rest)
}

fn assert_agreed(world: &World) {
    assert_eq!(world.judge.held(), world.follower.held(), "{world:#?}");
    for (index, wire) in world.wires.iter().enumerate() {
        let used = world.judge.held() == Some(index);
        assert_eq!((wire.open_at_judge, wire.open_at_follower), (used, used), "{world:#?}");
    }
}

#[test]
fn simultaneous_dials_end_in_one_session() {
    let (seen, rest) = explore(World::new(1, 0));
    assert!(seen > 40, "{seen}");
    for world in &rest {
        assert_agreed(world);
        assert!(world.judge.held().is_some(), "{world:#?}");
    }
}

#[test]
fn a_connection_that_dies_without_a_word_never_blocks_a_live_one() {
    let (seen, rest) = explore(World::new(2, 1));
    assert!(seen > 1_000, "{seen}");
    for world in &rest {
        assert_agreed(world);
        // Whoever still wants to dial may, so at rest only exhausted dials leave a pair apart.
        assert!(world.judge.held().is_some() || world.dials_left == [0, 0], "{world:#?}");
    }
}

#[test]
fn two_deaths_and_three_dials_still_agree() {
    let (_, rest) = explore(World::new(2, 2));
    rest.iter().for_each(assert_agreed);
}

#[test]
fn a_session_in_use_survives_a_late_dial() {
    let mut judge = Judge::default();
    let first = judge.arrived('a', Generation(0));
    assert_eq!(first, [Verdict::Choose { connection: 'a', generation: Generation(1) }]);
    assert_eq!(judge.arrived('b', Generation(0)), [Verdict::Ask { held: 'a' }]);
    assert_eq!(judge.arrived('c', Generation(0)), [Verdict::Drop { connection: 'b' }]);
    assert_eq!(judge.answered('a'), Some(Verdict::Drop { connection: 'c' }));
    assert_eq!(judge.held(), Some('a'));
    assert_eq!(judge.silent('a'), []);
}

#[test]
fn a_follower_that_lost_the_session_is_believed_at_once() {
    let mut judge = Judge::default();
    judge.arrived('a', Generation(0));
    assert_eq!(
        judge.arrived('b', Generation(1)),
        [
            Verdict::Drop { connection: 'a' },
            Verdict::Choose { connection: 'b', generation: Generation(2) }
        ]
    );
    let mut follower = Follower::default();
    assert_eq!(follower.chosen('b', Generation(2)), Adoption::Adopt { instead_of: None });
    assert_eq!(follower.chosen('a', Generation(1)), Adoption::Outdated);
    assert_eq!(follower.lost(), Generation(0));
    follower.closed('b');
    assert_eq!(follower.lost(), Generation(2));
}
