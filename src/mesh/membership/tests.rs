//! A few memberships on virtual time, joined by a perfect or a cut network.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

use rand::SeedableRng;

use super::*;
use crate::id::Incarnation;

struct World {
    now: Instant,
    nodes: BTreeMap<String, Membership>,
    dead: HashSet<String>,
    log: Vec<(String, String)>,
}

fn identity(name: &str, incarnation: u64) -> Identity {
    let origin = Origin { node: name.parse().unwrap(), incarnation: Incarnation(incarnation) };
    Identity { origin, rejoin: 0, addr: ([127, 0, 0, 1], 7950).into() }
}

impl World {
    fn new(names: &[&str]) -> Self {
        let mut world = Self {
            now: Instant::now(),
            nodes: BTreeMap::new(),
            dead: HashSet::new(),
            log: Vec::new(),
        };
        for name in names {
            world.start(name, 1);
        }
        world
    }

    fn start(&mut self, name: &str, incarnation: u64) {
        let random = StdRng::seed_from_u64(self.nodes.len() as u64);
        let own = identity(name, incarnation);
        let membership = Membership::new(own, MembershipRules::default(), random);
        self.dead.remove(name);
        self.nodes.insert(name.to_owned(), membership);
    }

    /// What a session between the two does: each learns that the other lives.
    fn meet(&mut self, a: &str, b: &str) {
        for (one, other) in [(a, b), (b, a)] {
            let peer = self.nodes[other].own().clone();
            self.feed(one, |m, now| m.alive(peer.clone(), now));
            self.feed(one, |m, now| m.ask(peer, now));
        }
    }

    fn feed(&mut self, at: &str, act: impl FnOnce(&mut Membership, Instant) -> Effects) {
        let now = self.now;
        let effects = act(self.nodes.get_mut(at).unwrap(), now);
        let mut wire = VecDeque::new();
        self.carry_out(at, effects, &mut wire);
        while let Some((from, to, data)) = wire.pop_front() {
            let sender = self.nodes[&from].own().origin.clone();
            let effects = self.nodes.get_mut(&to).unwrap().datagram(&sender, &data, now);
            self.carry_out(&to, effects, &mut wire);
        }
    }

    fn carry_out(
        &mut self,
        at: &str,
        effects: Effects,
        wire: &mut VecDeque<(String, String, Bytes)>,
    ) {
        for MemberEvent { origin, kind, .. } in effects.changes {
            self.log.push((at.to_owned(), format!("{origin} {kind}")));
        }
        for Outgoing { to, data } in effects.outgoing {
            let to = to.as_str().to_owned();
            if self.nodes.contains_key(&to) && !self.dead.contains(&to) && !self.dead.contains(at) {
                wire.push_back((at.to_owned(), to, data));
            }
        }
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        loop {
            let due = self.nodes.iter().filter_map(|(name, m)| Some((m.next_due()?, name.clone())));
            match due.min() {
                Some((at, name)) if at <= end => {
                    self.now = self.now.max(at);
                    self.feed(&name, |m, now| m.tick(now));
                }
                _ => break,
            }
        }
        self.now = end;
    }

    fn seen_by(&mut self, name: &str) -> Vec<String> {
        let (mine, rest) =
            std::mem::take(&mut self.log).into_iter().partition(|(at, _)| at == name);
        self.log = rest;
        let mine: Vec<(String, String)> = mine;
        mine.into_iter().map(|(_, text)| text).collect()
    }
}

#[test]
fn members_spread_through_one_acquaintance() {
    let mut world = World::new(&["a", "b", "c"]);
    world.meet("a", "b");
    world.meet("b", "c");
    world.run(Duration::from_secs(6));
    for (at, others) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
        let mut seen = world.seen_by(at);
        seen.sort();
        assert_eq!(seen, others.map(|other| format!("{other}#1 joined")), "{at}");
    }
}

#[test]
fn a_silent_death_is_noticed_well_within_ten_seconds() {
    let mut world = World::new(&["a", "b", "c"]);
    world.meet("a", "b");
    world.meet("b", "c");
    world.run(Duration::from_secs(6));
    world.log.clear();
    world.dead.insert("c".to_owned());
    world.run(Duration::from_millis(5_500));
    for at in ["a", "b"] {
        assert_eq!(world.seen_by(at), ["c#1 failed"], "{at}");
    }
    assert_eq!(world.nodes["a"].known(&"c".parse().unwrap()).unwrap().1, MemberState::Failed);
    world.run(Duration::from_secs(60));
    assert!(world.nodes["a"].known(&"c".parse().unwrap()).is_none(), "forgotten in the end");
}

