use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

use super::broadcast::Addressed;
use super::error::ScopeError;
use super::event;
use super::health::Health;
use super::operation::{Answer, Operation, Reply, Subscribed};
use super::shared::Shared;
use crate::id::Serial;
use crate::pg::{Outcome, Reach, State, SubscriptionId};
use crate::process::Feed;
use crate::value::Values;

/// A scope that runs: the rulebook, and where its events go. Only ever touched inside the serial
/// section of its scope.
pub(super) struct Run {
    pub(super) state: State,
    feeds: FxHashMap<SubscriptionId, Arc<Feed>>,
    random: SmallRng,
    /// Events that subscribers lost because they were too slow.
    pub(super) events_dropped: u64,
}

impl Run {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            feeds: FxHashMap::default(),
            random: SmallRng::seed_from_u64(rand::random()),
            events_dropped: 0,
        }
    }

    pub(super) fn random(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// Does what a process asks for. Whether that changed the view is for the caller to know: see
    /// [`Operation`].
    pub(super) fn carry_out(
        &mut self,
        shared: &Shared,
        now: Duration,
        caller: Serial,
        operation: Operation,
    ) -> Reply {
        match operation {
            Operation::Join(groups) => {
                self.learn_host(shared, caller)?;
                self.state.handle_join(now, caller, &groups)?;
                Ok(Answer::Changed)
            }
            Operation::Leave(groups) => {
                self.state.handle_leave(now, caller, &groups)?;
                Ok(Answer::Changed)
            }
            Operation::Monitor(group) => {
                let id = self.state.handle_monitor(caller, group);
                Ok(Answer::Subscribed(self.subscribe(shared, caller, id)))
            }
            Operation::Events => {
                let id = self.state.handle_events(caller);
                Ok(Answer::Subscribed(self.subscribe(shared, caller, id)))
            }
            Operation::Broadcast(group, reach) => {
                Ok(Answer::Addressed(self.address(now, group.as_str(), reach)))
            }
        }
    }

    /// Ends one subscription.
    pub(super) fn unsubscribe(&mut self, id: SubscriptionId) {
        self.state.handle_unsubscribe(id);
        if let Some(feed) = self.feeds.remove(&id) {
            feed.close();
        }
    }

    /// Takes a process that has ended out of everything.
    pub(super) fn process_exited(&mut self, process: Serial) {
        for id in self.state.handle_exit(process) {
            self.feeds.remove(&id);
        }
    }

    /// Sends what the last step left to be sent: events first, then frames.
    pub(super) fn settle(&mut self, shared: &Shared, now: Duration) {
        while let Some(event) = self.state.poll_event() {
            let mut usual: Option<Values> = None;
            for id in &event.to {
                let Some(feed) = self.feeds.get(id) else { continue };
                let fitted = feed.push(|dropped| match dropped {
                    0 => usual.get_or_insert_with(|| event::encode(&event, 0)).clone(),
                    _ => event::encode(&event, dropped),
                });
                self.events_dropped += u64::from(!fitted && !feed.is_closed());
            }
        }
        loop {
            let random = self.random();
            let Some(transmit) = self.state.poll_send(now, random) else { break };
            let outcome = match shared.send(&transmit.to, transmit.frame) {
                Ok(()) => Outcome::Accepted,
                Err(_) => Outcome::Refused,
            };
            let random = self.random();
            self.state.handle_sent(now, transmit.ticket, outcome, random);
        }
    }

    /// Ends all subscriptions; their channels close.
    pub(super) fn close_feeds(&mut self) {
        self.feeds.drain().for_each(|(_, feed)| feed.close());
    }

    pub(super) fn traffic_health(&self, now: Duration, silence: Duration) -> Health {
        let quiet = now.saturating_sub(self.state.last_activity());
        let expects_traffic = self.state.config().anti_entropy_interval.is_some()
            && self.state.present_peers().next().is_some();
        if expects_traffic && quiet > silence { Health::Silent(quiet) } else { Health::Good }
    }

    fn learn_host(&mut self, shared: &Shared, process: Serial) -> Result<(), ScopeError> {
        if !self.state.knows_host(process) {
            let index = process.host_index();
            let host = shared.runtime.hosts().get(index).ok_or(ScopeError::CallerGone)?;
            self.state.learn_host(index, &host.id);
        }
        Ok(())
    }

    fn subscribe(&mut self, shared: &Shared, owner: Serial, id: SubscriptionId) -> Subscribed {
        let feed = Feed::new(&shared.runtime, owner, self.state.config().monitor_buffer);
        self.feeds.insert(id, feed.clone());
        Subscribed { id, feed, view: self.state.view().clone() }
    }

    fn address(&mut self, now: Duration, group: &str, reach: Reach) -> Addressed {
        let recipients = self.state.handle_broadcast(now, group, reach);
        let is_remote = !recipients.remote.is_empty();
        Addressed { recipients, envelope: is_remote.then(|| self.state.envelope().clone()) }
    }
}
