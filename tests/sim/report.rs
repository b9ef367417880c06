//! What a cluster of many nodes costs on the wire.

use std::fmt;
use std::time::Duration;

use moonmesh::pg::Config;

use crate::checks::after_heal;
use crate::dice::Dice;
use crate::world::{Occurrence, Traffic, World};

/// Frames and bytes of a healthy cluster, by what causes them.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    pub nodes: usize,
    pub frames_per_pair_at_start: f64,
    pub bytes_per_pair_at_start: f64,
    pub frames_per_join: f64,
    pub bytes_per_join: f64,
    /// Pairs of nodes that lost their session for a minute in which both sides changed.
    pub frames_per_healed_pair: f64,
    pub bytes_per_healed_pair: f64,
    pub frames_per_idle_second: f64,
    pub bytes_per_idle_second: f64,
}

/// Measures a cluster of `nodes`, each with one member of a common group.
pub fn measure(nodes: usize) -> Report {
    let mut world = World::new(nodes, Config::default(), Dice::new(7));
    let pairs = (nodes * (nodes - 1) / 2) as f64;
    let started = spent(&mut world, start);
    let joined = spent(&mut world, join_everywhere);
    let idle = spent(&mut world, |world| pass(world, 120));
    let healed = spent(&mut world, split_and_heal);
    after_heal(&world.nodes).expect("a healed cluster agrees");
    let per = |(traffic, count): (Traffic, f64)| {
        (traffic.frames as f64 / count, traffic.bytes as f64 / count)
    };
    let (frames_per_pair_at_start, bytes_per_pair_at_start) = per((started, pairs));
    let (frames_per_join, bytes_per_join) = per((joined, nodes as f64));
    let (frames_per_idle_second, bytes_per_idle_second) = per((idle, 120.0));
    let half = (nodes / 2) as f64;
    let (frames_per_healed_pair, bytes_per_healed_pair) =
        per((healed, half * (nodes as f64 - half)));
    Report {
        nodes,
        frames_per_pair_at_start,
        bytes_per_pair_at_start,
        frames_per_join,
        bytes_per_join,
        frames_per_healed_pair,
        bytes_per_healed_pair,
        frames_per_idle_second,
        bytes_per_idle_second,
    }
}

fn spent(world: &mut World, cause: impl FnOnce(&mut World)) -> Traffic {
    let before = world.traffic;
    cause(world);
    Traffic {
        frames: world.traffic.frames - before.frames,
        bytes: world.traffic.bytes - before.bytes,
    }
}

fn start(world: &mut World) {
    for node in 0..world.nodes.len() {
        world.happen(Occurrence::Boot { node }).expect("nothing is checked");
    }
    pass(world, 3);
}

/// Every node gets a member, in less than a tick of anti-entropy.
fn join_everywhere(world: &mut World) {
    let group = ["everybody".parse().expect("a group name")];
    for node in 0..world.nodes.len() {
        let member = world.nodes[node].new_process();
        world.join(node, member, &group).expect("nothing is checked");
    }
    pass(world, 1);
}

/// Two halves do not see each other for a minute, in which every node gets another member.
fn split_and_heal(world: &mut World) {
    let (count, half) = (world.nodes.len(), world.nodes.len() / 2);
    let across = || (0..half).flat_map(move |one| (half..count).map(move |other| (one, other)));
    for (one, other) in across() {
        world.cut.insert((one, other));
        world.disconnect(one, other);
    }
    let before = world.traffic;
    join_everywhere(world);
    pass(world, 59);
    world.traffic = before;
    world.cut.clear();
    for (one, other) in across() {
        world.happen(Occurrence::Connect { one, other }).expect("nothing is checked");
    }
    pass(world, 3);
}

fn pass(world: &mut World, seconds: u64) {
    let end = world.now + Duration::from_secs(seconds);
    world.run_until(end).expect("nothing is checked");
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes        frames      bytes", self.nodes)?;
        let mut line = |what: &str, frames: f64, bytes: f64| {
            writeln!(f, "  {what:<24}{frames:>10.2}{bytes:>12.1}")
        };
        line("start, per pair", self.frames_per_pair_at_start, self.bytes_per_pair_at_start)?;
        line("join", self.frames_per_join, self.bytes_per_join)?;
        line("heal, per pair", self.frames_per_healed_pair, self.bytes_per_healed_pair)?;
        line("idle second", self.frames_per_idle_second, self.bytes_per_idle_second)
    }
}
