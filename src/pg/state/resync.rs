use std::time::Duration;

use rustc_hash::FxHashSetSeed;

use super::{FrameError, PeerId, State};
use crate::id::{GroupName, Serial};
use crate::pg::digest::{Digest, name_hash, slot_hash};
use crate::pg::groups::Place;
use crate::pg::members::{Difference, Members};
use crate::pg::message::{Generation, MalformedFrame, SyncChunk};
use crate::pg::peer::{Assembly, FullState, Held, Inbound, Progress};
use crate::pg::timers::Timer;
use crate::pg::watchers::Change;

impl State {
    /// A part of a peer's full state came. The last one puts all of it into force.
    pub(super) fn take_chunk(
        &mut self,
        now: Duration,
        id: PeerId,
        generation: Generation,
        chunk: &SyncChunk<'_>,
    ) -> Result<(), FrameError> {
        let Some(peer) = self.peers.get_mut(&id) else { return Ok(()) };
        let before = match std::mem::replace(&mut peer.inbound, Inbound::Awaiting(None)) {
            Inbound::Awaiting(before) => before,
            Inbound::Settled => None,
        };
        self.timers.set(Timer::Answer(id), now + self.config.protocol_timeout);
        match Assembly::extend(before, generation, chunk) {
            Progress::Broken => Err(MalformedFrame::List.into()),
            Progress::Partial(assembly) => {
                peer.inbound = Inbound::Awaiting(Some(assembly));
                Ok(())
            }
            Progress::Complete(state) => {
                self.settle(id);
                self.switch_over(id, generation, state)
            }
        }
    }

    /// Puts a peer's full state in the stead of what is held of it: one step, in which just the
    /// differences become events.
    fn switch_over(
        &mut self,
        id: PeerId,
        generation: Generation,
        state: FullState,
    ) -> Result<(), FrameError> {
        let Some(peer) = self.peers.get_mut(&id) else { return Ok(()) };
        let held = &peer.held;
        if generation == held.generation && state.version < held.digest.version {
            self.stats.stale_frames += 1;
            return Ok(());
        }
        let names = self.distinct(&state.groups)?;
        self.learn(id, state.hosts.iter().map(|(index, id)| (*index, id.as_str())))?;
        let new = Held {
            generation,
            digest: Digest { version: state.version, ..Digest::default() },
            groups: names,
        };
        let Some(peer) = self.peers.get_mut(&id) else { return Ok(()) };
        let old = std::mem::replace(&mut peer.held, new);
        let mut changed = false;
        for group in old.groups {
            if !self.holds(id, &group) {
                changed |= self.replace(id, &group, Members::default());
            }
        }
        for (group, members) in state.groups {
            self.count_in(id, &group, &members);
            changed |= self.replace(id, &group, members.into_iter().collect());
        }
        self.observe_sync(id, changed);
        Ok(())
    }

    /// The names in a full state, none of which may come twice.
    fn distinct<T>(
        &self,
        groups: &[(GroupName, T)],
    ) -> Result<FxHashSetSeed<GroupName>, FrameError> {
        let mut names = FxHashSetSeed::with_hasher(self.hasher.clone());
        for (name, _) in groups {
            if !names.insert(self.group_name(name.as_str()).unwrap_or_else(|| name.clone())) {
                return Err(MalformedFrame::List.into());
            }
        }
        Ok(names)
    }

    fn holds(&self, id: PeerId, group: &GroupName) -> bool {
        self.peers.get(&id).is_some_and(|peer| peer.held.groups.contains(group))
    }

    fn count_in(&mut self, id: PeerId, group: &GroupName, members: &[(Serial, u64)]) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let hash = name_hash(group.as_str());
        for (member, times) in members {
            peer.held.digest.add(slot_hash(hash, *member), *times);
        }
    }

    /// Replaces a peer's members of one group; answers whether that changed anything.
    fn replace(&mut self, id: PeerId, group: &GroupName, new: Members) -> bool {
        let old = self.view.groups.replace(Place::Peer(id), group, new.clone());
        if !self.watchers.want(group) {
            return old != new;
        }
        let Some((origin, hosts)) = self.view.peers.get(&id) else { return false };
        let difference = Difference::between(&old, &new);
        let changed = !(difference.left.is_empty() && difference.joined.is_empty());
        self.watchers.emit(Change::Left, group, (origin, hosts), difference.left);
        self.watchers.emit(Change::Joined, group, (origin, hosts), difference.joined);
        changed
    }

    fn observe_sync(&mut self, id: PeerId, changed: bool) {
        let slots = self.peers.get(&id).map_or(0, |peer| peer.held.digest.slots);
        self.stats.sync_slots.observe(slots);
        if changed {
            self.stats.syncs_changed += 1;
        } else {
            self.stats.syncs_same += 1;
        }
    }
}
