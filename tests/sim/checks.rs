//! What must hold at every moment, and what must hold once all is healed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use moonmesh::id::{Origin, Serial};
use moonmesh::pg::message::{Generation, Run};
use moonmesh::pg::{Digest, State, Totals, View};
use moonmesh::value::Values;

use crate::node::{Memberships, Node, Power, picture};

/// A rule was broken on a node.
#[derive(Debug, Clone)]
pub struct Violation {
    node: usize,
    what: String,
}

/// Remembers the past of every scope, so that what others hold of it can be looked up.
#[derive(Default)]
pub struct Checks {
    /// By node and run: the memberships at each version.
    past: HashMap<(usize, Run), BTreeMap<u64, Memberships>>,
    heard: BTreeSet<(usize, String)>,
    /// By node: what it looked like when it was last checked.
    seen: HashMap<usize, Look>,
    skipped: usize,
}

/// What changes whenever a view does, if all is well.
#[derive(PartialEq)]
struct Look {
    generation: u64,
    own: Digest,
    held: Vec<Option<(Run, Digest)>>,
    totals: (Totals, Totals),
    subscribers: usize,
}

/// Slots of each member of each group.
type Listed<'a> = BTreeMap<(&'a str, Serial), u64>;

impl Violation {
    pub fn new(node: usize, what: impl Into<String>) -> Self {
        Self { node, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node n{}: {}", self.node, self.what)
    }
}

impl Checks {
    /// After every step of `node`: it lists just its own members; what it lists of a peer is what
    /// that peer had at the version that it holds; it lists nobody else; and every subscriber's
    /// snapshot and events add up to what it lists.
    pub fn after_step(&mut self, node: usize, nodes: &[Node]) -> Result<(), Violation> {
        let Some(state) = &nodes[node].state else { return Ok(()) };
        if self.looks_the_same(node, nodes, state) {
            return Ok(());
        }
        let origin = &nodes[node].origin;
        let generation = Generation(nodes[node].generation);
        let run = Run { incarnation: origin.incarnation, generation };
        let past = self.past.entry((node, run)).or_default();
        past.entry(state.digest().version).or_insert_with(|| nodes[node].joined.clone());
        let mut listed = by_origin(state.view());
        if !same(&listed.remove(&**origin).unwrap_or_default(), &nodes[node].joined) {
            return Err(Violation::new(node, "its own members are not what was joined"));
        }
        for (index, peer) in nodes.iter().enumerate().filter(|(index, _)| *index != node) {
            let Some((run, digest)) = state.held(&peer.name) else { continue };
            let origin = Origin { node: peer.name.clone(), incarnation: run.incarnation };
            let found = listed.remove(&origin).unwrap_or_default();
            let past = self.past.get(&(index, run));
            let exact = match past.and_then(|past| past.get(&digest.version)) {
                Some(expected) => same(&found, expected),
                None => found.is_empty(),
            };
            if !exact {
                let what = format!("version {} of {origin} was something else", digest.version);
                return Err(Violation::new(node, what));
            }
        }
        if let Some((ghost, _)) = listed.pop_first() {
            return Err(Violation::new(node, format!("lists members of {ghost}, who is no peer")));
        }
        replays_match(node, &nodes[node])
    }

    /// Whether nothing has changed since the last look. Now and then the answer is no in any case.
    fn looks_the_same(&mut self, node: usize, nodes: &[Node], state: &State) -> bool {
        let look = Look {
            generation: nodes[node].generation,
            own: state.digest(),
            held: nodes.iter().map(|peer| state.held(&peer.name)).collect(),
            totals: (state.view().local_totals(), state.view().remote_totals()),
            subscribers: nodes[node].subscribers.len(),
        };
        let same = self.seen.get(&node) == Some(&look);
        self.seen.insert(node, look);
        self.skipped = if same { self.skipped + 1 } else { 0 };
        same && !self.skipped.is_multiple_of(32)
    }

    /// A broadcast arrived: not for the second time.
    pub fn heard(&mut self, node: usize, values: &Values) -> Result<(), Violation> {
        if self.heard.insert((node, format!("{values:?}"))) {
            return Ok(());
        }
        Err(Violation::new(node, "heard a broadcast twice"))
    }
}

/// Once all is healed: every running node lists just what all running nodes have joined.
pub fn after_heal(nodes: &[Node]) -> Result<(), Violation> {
    let running = |node: &&Node| node.power == Power::On && node.state.is_some();
    for (index, node) in nodes.iter().enumerate() {
        let Some(state) = &node.state else { continue };
        let mut listed = by_origin(state.view());
        for peer in nodes.iter().filter(running) {
            if !same(&listed.remove(&*peer.origin).unwrap_or_default(), &peer.joined) {
                let what = format!("its view of {} is not exact after the heal", peer.origin);
                return Err(Violation::new(index, what));
            }
        }
        if let Some((ghost, _)) = listed.pop_first() {
            return Err(Violation::new(index, format!("lists members of {ghost} after the heal")));
        }
    }
    Ok(())
}

fn by_origin(view: &View) -> BTreeMap<&Origin, Listed<'_>> {
    let mut listed: BTreeMap<&Origin, Listed<'_>> = BTreeMap::new();
    for group in view.groups() {
        for (member, times) in view.members(group.as_str()) {
            let place = listed.entry(member.origin).or_default();
            *place.entry((group.as_str(), member.serial)).or_default() += times;
        }
    }
    listed
}

fn same(listed: &Listed<'_>, joined: &Memberships) -> bool {
    let joined = joined.iter().map(|((group, member), times)| (group.as_str(), *member, *times));
    joined.eq(listed.iter().map(|((group, member), times)| (*group, *member, *times)))
}

fn replays_match(index: usize, node: &Node) -> Result<(), Violation> {
    let Some(state) = &node.state else { return Ok(()) };
    for subscriber in &node.subscribers {
        if subscriber.picture != picture(state.view(), subscriber.group.as_ref()) {
            let what = format!("snapshot and events of {:?} do not add up", subscriber.id);
            return Err(Violation::new(index, what));
        }
    }
    Ok(())
}
