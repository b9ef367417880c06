use std::sync::Arc;
use std::time::Duration;

use smol_str::SmolStr;

use super::{PeerId, State};
use crate::id::{GroupName, HostIndex, NodeName, Pid, Serial};
use crate::pg::digest::Digest;
use crate::pg::groups::Place;
use crate::pg::hosts::{BadHost, Hosts};
use crate::pg::message::{Body, Generation, MalformedFrame, Message, Step};
use crate::pg::peer::{Inbound, Peer, Presence, Session};
use crate::pg::watchers::Change;
use crate::value::Values;

/// A message of another node for this node's members of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Broadcast {
    /// The process that broadcasts.
    pub sender: Arc<Pid>,
    /// Which group.
    pub group: GroupName,
    /// The topic of the message.
    pub topic: SmolStr,
    /// The payload.
    pub values: Values,
}

/// Why a frame was refused as a whole. It is counted, and nothing else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes cannot be read: of no use to anybody.
    #[error(transparent)]
    Malformed(#[from] MalformedFrame),
    /// It says it is from another origin than the peer that sent it, or for another scope: it may
    /// be forged.
    #[error("the frame claims an origin that is not the peer's")]
    Foreign,
    /// The peer has no session: the frame belongs to one that is over.
    #[error("the peer has no session")]
    NoSession,
}

impl State {
    /// A frame came from the authenticated peer `from`. Answers the broadcast in it, if it is one.
    ///
    /// # Errors
    /// [`FrameError`], whatever the bytes are.
    pub fn handle_frame(
        &mut self,
        now: Duration,
        from: &NodeName,
        frame: &[u8],
    ) -> Result<Option<Broadcast>, FrameError> {
        let result = self.receive(now, from, frame);
        match result {
            Ok(_) => {}
            Err(FrameError::Malformed(_)) => self.stats.malformed_frames += 1,
            Err(FrameError::Foreign) => self.stats.foreign_frames += 1,
            Err(FrameError::NoSession) => self.stats.unknown_frames += 1,
        }
        result
    }

    fn receive(
        &mut self,
        now: Duration,
        from: &NodeName,
        frame: &[u8],
    ) -> Result<Option<Broadcast>, FrameError> {
        let message = Message::decode(frame)?;
        let id = *self.by_name.get(from).ok_or(FrameError::NoSession)?;
        let peer = self.peers.get_mut(&id).ok_or(FrameError::NoSession)?;
        if peer.session == Session::Down {
            return Err(FrameError::NoSession);
        }
        let known = peer.origin.incarnation;
        let same_names = message.node == from.as_str() && message.scope == self.scope.as_str();
        if !same_names || message.run.incarnation > known {
            return Err(FrameError::Foreign);
        }
        let generation = message.run.generation;
        let absent = message.body == Body::Absent;
        if message.run.incarnation < known || (generation < peer.held.generation && !absent) {
            self.stats.stale_frames += 1;
            return Ok(None);
        }
        self.last_activity = now;
        peer.presence = if absent { Presence::Absent } else { Presence::Present };
        self.obey(now, id, generation, message.body)
    }

    fn obey(
        &mut self,
        now: Duration,
        id: PeerId,
        generation: Generation,
        body: Body<'_>,
    ) -> Result<Option<Broadcast>, FrameError> {
        match body {
            Body::Discover { own, held } => {
                self.start_over(id);
                let current = held == Some((self.run, self.own));
                self.want(
                    id,
                    |wants| if current { wants.digest = true } else { wants.sync = true },
                );
                self.compare(now, id, generation, own);
            }
            Body::SyncRequest => self.want(id, |wants| wants.sync = true),
            Body::Digest(digest) => self.compare(now, id, generation, digest),
            Body::Absent => {
                self.settle(id);
                self.forget_members(id);
            }
            Body::Announce { from, hosts, steps } => {
                if self.is_next(now, id, generation, from) {
                    let hosts = self.learn(id, hosts.iter().copied())?;
                    self.apply_steps(now, id, &hosts, &steps);
                }
            }
            Body::Sync(chunk) => self.take_chunk(now, id, generation, &chunk)?,
            Body::Broadcast { group, topic, sender, host, values } => {
                self.stats.broadcasts_received += 1;
                return self.unpack(id, (group, topic, sender, host, values)).map(Some);
            }
        }
        Ok(None)
    }

    /// A peer that introduces itself will not go on with a sync that it had begun.
    fn start_over(&mut self, id: PeerId) {
        if let Some(Inbound::Awaiting(Some(_))) = self.peers.get(&id).map(|peer| &peer.inbound) {
            self.settle(id);
        }
    }

