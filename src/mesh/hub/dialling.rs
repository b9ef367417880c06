//! When which member is dialled.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::peer::Dial;
use super::{Event, Hub};
use crate::id::NodeName;
use crate::mesh::dial::Failure;
use crate::wire::RetryAdvice;

/// Failed nodes whose addresses are tried again, at most.
const MAX_FAILED: usize = 1024;

impl Hub {
    /// Where to dial a node, if it is to be dialled: a member without a session, or one that failed
    /// not too long ago.
    fn target(&self, name: &NodeName) -> Option<(SocketAddr, Option<NodeName>)> {
        let peer = self.peers.get(name)?;
        if self.stopping.is_some() || peer.session.is_some() {
            return None;
        }
        if let Some(member) = self.membership.active(name) {
            return Some((member.addr, Some(name.clone())));
        }
        let (identity, since) = peer.failed.as_ref()?;
        if self.membership.is_at(identity.addr) {
            return None;
        }
        // Whoever is found there now is welcome.
        (since.elapsed() < self.shared.config.times.failed_memory).then_some((identity.addr, None))
    }

    /// Sees to it that a node without a session is dialled in good time.
    pub(super) fn consider_dial(&mut self, name: &NodeName) {
        if self.target(name).is_some() && self.peer(name).dial == Dial::Idle {
            let random = self.random();
            let wait = self.peer(name).backoff.next(random);
            self.dial_after(name, wait);
        }
    }

    pub(super) fn dial_after(&mut self, name: &NodeName, wait: Duration) {
        let peer = self.peer(name);
        peer.numbers += 1;
        let number = peer.numbers;
        peer.dial = Dial::Waiting(number);
        self.after(wait, Event::DialDue(name.clone(), number));
    }

    /// There is news of where a node is: no waiting.
    pub(super) fn poke(&mut self, name: &NodeName) {
        let peer = self.peer(name);
        if peer.session.is_none() && peer.dial != Dial::Trying {
            peer.backoff.restart();
            self.dial_after(name, Duration::ZERO);
        }
    }

    pub(super) fn dial_due(&mut self, name: &NodeName, number: u64) {
        if self.peers.get(name).is_none_or(|peer| peer.dial != Dial::Waiting(number)) {
            return;
        }
        self.peer(name).dial = Dial::Idle;
        match self.target(name) {
            Some((addr, expected)) => self.dial_now(name, addr, expected),
            None => self.forget_if_blank(name),
        }
    }

    pub(super) fn dial_now(
        &mut self,
        name: &NodeName,
        addr: SocketAddr,
        expected: Option<NodeName>,
    ) {
        let peer = self.peer(name);
        if peer.dial == Dial::Trying {
            return;
        }
        peer.dial = Dial::Trying;
        let lost = peer.pair.lost();
        let dialler = self.dialler.clone();
        let name = name.clone();
        tokio::spawn(async move {
            let outcome = dialler.dial(addr, expected, lost).await.map(|_| ());
            let _ = dialler.events.send(Event::Dialled(name, outcome)).await;
        });
    }

    pub(super) fn dialled(&mut self, name: &NodeName, outcome: Result<(), Failure>) {
        let random = self.random();
        let peer = self.peer(name);
        peer.dial = Dial::Idle;
        let Err(failure) = outcome else {
            self.consider_dial(name);
            return;
        };
        self.shared.counters.dials_failed.add(1);
        if self.target(name).is_none() {
            self.forget_if_blank(name);
            return;
        }
        let reason = failure.ending.to_string();
        if self.shared.complaints.note(format!("node {name}"), &reason) {
            tracing::warn!(peer = %name, %reason, "cannot connect");
        }
        let peer = self.peer(name);
        let wait = match failure.advice() {
            RetryAdvice::Soon => peer.backoff.next(random),
            RetryAdvice::Slow | RetryAdvice::Never => peer.backoff.next_slow(random),
        };
        self.dial_after(name, wait);
    }

    /// Drops what is kept of a node that is nobody any more.
    pub(super) fn forget_if_blank(&mut self, name: &NodeName) {
        let memory = self.shared.config.times.failed_memory;
        let Some(peer) = self.peers.get_mut(name) else { return };
        if peer.failed.as_ref().is_some_and(|(_, since)| since.elapsed() >= memory) {
            peer.failed = None;
        }
        if peer.session.is_none() && self.membership.active(name).is_none() {
            self.shared.complaints.clear(&format!("node {name}"));
        }
        if peer.is_blank() && self.membership.known(name).is_none() {
            self.peers.remove(name);
        }
        self.limit_failed();
    }

    /// Keeps the most recent failures only.
    fn limit_failed(&mut self) {
        let failed = |(name, peer): (&NodeName, &super::Peer)| {
            peer.failed.as_ref().map(|(_, since)| (*since, name.clone()))
        };
        let mut all: Vec<(Instant, NodeName)> = self.peers.iter().filter_map(failed).collect();
        if all.len() > MAX_FAILED {
            all.sort();
            for (_, name) in all.drain(..1) {
                self.peer(&name).failed = None;
            }
        }
    }
}
