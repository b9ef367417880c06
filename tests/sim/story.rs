//! One run: a seed decides how many nodes there are, what they do and what goes wrong; then all is
//! healed and everybody must agree.

use std::time::Duration;

use moonmesh::id::GroupName;
use moonmesh::pg::Config;

use crate::checks::{Checks, Violation, after_heal};
use crate::dice::Dice;
use crate::node::Power;
use crate::sabotage::{Sabotage, Saboteur};
use crate::world::{Occurrence, World};

/// What a run went through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    pub actions: usize,
    pub frames: u64,
}

/// How likely each kind of action is in one run.
struct Mood {
    weights: Vec<(usize, Action)>,
    groups: Vec<GroupName>,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Join,
    Leave,
    Exit,
    Subscribe,
    Unsubscribe,
    Broadcast,
    Disconnect,
    Replace,
    Stall,
    Partition,
    Mend,
    Kill,
    RestartScope,
    DeclareDead,
}

/// Runs the story of `seed`.
///
/// # Errors
/// The first [`Violation`].
pub fn run(seed: u64, sabotage: Option<Sabotage>) -> Result<Summary, Violation> {
    let mut dice = Dice::new(seed);
    let nodes = 3 + dice.below(5);
    let mood = Mood::new(&mut dice);
    let config = settings(&mut dice);
    let mut world = World::new(nodes, config, dice);
    world.checks = Some(Checks::default());
    world.saboteur = sabotage.map(Saboteur::new);
    world.network.capacity = world.dice.pick(&[4, 20, usize::MAX]);
    world.refusals_percent = world.dice.pick(&[0, 0, 2, 20]);
    for node in 0..nodes {
        let after = world.dice.millis(0, 2_000);
        world.later(after, Occurrence::Boot { node });
    }
    world.later(Duration::ZERO, Occurrence::Act);
    let end = world.now + world.dice.millis(5_000, 40_000);
    let mut actions = 0;
    while let Some(what) = world.next(end) {
        if matches!(what, Occurrence::Act) {
            actions += 1;
            let action = mood.choose(&mut world.dice);
            act(&mut world, &mood, action)?;
            let pause = world.dice.millis(1, 200);
            world.later(pause, Occurrence::Act);
        } else {
            world.happen(what)?;
        }
    }
    heal(&mut world)?;
    after_heal(&world.nodes)?;
    Ok(Summary { actions, frames: world.traffic.frames })
}

/// Everything that is broken is mended; then time enough passes for each healing rule to act.
fn heal(world: &mut World) -> Result<(), Violation> {
    world.refusals_percent = 0;
    world.network.capacity = usize::MAX;
    world.cut.clear();
    let count = world.nodes.len();
    // Without anti-entropy only a new session is sure to heal.
    let afresh = world.config.anti_entropy_interval.is_none();
    for one in 0..count {
        if world.nodes[one].power == Power::Off && world.dice.percent(80) {
            world.happen(Occurrence::Boot { node: one })?;
        }
        world.happen(Occurrence::ScopeStart { node: one })?;
        for other in 0..one {
            for (from, to) in [(one, other), (other, one)] {
                if world.nodes[to].sessions.contains_key(&from) {
                    world.network.lane(from, to).clear_at = world.now;
                }
            }
            if afresh {
                world.disconnect(one, other);
            }
            world.later(Duration::from_millis(400), Occurrence::Connect { one, other });
            world.later(Duration::from_secs(5), Occurrence::Connect { one, other });
        }
    }
    let round = world.config.anti_entropy_interval.unwrap_or_default() * count as u32;
    let end = world.now + Duration::from_secs(6) + round + 4 * world.config.protocol_timeout;
    world.run_until(end)
}

fn settings(dice: &mut Dice) -> Config {
    let millis = |dice: &mut Dice, choices: &[u64]| Duration::from_millis(dice.pick(choices));
    Config {
        protocol_timeout: millis(dice, &[300, 5_000]),
        anti_entropy_interval: dice.percent(70).then(|| millis(dice, &[500, 2_000, 5_000])),
        circuit_breaker_failures: dice.pick(&[1, 3]),
        circuit_breaker_reset_time: millis(dice, &[100, 10_000]),
        max_retries: dice.pick(&[0, 1, 3]),
        max_members_per_group: dice.percent(20).then_some(8),
        max_groups: dice.percent(20).then_some(3),
        ..Config::default()
    }
}

impl Mood {
    fn new(dice: &mut Dice) -> Self {
        use Action::*;
        let mut weights =
            vec![(30, Join), (15, Leave), (8, Exit), (5, Subscribe), (2, Unsubscribe)];
        let faults = [
            (6, Broadcast),
            (6, Disconnect),
            (3, Replace),
            (4, Stall),
            (2, Partition),
            (2, Kill),
            (3, RestartScope),
            (3, DeclareDead),
        ];
        weights.extend(faults.into_iter().filter(|_| dice.percent(60)));
        weights.push((4, Mend));
        let groups = 1 + dice.below(6);
        let groups = (0..groups).map(|n| format!("g{n}").parse().expect("a group name")).collect();
        Self { weights, groups }
    }