    /// Compares what a peer has with what is held of it, and asks for it where they differ.
    fn compare(&mut self, now: Duration, id: PeerId, generation: Generation, theirs: Digest) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let both_empty = theirs.slots == 0 && peer.held.digest.slots == 0;
        if both_empty {
            peer.held.generation = generation;
            peer.held.digest = theirs;
        }
        if peer.held.agrees(generation, &theirs) {
            self.settle(id);
        } else {
            self.request_sync(now, id);
        }
    }

    pub(super) fn request_sync(&mut self, now: Duration, id: PeerId) {
        let settled = |peer: &&Peer| matches!(peer.inbound, Inbound::Settled);
        if self.peers.get(&id).filter(settled).is_some() {
            self.ask(now, id, |wants| wants.sync_request = true);
        }
    }

    /// Whether an announcement that starts at `from` follows what is held of the peer.
    fn is_next(&mut self, now: Duration, id: PeerId, generation: Generation, from: u64) -> bool {
        let Some(peer) = self.peers.get_mut(&id) else { return false };
        if generation > peer.held.generation && from == 0 {
            self.forget_members(id);
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.held.generation = generation;
            }
            return true;
        }
        let held = &peer.held;
        if generation == held.generation && from == held.digest.version {
            return true;
        }
        if generation == held.generation && from < held.digest.version {
            self.stats.stale_frames += 1;
        } else {
            // Until the peer has answered it is no news that something is missing.
            self.stats.gaps += u64::from(matches!(peer.inbound, Inbound::Settled));
            self.request_sync(now, id);
        }
        false
    }

    fn apply_steps(&mut self, now: Duration, id: PeerId, hosts: &Hosts, steps: &[Step<'_>]) {
        let Some(origin) = self.peers.get(&id).map(|peer| peer.origin.clone()) else { return };
        let mut exact = true;
        for step in steps {
            for (name, times) in &step.groups {
                let Some(group) = self.group_name(name) else { continue };
                let changed = self.apply(id, step.change, step.member, &group, *times);
                exact &= changed == *times;
                if changed > 0 {
                    let members = [(step.member, changed)];
                    self.watchers.emit(step.change, &group, (&origin, hosts), members);
                }
            }
        }
        if let Some(peer) = self.peers.get_mut(&id) {
            peer.held.digest.version += steps.len() as u64;
        }
        if !exact {
            self.request_sync(now, id);
        }
    }

    /// Makes one change to a peer's members; answers how many slots came or went.
    fn apply(
        &mut self,
        id: PeerId,
        change: Change,
        member: Serial,
        group: &GroupName,
        times: u64,
    ) -> u64 {
        let Some(peer) = self.peers.get_mut(&id) else { return 0 };
        let place = Place::Peer(id);
        match change {
            Change::Joined => {
                let touched = self.view.groups.add(place, group, member, times);
                peer.held.digest.add(touched.slot_hash, times);
                if touched.place_rest == 0 {
                    peer.held.groups.insert(touched.group);
                }
                times
            }
            Change::Left => {
                let Some(touched) = self.view.groups.take(place, group, member, times) else {
                    return 0;
                };
                peer.held.digest.remove(touched.slot_hash, touched.times);
                if touched.place_rest == 0 {
                    peer.held.groups.remove(group);
                }
                touched.times
            }
        }
    }

    /// The message in a broadcast frame.
    fn unpack(
        &self,
        id: PeerId,
        body: (&str, &str, Serial, &str, &[u8]),
    ) -> Result<Broadcast, FrameError> {
        let (group, topic, serial, host, values) = body;
        let origin = self.peers.get(&id).ok_or(FrameError::NoSession)?.origin.clone();
        let host = host.parse().map_err(|_| MalformedFrame::Text)?;
        Ok(Broadcast {
            sender: Arc::new(Pid { origin, host, serial }),
            group: self.group_name(group).ok_or(MalformedFrame::Text)?,
            topic: topic.into(),
            values: Values::from_wire(values).map_err(|_| MalformedFrame::Payload)?,
        })
    }

    /// `name` as a group name, sharing the memory of the group's own one if the group exists.
    pub(super) fn group_name(&self, name: &str) -> Option<GroupName> {
        let known = self.view.groups.get(name).map(|group| group.name().clone());
        known.or_else(|| name.parse().ok())
    }

    /// Learns names of a peer's hosts; answers all that are known.
    pub(super) fn learn<'a>(
        &mut self,
        id: PeerId,
        named: impl Iterator<Item = (HostIndex, &'a str)>,
    ) -> Result<Hosts, FrameError> {
        let Some((_, hosts)) = self.view.peers.get(&id) else { return Ok(Hosts::default()) };
        let mut learned = hosts.clone();
        for (index, host) in named {
            learned.learn(index, host).map_err(|BadHost| MalformedFrame::Text)?;
        }
        if learned != *hosts
            && let Some((_, hosts)) = self.view.peers.get_mut(&id)
        {
            hosts.clone_from(&learned);
        }
        Ok(learned)
    }
}
