use std::time::Duration;

use super::{PeerId, State};
use crate::id::NodeName;
use crate::pg::breaker::backoff;
use crate::pg::message::{Body, Frame, SyncChunks};
use crate::pg::peer::{Inbound, Outbound, Presence, Session, Wants};
use crate::pg::timers::Timer;

/// A frame to send now. The outcome has to be told with [`State::handle_sent`] before the next
/// poll.
#[derive(Clone, Debug)]
pub struct Transmit {
    /// The node to send it to.
    pub to: NodeName,
    /// What to send.
    pub frame: Frame,
    /// To tell the outcome with.
    pub ticket: Ticket,
}

/// Which send an outcome belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    peer: PeerId,
    purpose: Purpose,
}

/// What the link to a peer did with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It took it over.
    Accepted,
    /// It refused it: no link, or no room.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Steps from this version on.
    Announce { from: u64 },
    /// A message to members.
    Broadcast,
    /// Discover, digest, sync and their requests: what heals. The breaker does not hold it up.
    Recovery,
}

impl Ticket {
    pub(super) fn broadcast(peer: PeerId) -> Self {
        Self { peer, purpose: Purpose::Broadcast }
    }
}

impl State {
    /// The next frame to send. Announcements come in the order of the steps, and before anything
    /// that speaks of the state which they led to.
    pub fn poll_send(&mut self, now: Duration, random: u64) -> Option<Transmit> {
        loop {
            while let Some(transmit) = self.outbox.pop_front() {
                if self.admit(now, random, transmit.ticket) {
                    self.stats.frames_sent += 1;
                    self.stats.bytes_sent += transmit.frame.len() as u64;
                    return Some(transmit);
                }
            }
            if self.flushed < self.own.version {
                self.flush();
            } else if let Some(id) = self.wanting.pop_front() {
                self.produce(id);
            } else {
                return None;
            }
        }
    }

    /// What became of a frame from [`State::poll_send`] or of a broadcast to one of
    /// [`super::Recipients::remote`].
    pub fn handle_sent(&mut self, now: Duration, ticket: Ticket, outcome: Outcome, random: u64) {
        let Ticket { peer: id, purpose } = ticket;
        let Some(peer) = self.peers.get_mut(&id) else { return };
        match outcome {
            Outcome::Accepted => {
                self.last_activity = now;
                match purpose {
                    Purpose::Recovery => {}
                    Purpose::Broadcast => peer.breaker.succeeded(),
                    Purpose::Announce { .. } => {
                        peer.breaker.succeeded();
                        peer.attempts = 0;
                    }
                }
            }
            Outcome::Refused => {
                self.stats.breaker_trips += u64::from(peer.breaker.failed(now, &self.config));
                match purpose {
                    Purpose::Announce { from } => self.announcement_failed(now, random, id, from),
                    Purpose::Broadcast => self.stats.broadcasts_failed += 1,
                    Purpose::Recovery => self.recovery_failed(now, id),
                }
            }
        }
    }

    /// Hands all announcements that a peer has not had to it, unless it waits for a retry.
    pub(super) fn announce_to(&mut self, id: PeerId) {
        let version = self.own.version;
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if peer.told == version || peer.outbound == Outbound::Retrying || !peer.listens() {
            return;
        }
        let from = std::mem::replace(&mut peer.told, version);
        if peer.wants.sync {
            return;
        }
        let Some(announcements) = self.announcer.since(from, version) else {
            self.stats.retry_drops += u64::from(peer.attempts > 0);
            self.want(id, |wants| wants.digest = true);
            return;
        };
        self.outbox.extend(announcements.map(|announcement| Transmit {
            to: peer.origin.node.clone(),
            frame: announcement.frame.clone(),
            ticket: Ticket { peer: id, purpose: Purpose::Announce { from: announcement.from } },
        }));
    }

    /// Makes sure that what `change` asks for goes out to the peer with the next polls.
    pub(super) fn want(&mut self, id: PeerId, change: impl FnOnce(&mut Wants)) {
        if let Some(peer) = self.peers.get_mut(&id).filter(|peer| peer.session == Session::Up) {
            if peer.wants == Wants::default() {
                self.wanting.push_back(id);
            }
            change(&mut peer.wants);
        }
    }

