//! Virtual time: what happens when, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use moonmesh::id::{GroupName, Origin, Serial};
use moonmesh::pg::message::{BroadcastFrame, Frame, answer_for_absent_scope};
use moonmesh::pg::{Config, Outcome, Reach, State};
use moonmesh::value::Values;

use crate::checks::{Checks, Violation};
use crate::dice::Dice;
use crate::network::Network;
use crate::node::{Node, Power, Subscriber, picture};
use crate::sabotage::Saboteur;

/// Some nodes, the network between them and everything that is yet to happen.
pub struct World {
    pub now: Duration,
    pub dice: Dice,
    pub nodes: Vec<Node>,
    pub network: Network,
    pub config: Config,
    /// Sends of a hundred that a link refuses for no reason.
    pub refusals_percent: usize,
    /// Between whom there can be no session.
    pub cut: BTreeSet<(usize, usize)>,
    pub checks: Option<Checks>,
    pub saboteur: Option<Saboteur>,
    pub traffic: Traffic,
    queue: BTreeMap<(Duration, u64), Occurrence>,
    last_entry: u64,
    last_broadcast: i64,
}

/// Frames taken over by links so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub frames: u64,
    pub bytes: u64,
}

/// Something that happens at one time.
pub enum Occurrence {
    /// A frame arrives, if its session still lasts.
    Arrival { from: usize, to: usize, session: u64, frame: Frame },
    /// One side of a session learns of it.
    Up { node: usize, peer: usize, session: u64 },
    /// One side of a session learns of its end.
    Down { node: usize, peer: usize, session: u64 },
    /// Two nodes try to connect.
    Connect { one: usize, other: usize },
    /// A node is told that another one is dead.
    Gone { node: usize, origin: Arc<Origin> },
    /// A deadline of a scope.
    Wake { node: usize },
    /// A node starts.
    Boot { node: usize },
    /// A stopped scope starts again.
    ScopeStart { node: usize },
    /// The next random action.
    Act,
}

impl World {
    pub fn new(nodes: usize, config: Config, dice: Dice) -> Self {
        Self {
            now: Duration::from_secs(1),
            dice,
            nodes: (0..nodes).map(Node::new).collect(),
            network: Network::new(nodes, usize::MAX),
            config,
            refusals_percent: 0,
            cut: BTreeSet::new(),
            checks: None,
            saboteur: None,
            traffic: Traffic::default(),
            queue: BTreeMap::new(),
            last_entry: 0,
            last_broadcast: 0,
        }
    }

    /// Lets `what` happen `after` from now.
    pub fn later(&mut self, after: Duration, what: Occurrence) {
        self.last_entry += 1;
        self.queue.insert((self.now + after, self.last_entry), what);
    }

    /// The next occurrence up to `end`, with the time moved on to it; at `end` there is none.
    pub fn next(&mut self, end: Duration) -> Option<Occurrence> {
        let entry = self.queue.first_entry().filter(|entry| entry.key().0 <= end);
        let Some(entry) = entry else {
            self.now = end;
            return None;
        };
        self.now = entry.key().0;
        Some(entry.remove())
    }

    /// Lets everything but random actions happen up to `end`.
    pub fn run_until(&mut self, end: Duration) -> Result<(), Violation> {
        while let Some(what) = self.next(end) {
            self.happen(what)?;
        }
        Ok(())
    }

    /// Carries out one occurrence and all that follows at once.
    pub fn happen(&mut self, what: Occurrence) -> Result<(), Violation> {
        match what {
            Occurrence::Arrival { from, to, session, frame } => {
                return self.arrive(from, to, session, &frame);
            }
            Occurrence::Up { node, peer, session } => return self.up(node, peer, session),
            Occurrence::Down { node, peer, session } => self.down(node, peer, session),
            Occurrence::Connect { one, other } => self.connect(one, other),
            Occurrence::Gone { node, origin } => return self.gone(node, &origin),
            Occurrence::Wake { node } => {
                self.nodes[node].armed = None;
                return self.step(node, |state, now, random| state.handle_timeout(now, random));
            }
            Occurrence::Boot { node } => return self.boot(node),
            Occurrence::ScopeStart { node } => return self.start_scope(node),
            Occurrence::Act => {}
        }
        Ok(())
    }

