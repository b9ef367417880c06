use super::State;
use super::local::Counted;
use crate::id::Serial;
use crate::pg::hosts::Hosts;

/// What the processes of this node had joined when a scope stopped. A later start takes it over,
/// so that no process believes to be a member of what forgot it (report R07).
#[derive(Default)]
pub struct Retained {
    hosts: Hosts,
    members: Vec<(Serial, Counted)>,
}

impl Retained {
    /// The processes that are members of something, in no order.
    pub fn members(&self) -> impl Iterator<Item = Serial> + '_ {
        self.members.iter().map(|(member, _)| *member)
    }

    /// Forgets a process that ended while no scope ran.
    pub fn remove(&mut self, member: Serial) {
        self.members.retain(|(known, _)| *known != member);
    }
}

impl State {
    /// The memberships of this node, for a later start of the scope.
    pub fn retain(&self) -> Retained {
        let members = self.joined.iter().map(|(member, groups)| {
            let counted = groups.into_iter().map(|group| {
                let times = self.view.local(group.as_str()).map_or(0, |here| here.times(member));
                (group, times)
            });
            (member, counted.collect())
        });
        Retained { hosts: self.view.hosts.clone(), members: members.collect() }
    }

    /// Takes over what an earlier start retained, without regard to limits. Only for a state that
    /// has not started: peers get it with the first sync.
    pub fn restore(&mut self, retained: Retained) {
        self.view.hosts = retained.hosts;
        for (member, groups) in retained.members {
            self.add(member, &groups);
        }
    }
}
