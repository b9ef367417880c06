use std::sync::Arc;

use imbl::OrdMap;
use rustc_hash::FxSeededState;

use super::groups::{Group, Groups, PeerId, Totals};
use super::hosts::Hosts;
use super::members::Members;
use crate::id::{EntryId, GroupName, Origin, Pid, Serial};

/// Who is in which group, as one node sees the cluster at one point of its serial order.
///
/// Cloning is a handful of reference counts, whatever the number of members; the clone never
/// changes. Iteration orders are stable between two views with no change in between.
#[derive(Clone)]
pub struct View {
    pub(super) origin: Arc<Origin>,
    pub(super) hosts: Hosts,
    pub(super) groups: Groups,
    pub(super) peers: OrdMap<PeerId, (Arc<Origin>, Hosts)>,
}

/// One member of a group, before it is made into a [`Pid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member<'a> {
    /// The node that the process runs on.
    pub origin: &'a Arc<Origin>,
    /// The process host that it runs on.
    pub host: &'a EntryId,
    /// Which process.
    pub serial: Serial,
}

impl Member<'_> {
    /// The member's address.
    pub fn to_pid(self) -> Pid {
        Pid { origin: self.origin.clone(), host: self.host.clone(), serial: self.serial }
    }
}

impl View {
    pub(super) fn new(origin: Arc<Origin>, hasher: FxSeededState) -> Self {
        Self { origin, hosts: Hosts::default(), groups: Groups::new(hasher), peers: OrdMap::new() }
    }

    /// The node that this is the view of.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// How many groups have a member anywhere.
    pub fn group_count(&self) -> u64 {
        self.groups.len()
    }

    /// Numbers of this node's own members.
    pub fn local_totals(&self) -> Totals {
        self.groups.here()
    }

    /// Numbers of all other nodes' members.
    pub fn remote_totals(&self) -> Totals {
        self.groups.elsewhere()
    }

    /// Every group with a member anywhere.
    pub fn groups(&self) -> impl Iterator<Item = &GroupName> {
        self.groups.iter().map(Group::name)
    }

    /// Every group with a member on this node.
    pub fn local_groups(&self) -> impl Iterator<Item = &GroupName> {
        self.groups.iter().filter(|group| !group.here().is_empty()).map(Group::name)
    }

    /// The member slots of `group` on all nodes.
    pub fn slots(&self, group: &str) -> u64 {
        self.groups.get(group).map_or(0, Group::slots)
    }

    /// All members of `group` with how often each joined: this node's first, then node by node.
    pub fn members(&self, group: &str) -> impl Iterator<Item = (Member<'_>, u64)> {
        let remote = self.groups.get(group).into_iter().flat_map(Group::elsewhere);
        let remote = remote.filter_map(|(peer, members)| {
            let (origin, hosts) = self.peers.get(&peer)?;
            Some(named(origin, hosts, members.iter()))
        });
        self.local_members(group).chain(remote.flatten())
    }

    /// This node's members of `group` with how often each joined.
    pub fn local_members(&self, group: &str) -> impl Iterator<Item = (Member<'_>, u64)> {
        let here = self.local(group).into_iter();
        here.flat_map(|members| named(&self.origin, &self.hosts, members.iter()))
    }

    /// This node's members of `group`, if it has any.
    pub fn local(&self, group: &str) -> Option<&Members> {
        self.groups.get(group).map(Group::here).filter(|here| !here.is_empty())
    }
}

/// Gives members of one node their addresses. Every host of a member was named before it joined.
pub(super) fn named<'a>(
    origin: &'a Arc<Origin>,
    hosts: &'a Hosts,
    members: impl Iterator<Item = (Serial, u64)>,
) -> impl Iterator<Item = (Member<'a>, u64)> {
    members.filter_map(|(serial, times)| {
        let host = hosts.get(serial.host_index())?;
        Some((Member { origin, host, serial }, times))
    })
}