    /// One input to the scope of `node`, and all that follows from it.
    pub fn step(
        &mut self,
        node: usize,
        input: impl FnOnce(&mut State, Duration, u64),
    ) -> Result<(), Violation> {
        let random = self.dice.roll();
        if let Some(state) = &mut self.nodes[node].state {
            input(state, self.now, random);
        }
        self.drain(node)
    }

    /// `member` of `node` joins `groups`.
    pub fn join(
        &mut self,
        node: usize,
        member: Serial,
        groups: &[GroupName],
    ) -> Result<(), Violation> {
        let now = self.now;
        let target = &mut self.nodes[node];
        target.name_host(member);
        let Some(state) = &mut target.state else { return Ok(()) };
        if state.handle_join(now, member, groups).is_ok() {
            for group in groups {
                *target.joined.entry((group.clone(), member)).or_default() += 1;
            }
        }
        self.drain(node)
    }

    /// `member` of `node` leaves `groups`.
    pub fn leave(
        &mut self,
        node: usize,
        member: Serial,
        groups: &[GroupName],
    ) -> Result<(), Violation> {
        let now = self.now;
        let target = &mut self.nodes[node];
        let Some(state) = &mut target.state else { return Ok(()) };
        let left = state.handle_leave(now, member, groups).is_ok();
        let mut was_member = false;
        for group in groups {
            if let Some(times) = target.joined.get_mut(&(group.clone(), member)) {
                was_member |= *times > 0;
                *times = times.saturating_sub(1);
            }
        }
        target.joined.retain(|_, times| *times > 0);
        if left != was_member {
            return Err(Violation::new(node, "a leave gave the wrong answer"));
        }
        self.drain(node)
    }

    /// `member` of `node` ends, whether its scope runs or not.
    pub fn exit(&mut self, node: usize, member: Serial) -> Result<(), Violation> {
        let target = &mut self.nodes[node];
        target.joined.retain(|(_, known), _| *known != member);
        target.retained.remove(member);
        target.subscribers.retain(|subscriber| subscriber.owner != member);
        if let Some(state) = &mut target.state {
            state.handle_exit(member);
        }
        self.drain(node)
    }

    /// `owner` of `node` subscribes to one group, or to all.
    pub fn subscribe(&mut self, node: usize, owner: Serial, group: Option<GroupName>) {
        let target = &mut self.nodes[node];
        let Some(state) = &mut target.state else { return };
        let id = match &group {
            Some(group) => state.handle_monitor(owner, group.clone()),
            None => state.handle_events(owner),
        };
        let picture = picture(state.view(), group.as_ref());
        target.subscribers.push(Subscriber { id, owner, group, picture });
    }

    /// A process of `node` broadcasts to `group`.
    pub fn broadcast(&mut self, node: usize, group: &GroupName) -> Result<(), Violation> {
        self.last_broadcast += 1;
        let values = Values::int(self.last_broadcast);
        let now = self.now;
        let Some(state) = &mut self.nodes[node].state else { return Ok(()) };
        let recipients = state.handle_broadcast(now, group.as_str(), Reach::Cluster);
        let host = "app:host0".parse().expect("a host id");
        let frame = state.envelope().broadcast(&BroadcastFrame {
            group: group.as_str(),
            topic: "sim",
            sender: Serial(0),
            host: &host,
            values: &values,
        });
        for target in recipients.remote {
            let outcome = self.transmit(node, target.to.as_str(), frame.clone());
            let random = self.dice.roll();
            if let Some(state) = &mut self.nodes[node].state {
                state.handle_sent(now, target.ticket, outcome, random);
            }
        }
        self.drain(node)
    }

