use std::time::Duration;

use super::{Config, Origin, State, start};
use crate::id::NodeName;
use crate::pg::state::Outcome;

/// Some states whose frames are carried at once, or refused, or lost.
pub(super) struct Net {
    pub(super) nodes: Vec<State>,
    pub(super) now: Duration,
    /// What happens to a frame from one node to another.
    link: Box<Rule>,
    /// Frames carried so far: from, to, kind.
    pub(super) carried: Vec<(String, String, u8)>,
}

type Rule = dyn Fn(&str, &str) -> Link;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Link {
    Carries,
    /// Takes frames over and drops them.
    Loses,
    Refuses,
}

impl Net {
    /// `count` nodes called `a`, `b`, ... without sessions.
    pub(super) fn new(count: usize, config: &Config) -> Self {
        let node = |n| start(super::origin(&name(n), 1), 1, Config::clone(config));
        Self {
            nodes: (0..count).map(node).collect(),
            now: Duration::from_secs(1),
            link: Box::new(|_, _| Link::Carries),
            carried: Vec::new(),
        }
    }

    /// The same with a session between any two, settled.
    pub(super) fn connected(count: usize, config: &Config) -> Self {
        let mut net = Self::new(count, config);
        for one in 0..count {
            for other in 0..one {
                net.connect(one, other);
            }
        }
        net.settle();
        net
    }

    pub(super) fn connect(&mut self, one: usize, other: usize) {
        let (left, right) = (self.origin(one), self.origin(other));
        self.nodes[one].handle_session_up(self.now, right);
        self.nodes[other].handle_session_up(self.now, left);
    }

    pub(super) fn origin(&self, node: usize) -> std::sync::Arc<Origin> {
        self.nodes[node].view().origin().clone()
    }

    pub(super) fn link(&mut self, link: impl Fn(&str, &str) -> Link + 'static) {
        self.link = Box::new(link);
    }

    /// Carries frames until there are none.
    pub(super) fn settle(&mut self) {
        while (0..self.nodes.len()).any(|node| self.send(node)) {}
    }

    /// Lets time pass in steps of a tenth of a second.
    pub(super) fn pass(&mut self, seconds: f64) {
        let end = self.now + Duration::from_secs_f64(seconds);
        while self.now < end {
            self.now += Duration::from_millis(100);
            for node in &mut self.nodes {
                node.handle_timeout(self.now, u64::MAX);
            }
            self.settle();
        }
    }

    /// Frames of `kind` carried since the last call.
    pub(super) fn count(&mut self, kind: u8) -> usize {
        std::mem::take(&mut self.carried).iter().filter(|(_, _, found)| *found == kind).count()
    }

    fn send(&mut self, node: usize) -> bool {
        let from = self.origin(node).node.clone();
        let Some(transmit) = self.nodes[node].poll_send(self.now, u64::MAX) else { return false };
        let link = (self.link)(from.as_str(), transmit.to.as_str());
        let outcome = if link == Link::Refuses { Outcome::Refused } else { Outcome::Accepted };
        self.nodes[node].handle_sent(self.now, transmit.ticket, outcome, u64::MAX);
        if link == Link::Carries {
            let kind = transmit.frame[1];
            self.carried.push((from.to_string(), transmit.to.to_string(), kind));
            self.receive(&from, &transmit.to, &transmit.frame);
        }
        true
    }

    fn receive(&mut self, from: &NodeName, to: &NodeName, frame: &[u8]) {
        let now = self.now;
        let target = self.nodes.iter_mut().find(|node| node.view().origin().node == *to);
        target.unwrap().handle_frame(now, from, frame).unwrap();
    }
}

pub(super) fn name(node: usize) -> String {
    char::from(b'a' + node as u8).to_string()
}