    fn choose(&self, dice: &mut Dice) -> Action {
        let total = self.weights.iter().map(|(weight, _)| weight).sum();
        let mut rest = dice.below(total);
        for (weight, action) in &self.weights {
            if rest < *weight {
                return *action;
            }
            rest -= weight;
        }
        Action::Join
    }

    /// One to four groups, of which some may be the same.
    fn some_groups(&self, dice: &mut Dice) -> Vec<GroupName> {
        let count = dice.pick(&[1, 1, 1, 2, 2, 4]);
        (0..count).map(|_| self.groups[dice.below(self.groups.len())].clone()).collect()
    }
}

fn act(world: &mut World, mood: &Mood, action: Action) -> Result<(), Violation> {
    let node = world.dice.below(world.nodes.len());
    let peer = world.dice.below(world.nodes.len());
    if world.nodes[node].power == Power::Off {
        return Ok(());
    }
    match action {
        Action::Join | Action::Leave | Action::Exit => return change(world, mood, action, node),
        Action::Subscribe | Action::Unsubscribe => subscribe(world, mood, action, node),
        Action::Broadcast => {
            let group = mood.some_groups(&mut world.dice).swap_remove(0);
            return world.broadcast(node, &group);
        }
        Action::Disconnect => {
            world.disconnect(node, peer);
            let after = world.dice.millis(0, 1_500);
            world.later(after, Occurrence::Connect { one: node, other: peer });
        }
        Action::Replace => {
            // A new session before anybody noticed the end of the old one.
            world.disconnect(node, peer);
            world.later(Duration::ZERO, Occurrence::Connect { one: node, other: peer });
        }
        Action::Stall => {
            let until = world.now + world.dice.millis(100, 8_000);
            let lane = world.network.lane(node, peer);
            lane.clear_at = lane.clear_at.max(until);
        }
        Action::Partition => partition(world),
        Action::Mend => mend(world),
        Action::Kill => {
            world.kill(node);
            let after = world.dice.millis(0, 5_000);
            world.later(after, Occurrence::Boot { node });
        }
        Action::RestartScope => {
            world.stop_scope(node)?;
            let after = world.dice.millis(0, 1_000);
            world.later(after, Occurrence::ScopeStart { node });
        }
        Action::DeclareDead => {
            let origin = world.nodes[peer].origin.clone();
            world.later(Duration::ZERO, Occurrence::Gone { node, origin });
        }
    }
    Ok(())
}

fn change(world: &mut World, mood: &Mood, action: Action, node: usize) -> Result<(), Violation> {
    let members = world.nodes[node].members();
    let fresh = members.is_empty() || matches!(action, Action::Join) && world.dice.percent(40);
    let member = match fresh {
        true => world.nodes[node].new_process(),
        false => members[world.dice.below(members.len())],
    };
    let groups = mood.some_groups(&mut world.dice);
    match action {
        Action::Join => world.join(node, member, &groups),
        Action::Leave => world.leave(node, member, &groups),
        _ => world.exit(node, member),
    }
}

fn subscribe(world: &mut World, mood: &Mood, action: Action, node: usize) {
    if let Action::Subscribe = action {
        let owner = world.nodes[node].new_process();
        let one = mood.some_groups(&mut world.dice).pop();
        let group = one.filter(|_| world.dice.percent(50));
        world.subscribe(node, owner, group);
    } else if let Some(subscriber) = world.nodes[node].subscribers.pop()
        && let Some(state) = &mut world.nodes[node].state
    {
        state.handle_unsubscribe(subscriber.id);
    }
}

/// Cuts the nodes into two halves that take each other for dead, or soon will.
fn partition(world: &mut World) {
    let count = world.nodes.len();
    let side: Vec<bool> = (0..count).map(|_| world.dice.percent(50)).collect();
    for one in 0..count {
        for other in 0..one {
            if side[one] != side[other] {
                world.cut.insert((other, one));
                world.disconnect(one, other);
                for (node, peer) in [(one, other), (other, one)] {
                    let origin = world.nodes[peer].origin.clone();
                    if world.dice.percent(60) {
                        let after = world.dice.millis(1_000, 5_000);
                        world.later(after, Occurrence::Gone { node, origin });
                    }
                }
            }
        }
    }
}

fn mend(world: &mut World) {
    for (one, other) in std::mem::take(&mut world.cut) {
        let after = world.dice.millis(0, 500);
        world.later(after, Occurrence::Connect { one, other });
    }
}