    /// Ends the session of two nodes, if they have one; each may learn of it or not.
    pub fn disconnect(&mut self, one: usize, other: usize) {
        let session = self.network.close(one, other);
        if session != 0 {
            for (node, peer) in [(one, other), (other, one)] {
                if self.dice.percent(80) {
                    let after = self.dice.millis(0, 30);
                    self.later(after, Occurrence::Down { node, peer, session });
                }
            }
        }
    }

    /// The node is gone without a word.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].power = Power::Off;
        self.nodes[node].state = None;
        for peer in 0..self.nodes.len() {
            self.disconnect(node, peer);
            let origin = self.nodes[node].origin.clone();
            let after = self.dice.millis(500, 4_000);
            self.later(after, Occurrence::Gone { node: peer, origin });
        }
    }

    /// The scope of `node` stops; its processes live on.
    pub fn stop_scope(&mut self, node: usize) -> Result<(), Violation> {
        self.step(node, |state, _, _| state.handle_stop())?;
        let target = &mut self.nodes[node];
        if let Some(state) = target.state.take() {
            target.retained = state.retain();
        }
        target.subscribers.clear();
        Ok(())
    }

    fn boot(&mut self, node: usize) -> Result<(), Violation> {
        if self.nodes[node].power == Power::On {
            return Ok(());
        }
        self.nodes[node].boot();
        for peer in 0..self.nodes.len() {
            let after = self.dice.millis(0, 300);
            self.later(after, Occurrence::Connect { one: node, other: peer });
        }
        self.start_scope(node)
    }

    fn start_scope(&mut self, node: usize) -> Result<(), Violation> {
        let seed = self.dice.roll();
        let target = &mut self.nodes[node];
        if target.power == Power::Off || target.state.is_some() {
            return Ok(());
        }
        target.start_scope(self.config.clone(), seed, self.now);
        self.drain(node)
    }

    fn connect(&mut self, one: usize, other: usize) {
        let on = |node: &Node| node.power == Power::On;
        let able = one != other && on(&self.nodes[one]) && on(&self.nodes[other]);
        let pair = (one.min(other), one.max(other));
        if !able || self.cut.contains(&pair) || self.network.session(one, other) != 0 {
            return;
        }
        let delay = self.dice.millis(0, 5);
        let session = self.network.open(one, other, delay, self.now);
        for (node, peer) in [(one, other), (other, one)] {
            let after = self.dice.millis(0, 10);
            self.later(after, Occurrence::Up { node, peer, session });
            self.network.lane(peer, node).clear_at = self.now + after;
        }
    }

    fn up(&mut self, node: usize, peer: usize, session: u64) -> Result<(), Violation> {
        if self.network.session(node, peer) != session {
            return Ok(());
        }
        let origin = self.nodes[peer].origin.clone();
        self.nodes[node].sessions.insert(peer, (session, origin.clone()));
        self.step(node, |state, now, _| state.handle_session_up(now, origin))?;
        self.haunt(node, peer)
    }

    fn down(&mut self, node: usize, peer: usize, session: u64) {
        let target = &mut self.nodes[node];
        if target.sessions.get(&peer).is_some_and(|(known, _)| *known == session)
            && let Some((_, origin)) = target.sessions.remove(&peer)
            && let Some(state) = &mut target.state
        {
            state.handle_session_down(&origin);
        }
    }

    fn gone(&mut self, node: usize, origin: &Origin) -> Result<(), Violation> {
        let Some(peer) = self.nodes.iter().position(|known| known.name == origin.node) else {
            return Ok(());
        };
        let held = self.nodes[node].sessions.get(&peer).cloned();
        if let Some((session, known)) = held.filter(|(_, known)| **known == *origin) {
            debug_assert_eq!(*known, *origin);
            if self.network.session(node, peer) == session {
                self.disconnect(node, peer);
                let after = self.dice.millis(100, 2_000);
                self.later(after, Occurrence::Connect { one: node, other: peer });
            }
            self.down(node, peer, session);
        }
        self.step(node, |state, _, _| state.handle_node_gone(origin))
    }

    fn arrive(
        &mut self,
        from: usize,
        to: usize,
        session: u64,
        frame: &Frame,
    ) -> Result<(), Violation> {
        if self.network.session(from, to) != session {
            return Ok(());
        }
        self.network.lane(from, to).in_flight -= 1;
        if self.nodes[to].state.is_none() {
            if let Some(answer) = answer_for_absent_scope(frame, &self.nodes[to].origin) {
                let name = self.nodes[from].name.clone();
                self.transmit(to, name.as_str(), answer);
            }
            return Ok(());
        }
        self.read(from, to, frame)
    }

    /// The scope of `to` reads a frame.
    pub fn read(&mut self, from: usize, to: usize, frame: &Frame) -> Result<(), Violation> {
        let name = self.nodes[from].name.clone();
        let now = self.now;
        let Some(state) = &mut self.nodes[to].state else { return Ok(()) };
        let spoiled = self.saboteur.as_mut().and_then(|saboteur| saboteur.spoil(frame, state));
        let frame = spoiled.as_ref().unwrap_or(frame);
        match state.handle_frame(now, &name, frame) {
            Ok(Some(broadcast)) => {
                self.checks.as_mut().map_or(Ok(()), |checks| checks.heard(to, &broadcast.values))?
            }
            Ok(None) => {}
            Err(error) => return Err(Violation::new(to, format!("a frame was refused: {error}"))),
        }
        self.drain(to)
    }

    /// Lets a saboteur replay what it kept of an earlier run of `peer`.
    fn haunt(&mut self, node: usize, peer: usize) -> Result<(), Violation> {
        let (target, origin) = (&self.nodes[node], &self.nodes[peer].origin);
        let Some(state) = &target.state else { return Ok(()) };
        match self.saboteur.as_ref().and_then(|saboteur| saboteur.ghost(origin, state)) {
            Some(frame) => self.read(peer, node, &frame),
            None => Ok(()),
        }
    }

    /// Carries out what the scope of `node` asks for, then looks whether all is as it should be.
    fn drain(&mut self, node: usize) -> Result<(), Violation> {
        let now = self.now;
        while let Some(event) = self.nodes[node].state.as_mut().and_then(State::poll_event) {
            self.nodes[node].carry(&event);
        }
        loop {
            let random = self.dice.roll();
            let Some(state) = &mut self.nodes[node].state else { break };
            let Some(transmit) = state.poll_send(now, random) else { break };
            let outcome = self.transmit(node, transmit.to.as_str(), transmit.frame);
            if let Some(state) = &mut self.nodes[node].state {
                state.handle_sent(now, transmit.ticket, outcome, random);
            }
        }
        self.arm(node);
        match &mut self.checks {
            Some(checks) => checks.after_step(node, &self.nodes),
            None => Ok(()),
        }
    }

    fn arm(&mut self, node: usize) {
        let target = &mut self.nodes[node];
        let Some(deadline) = target.state.as_ref().and_then(State::next_deadline) else { return };
        if target.armed.is_none_or(|armed| deadline < armed) {
            target.armed = Some(deadline);
            let after = deadline.saturating_sub(self.now);
            self.later(after, Occurrence::Wake { node });
        }
    }

    fn transmit(&mut self, from: usize, to: &str, frame: Frame) -> Outcome {
        let index = to.strip_prefix('n').and_then(|index| index.parse::<usize>().ok());
        let to = index.expect("the name of a node");
        let session = self.network.session(from, to);
        let known = self.nodes[from].sessions.get(&to).is_some_and(|(known, _)| *known == session);
        if session == 0 || !known || self.dice.percent(self.refusals_percent) {
            return Outcome::Refused;
        }
        let jitter = self.dice.millis(0, 2);
        let Some(arrival) = self.network.accept(from, to, jitter, self.now) else {
            return Outcome::Refused;
        };
        self.traffic.frames += 1;
        self.traffic.bytes += frame.len() as u64;
        if let Some(saboteur) = &mut self.saboteur {
            saboteur.watch(&frame);
        }
        let after = arrival - self.now;
        self.later(after, Occurrence::Arrival { from, to, session, frame });
        Outcome::Accepted
    }
}
