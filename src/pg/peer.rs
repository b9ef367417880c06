use std::sync::Arc;

use rustc_hash::{FxHashSetSeed, FxSeededState};

use super::breaker::Breaker;
use super::digest::Digest;
use super::message::{Generation, NamedHosts, Run, SyncChunk};
use crate::id::{EntryId, GroupName, HostIndex, Origin, Serial};

/// What a scope knows about one other node.
pub(super) struct Peer {
    /// The run of the node that it knows.
    pub(super) origin: Arc<Origin>,
    pub(super) session: Session,
    pub(super) presence: Presence,
    pub(super) held: Held,
    pub(super) inbound: Inbound,
    pub(super) outbound: Outbound,
    /// The version of the own state up to which announcements were sent, or need not be.
    pub(super) told: u64,
    /// Failed tries to announce what comes after `told`.
    pub(super) attempts: u32,
    pub(super) breaker: Breaker,
    pub(super) wants: Wants,
}

/// Whether frames can be exchanged with a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    Up,
    Down,
}

/// Whether a peer runs the scope, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Unknown,
    Present,
    Absent,
}

/// What is known of a peer's local membership; the members themselves are in the view.
pub(super) struct Held {
    pub(super) generation: Generation,
    pub(super) digest: Digest,
    /// The groups that it has members in.
    pub(super) groups: FxHashSetSeed<GroupName>,
}

/// Whether the peer owes an answer to a discover or sync request.
pub(super) enum Inbound {
    Settled,
    /// It does, and may have sent a part of it.
    Awaiting(Option<Box<Assembly>>),
}

/// Where announcements to a peer stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outbound {
    /// They are sent as they come.
    InOrder,
    /// The last one failed; those from `told` on wait for a timer.
    Retrying,
    /// Retries were given up. What is sent now makes the peer notice a gap and ask for a sync.
    NeedsSync,
}

/// What is to be sent to a peer, apart from announcements, when the outbox is asked next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) discover: bool,
    pub(super) sync_request: bool,
    pub(super) sync: bool,
    pub(super) digest: bool,
    pub(super) absent: bool,
}

/// The parts of a sync that have come so far.
pub(super) struct Assembly {
    generation: Generation,
    version: u64,
    total: u32,
    next: u32,
    hosts: Vec<(HostIndex, EntryId)>,
    groups: Vec<(GroupName, Vec<(Serial, u64)>)>,
}

/// A full local state of a peer.
pub(super) struct FullState {
    pub(super) version: u64,
    pub(super) hosts: Vec<(HostIndex, EntryId)>,
    pub(super) groups: Vec<(GroupName, Vec<(Serial, u64)>)>,
}

/// What a part of a sync led to.
pub(super) enum Progress {
    /// More parts are to come.
    Partial(Box<Assembly>),
    /// That was the last one.
    Complete(FullState),
    /// It does not follow the parts before it, or is not well-formed.
    Broken,
}

impl Peer {
    pub(super) fn new(origin: Arc<Origin>, hasher: FxSeededState) -> Self {
        Self {
            origin,
            session: Session::Down,
            presence: Presence::Unknown,
            held: Held::new(hasher),
            inbound: Inbound::Settled,
            outbound: Outbound::InOrder,
            told: 0,
            attempts: 0,
            breaker: Breaker::default(),
            wants: Wants::default(),
        }
    }

    /// What is held of it.
    pub(super) fn known(&self) -> (Run, Digest) {
        let run = Run { incarnation: self.origin.incarnation, generation: self.held.generation };
        (run, self.held.digest)
    }

    /// Whether frames of this scope should be sent to it.
    pub(super) fn listens(&self) -> bool {
        self.session == Session::Up && self.presence != Presence::Absent
    }
}

impl Held {
    pub(super) fn new(hasher: FxSeededState) -> Self {
        Self {
            generation: Generation::default(),
            digest: Digest::default(),
            groups: FxHashSetSeed::with_hasher(hasher),
        }
    }

    /// Whether a peer whose state is `digest` in `generation` has just what is held of it.
    pub(super) fn agrees(&self, generation: Generation, digest: &Digest) -> bool {
        self.generation == generation && self.digest == *digest
    }
}

impl Assembly {
    /// Adds `chunk` to what has come so far.
    pub(super) fn extend(
        before: Option<Box<Self>>,
        generation: Generation,
        chunk: &SyncChunk<'_>,
    ) -> Progress {
        let fresh = || Self {
            generation,
            version: chunk.version,
            total: chunk.total,
            next: 0,
            hosts: Vec::new(),
            groups: Vec::new(),
        };
        let mut assembly = match before {
            _ if chunk.index == 0 => Box::new(fresh()),
            Some(assembly) if assembly.expects(generation, chunk) => assembly,
            _ => return Progress::Broken,
        };
        if assembly.take(chunk).is_none() {
            return Progress::Broken;
        }
        if assembly.next < assembly.total {
            return Progress::Partial(assembly);
        }
        let Self { version, hosts, groups, .. } = *assembly;
        Progress::Complete(FullState { version, hosts, groups })
    }

    fn expects(&self, generation: Generation, chunk: &SyncChunk<'_>) -> bool {
        let same = (self.generation, self.version, self.total);
        same == (generation, chunk.version, chunk.total) && chunk.index == self.next
    }

    fn take(&mut self, chunk: &SyncChunk<'_>) -> Option<()> {
        self.next += 1;
        self.learn(&chunk.hosts)?;
        for (name, members) in &chunk.groups {
            match self.groups.last_mut() {
                Some((last, list)) if last.as_str() == *name => {
                    let ascending = list.last()?.0 < members.first()?.0;
                    ascending.then(|| list.extend_from_slice(members))?;
                }
                _ => self.groups.push((name.parse().ok()?, members.clone())),
            }
        }
        Some(())
    }

    fn learn(&mut self, hosts: &NamedHosts<'_>) -> Option<()> {
        for (index, id) in hosts {
            if !self.hosts.iter().any(|(known, host)| known == index && host.as_str() == *id) {
                self.hosts.push((*index, id.parse().ok()?));
            }
        }
        Some(())
    }
}
