use std::collections::VecDeque;

use smallvec::SmallVec;

use super::hosts::Hosts;
use super::message::{CHUNK_BYTES, Envelope, Frame, MAX_STEP_BYTES, put_step};
use super::watchers::Change;
use crate::id::{HostIndex, Serial};

/// Turns the steps of the local membership into announcements, and keeps the last ones so that a
/// peer whose link failed for a moment can be told again.
pub(super) struct Announcer {
    steps: Vec<u8>,
    count: u64,
    hosts: SmallVec<[HostIndex; 2]>,
    log: VecDeque<Announcement>,
    log_bytes: usize,
}

/// One encoded announcement.
#[derive(Clone, Debug)]
pub(super) struct Announcement {
    /// The version before its first step.
    pub(super) from: u64,
    /// The version after its last step.
    pub(super) to: u64,
    pub(super) frame: Frame,
}

/// Whether a step can be told to peers as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It waits for the next flush.
    Recorded,
    /// It is too large for an announcement: peers have to fetch the state that it led to.
    TooLarge,
}

impl Announcer {
    /// Most bytes of announcements to keep for retries. Under churn that outruns it, a peer is
    /// healed by a sync instead.
    const LOG_BYTES: usize = 1024 * 1024;

    pub(super) fn new() -> Self {
        Self {
            steps: Vec::new(),
            count: 0,
            hosts: SmallVec::new(),
            log: VecDeque::new(),
            log_bytes: 0,
        }
    }

    /// Records a step that has just been made.
    pub(super) fn record<'a>(
        &mut self,
        change: Change,
        member: Serial,
        groups: impl ExactSizeIterator<Item = (&'a str, u64)>,
    ) -> Fit {
        let before = self.steps.len();
        put_step(&mut self.steps, change, member, groups.len(), groups);
        if self.steps.len() - before > MAX_STEP_BYTES {
            self.steps.truncate(before);
            return Fit::TooLarge;
        }
        self.count += 1;
        if !self.hosts.contains(&member.host_index()) {
            self.hosts.push(member.host_index());
        }
        Fit::Recorded
    }

    /// Whether the recorded steps should become an announcement before more are recorded.
    pub(super) fn is_full(&self) -> bool {
        self.steps.len() >= CHUNK_BYTES
    }

    /// Makes the recorded steps, of which the last led to version `to`, one announcement.
    pub(super) fn close(&mut self, envelope: &Envelope, hosts: &Hosts, to: u64) {
        if self.count == 0 {
            return;
        }
        let from = to - self.count;
        let named = self.hosts.iter().map(|index| (*index, hosts.get(*index)));
        let named: SmallVec<[(HostIndex, &str); 2]> =
            named.filter_map(|(index, id)| Some((index, id?.as_str()))).collect();
        let frame = envelope.announce(from, named.into_iter(), self.count, &self.steps);
        self.log_bytes += frame.len();
        self.log.push_back(Announcement { from, to, frame });
        self.discard();
        while self.log_bytes > Self::LOG_BYTES && self.log.len() > 1 {
            self.log_bytes -= self.log.pop_front().map_or(0, |old| old.frame.len());
        }
    }

    /// Forgets the recorded steps.
    pub(super) fn discard(&mut self) {
        self.steps.clear();
        self.count = 0;
        self.hosts.clear();
    }

    /// Forgets everything: nobody is there to be told.
    pub(super) fn reset(&mut self) {
        self.discard();
        self.log.clear();
        self.log_bytes = 0;
    }

    /// The announcements that lead from `version` to `to`, if they are all still there.
    pub(super) fn since(
        &self,
        version: u64,
        to: u64,
    ) -> Option<impl Iterator<Item = &Announcement> + use<'_>> {
        let first = self.log.partition_point(|known| known.from < version);
        let mut expected = version;
        for known in self.log.iter().skip(first) {
            if known.from != expected {
                return None;
            }
            expected = known.to;
        }
        (expected == to).then(|| self.log.iter().skip(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Incarnation;
    use crate::pg::message::{Body, Generation, Message, Run};

    fn envelope() -> Envelope {
        let run = Run { incarnation: Incarnation(7), generation: Generation(1) };
        Envelope::new(&"app:pg".parse().unwrap(), &"n1".parse().unwrap(), run)
    }

    #[test]
    fn several_steps_travel_in_one_frame() {
        let mut hosts = Hosts::default();
        hosts.learn(HostIndex(0), "app:procs").unwrap();
        let mut announcer = Announcer::new();
        announcer.record(Change::Joined, Serial(1), [("a", 2), ("b", 1)].into_iter());
        announcer.record(Change::Left, Serial(1), [("a", 1)].into_iter());
        announcer.close(&envelope(), &hosts, 12);
        let [announcement] = &announcer.since(10, 12).unwrap().cloned().collect::<Vec<_>>()[..]
        else {
            panic!("one announcement")
        };
        let message = Message::decode(&announcement.frame).unwrap();
        let Body::Announce { from, hosts, steps } = message.body else { panic!("an announcement") };
        assert_eq!((from, hosts.as_slice()), (10, &[(HostIndex(0), "app:procs")][..]));
        assert_eq!(steps[0].groups.as_slice(), [("a", 2), ("b", 1)]);
        assert_eq!((steps[1].change, steps[1].member), (Change::Left, Serial(1)));
    }

    #[test]
    fn the_log_answers_only_for_what_it_has() {
        let hosts = Hosts::default();
        let mut announcer = Announcer::new();
        for version in [1, 2, 3, 5] {
            announcer.record(Change::Joined, Serial(1), [("a", 1)].into_iter());
            announcer.close(&envelope(), &hosts, version);
        }
        let count = |from, to| announcer.since(from, to).map(Iterator::count);
        assert_eq!(count(4, 5), Some(1));
        assert_eq!(count(5, 5), Some(0));
        assert_eq!(count(0, 5), None, "the step to 4 was too large");
        assert_eq!(count(4, 6), None, "the step to 6 was too large");
    }

    #[test]
    fn a_huge_step_is_not_recorded() {
        let name = "x".repeat(1000);
        let mut announcer = Announcer::new();
        let groups = vec![(name.as_str(), 1); 300];
        let fit = announcer.record(Change::Joined, Serial(1), groups.into_iter());
        assert_eq!(fit, Fit::TooLarge);
    }
}