#[test]
fn a_leave_is_a_leave_for_those_who_only_hear_of_it() {
    let mut world = World::new(&["a", "b", "c"]);
    world.meet("a", "b");
    world.meet("b", "c");
    world.run(Duration::from_secs(6));
    world.log.clear();
    world.dead.insert("c".to_owned());
    world.feed("b", |m, now| m.left(identity("c", 1), now));
    world.run(Duration::from_secs(2));
    for at in ["a", "b"] {
        assert_eq!(world.seen_by(at), ["c#1 left"], "{at}");
    }
}

#[test]
fn a_restart_is_a_failure_and_a_join_in_this_order() {
    let mut world = World::new(&["a", "b"]);
    world.meet("a", "b");
    world.log.clear();
    world.start("b", 2);
    world.meet("a", "b");
    assert_eq!(world.seen_by("a"), ["b#1 failed", "b#2 joined"]);
    world.feed("a", |m, now| m.failed(identity("b", 1), now));
    world.run(Duration::from_secs(10));
    assert_eq!(world.seen_by("a"), Vec::<String>::new(), "late news of the old run change nothing");
}

#[test]
fn a_node_wrongly_taken_for_dead_comes_back_in_the_same_run() {
    let mut world = World::new(&["a", "b"]);
    world.meet("a", "b");
    world.log.clear();
    world.feed("a", |m, now| m.failed(identity("b", 1), now));
    assert_eq!(world.seen_by("a"), ["b#1 failed"]);
    let again = world.nodes["b"].own().clone();
    world.feed("a", |m, now| m.alive(again, now));
    assert!(world.nodes["a"].active(&"b".parse().unwrap()).is_none());
    world.feed("b", |m, now| {
        let effects = m.renew(0, now);
        assert!(effects.renewed);
        effects
    });
    let renewed = world.nodes["b"].own().clone();
    assert_eq!(renewed.rejoin, 1);
    world.feed("a", |m, now| m.alive(renewed, now));
    assert_eq!(world.seen_by("a"), ["b#1 joined"]);
    world.feed("b", |m, now| {
        let effects = m.renew(0, now);
        assert!(!effects.renewed, "already above");
        effects
    });
}

#[test]
fn a_node_that_renews_itself_goes_on_probing() {
    let mut world = World::new(&["a", "b"]);
    world.meet("a", "b");
    world.feed("b", |m, now| m.failed(identity("a", 1), now));
    let (now, origin) = (world.now, world.nodes["b"].own().origin.clone());
    let own = world.nodes["a"].own().clone();
    let peer = world.nodes["b"].own().clone();
    let undead = world.nodes.get_mut("a").unwrap().ask(peer, now);
    let reply =
        world.nodes.get_mut("b").unwrap().datagram(&own.origin, &undead.outgoing[0].data, now);
    world.dead.insert("b".to_owned());
    world.log.clear();
    world.feed("a", |m, now| {
        let effects = m.datagram(&origin, &reply.outgoing[0].data, now);
        assert!(effects.renewed);
        effects
    });
    world.run(Duration::from_secs(6));
    assert_eq!(world.seen_by("a"), ["b#1 failed"], "nothing was heard after the renewal");
}

#[test]
fn a_move_is_an_update() {
    let mut world = World::new(&["a", "b"]);
    world.meet("a", "b");
    world.log.clear();
    let addr = ([127, 0, 0, 1], 8000).into();
    world.feed("b", |m, now| m.moved(addr, now));
    assert_eq!(world.seen_by("a"), ["b#1 updated"]);
    assert_eq!(world.nodes["a"].active(&"b".parse().unwrap()).unwrap().addr, addr);
    world.run(Duration::from_secs(20));
    assert_eq!(world.seen_by("a"), Vec::<String>::new());
}

#[test]
fn nobody_speaks_for_another_node() {
    let mut world = World::new(&["a", "b", "c"]);
    world.meet("a", "b");
    world.log.clear();
    let now = world.now;
    let stranger = world.nodes.get_mut("c").unwrap();
    let forged = stranger.ask(identity("a", 1), now).outgoing.remove(0).data;
    let liar = identity("b", 1).origin;
    world.feed("a", |m, now| m.datagram(&liar, &forged, now));
    world.feed("a", |m, now| m.datagram(&liar, &[1, 2, 3], now));
    world.feed("a", |m, now| m.datagram(&liar, &[], now));
    assert_eq!(world.seen_by("a"), Vec::<String>::new());
}

#[test]
fn timing_is_checked() {
    let good = MembershipRules::default();
    assert_eq!(good.problem(), None);
    let bad = MembershipRules { probe_timeout: good.probe_interval, ..good };
    assert_eq!(bad.problem(), Some("probe_timeout must be below probe_interval"));
    let bad = MembershipRules { gossip_interval: Duration::ZERO, ..good };
    assert_eq!(bad.problem(), Some("gossip_interval must be above zero"));
    assert_eq!(good.suspicion(2), Duration::from_secs(3));
    assert_eq!(good.suspicion(100), Duration::from_secs(6));
}
