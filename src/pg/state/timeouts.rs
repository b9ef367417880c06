use std::ops::Bound;
use std::time::Duration;

use super::{PeerId, State};
use crate::pg::digest::mix;
use crate::pg::peer::Outbound;
use crate::pg::timers::Timer;

impl State {
    /// Does whatever was due at `now`; early and late calls are harmless.
    pub fn handle_timeout(&mut self, now: Duration, random: u64) {
        while let Some(timer) = self.timers.pop(now) {
            match timer {
                Timer::AntiEntropy => self.reconcile_next(now),
                Timer::Discovery => self.discover_next(now, mix(random)),
                Timer::Retry(id) => self.retry(id),
                Timer::Answer(id) => self.ask_again(now, id),
            }
        }
    }

    /// Sends a digest to the next peer in the round.
    fn reconcile_next(&mut self, now: Duration) {
        if let Some(interval) = self.config.anti_entropy_interval {
            self.timers.set(Timer::AntiEntropy, now + interval);
        }
        self.encoded_state = (None, Vec::new());
        let after = self.reconciled.map_or(Bound::Unbounded, Bound::Excluded);
        let round = self.peers.range((after, Bound::Unbounded)).chain(self.peers.iter());
        let next = round.into_iter().find(|(_, peer)| peer.listens()).map(|(id, _)| *id);
        if let Some(id) = next {
            self.reconciled = Some(id);
            self.want(id, |wants| wants.digest = true);
        }
    }

    fn retry(&mut self, id: PeerId) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if peer.outbound != Outbound::Retrying {
            return;
        }
        peer.outbound = Outbound::InOrder;
        let attempt = match peer.attempts {
            1 => 0,
            2 | 3 => 1,
            _ => 2,
        };
        if let Some(count) = self.stats.retries.get_mut(attempt) {
            *count += 1;
        }
        self.close_announcement(self.own.version);
        self.announce_to(id);
    }

    /// A peer that was asked for its state has not sent it, or not gone on sending it.
    fn ask_again(&mut self, now: Duration, id: PeerId) {
        let Some(peer) = self.peers.get(&id) else { return };
        if peer.listens() {
            self.ask(now, id, |wants| wants.discover = true);
        } else {
            self.settle(id);
        }
    }
}