    /// Whether a frame may go out now; if not, it is dealt with as a failed one.
    fn admit(&mut self, now: Duration, random: u64, ticket: Ticket) -> bool {
        let Some(peer) = self.peers.get_mut(&ticket.peer) else { return false };
        match ticket.purpose {
            Purpose::Announce { .. } if peer.outbound == Outbound::Retrying => false,
            Purpose::Announce { from } if !peer.breaker.admit(now) => {
                self.announcement_failed(now, random, ticket.peer, from);
                false
            }
            _ => peer.session == Session::Up,
        }
    }

    fn flush(&mut self) {
        self.close_announcement(self.own.version);
        self.flushed = self.own.version;
        let ids: Vec<PeerId> = self.peers.keys().copied().collect();
        for id in ids {
            self.announce_to(id);
        }
    }

    fn announcement_failed(&mut self, now: Duration, random: u64, id: PeerId, from: u64) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if peer.outbound == Outbound::NeedsSync {
            return;
        }
        peer.attempts += 1;
        if peer.attempts > self.config.max_retries {
            peer.outbound = Outbound::NeedsSync;
            peer.attempts = 0;
            self.stats.retry_giveups += 1;
            return;
        }
        // What comes after the failed one in the outbox is dropped there: see `admit`.
        peer.outbound = Outbound::Retrying;
        peer.told = from;
        let delay = backoff(&self.config, peer.attempts, random);
        self.timers.set(Timer::Retry(id), now + delay);
    }

    /// The rest of a sync of which one part failed would only be thrown away by the receiver.
    fn recovery_failed(&mut self, now: Duration, id: PeerId) {
        let recovery = Ticket { peer: id, purpose: Purpose::Recovery };
        let before = self.outbox.len();
        self.outbox.retain(|transmit| transmit.ticket != recovery);
        let Some(peer) = self.peers.get_mut(&id) else { return };
        if self.outbox.len() < before {
            peer.outbound = Outbound::NeedsSync;
        }
        if matches!(peer.inbound, Inbound::Awaiting(_)) {
            self.timers.set(Timer::Answer(id), now + self.config.retry_max_delay);
        }
    }

    /// Encodes what a peer is to be sent apart from announcements.
    fn produce(&mut self, id: PeerId) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let wants = std::mem::take(&mut peer.wants);
        let to = peer.origin.node.clone();
        let mut frames = Vec::new();
        if wants.absent {
            frames.push(self.envelope.frame(&Body::Absent));
        }
        if wants.discover {
            let held = (peer.presence == Presence::Present).then(|| peer.known());
            frames.push(self.envelope.frame(&Body::Discover { own: self.own, held }));
        }
        if wants.sync_request {
            frames.push(self.envelope.frame(&Body::SyncRequest));
        }
        if wants.sync {
            peer.outbound = Outbound::InOrder;
            peer.attempts = 0;
            peer.told = self.own.version;
            self.timers.clear(Timer::Retry(id));
            self.stats.syncs_sent += 1;
            frames.extend_from_slice(self.full_state());
        } else if wants.digest {
            frames.push(self.envelope.frame(&Body::Digest(self.own)));
        }
        let ticket = Ticket { peer: id, purpose: Purpose::Recovery };
        self.outbox.extend(frames.into_iter().map(|frame| Transmit {
            to: to.clone(),
            frame,
            ticket,
        }));
    }

    /// The own state as frames, encoded once for all peers that ask while it does not change.
    fn full_state(&mut self) -> &[Frame] {
        let version = self.own.version;
        let (known, frames) = &mut self.encoded_state;
        if *known != Some(version) {
            let mut chunks = SyncChunks::new();
            for group in self.joined.groups() {
                if let Some(members) = self.view.local(group.as_str()) {
                    chunks.group(group.as_str(), members.iter());
                }
            }
            let hosts = &self.view.hosts;
            let host = |index| hosts.get(index).map_or("", |id| id.as_str());
            *frames = chunks.finish(&self.envelope, version, host);
            *known = Some(version);
        }
        frames
    }
}
