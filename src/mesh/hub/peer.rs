use tokio::time::Instant;

use crate::id::Incarnation;
use crate::mesh::handler::MemberEvent;
use crate::mesh::shared::ConnectionId;
use crate::wire::{Backoff, BackoffRule, Follower, Generation, Identity, Judge};

/// What the hub keeps of one other node, alive or not.
pub(super) struct Peer {
    /// Which of several connections lives.
    pub(super) pair: Pair,
    /// The run of the peer that `pair` is about.
    pub(super) run: Option<Incarnation>,
    /// The connection in use.
    pub(super) session: Option<ConnectionId>,
    /// Connections of a later run, which wait for the present one to answer or not.
    pub(super) challengers: Vec<ConnectionId>,
    /// The number of the ping that is under way, if one is.
    pub(super) asking: Option<u64>,
    /// The last number given to a ping or a timer.
    pub(super) numbers: u64,
    /// The leave that is announced once the peer's last frames are handled.
    pub(super) departing: Option<MemberEvent>,
    /// The failure that others tell of while the session looks sound: the peer is asked first.
    pub(super) contested: Option<MemberEvent>,
    /// Where the node was before it failed, to find it again after a partition.
    pub(super) failed: Option<(Identity, Instant)>,
    /// How the peer is dialled.
    pub(super) dial: Dial,
    /// The waits between dials.
    pub(super) backoff: Backoff,
}

/// This node's part in the pair.
pub(super) enum Pair {
    /// It decides.
    Judge(Judge<ConnectionId>),
    /// It is told.
    Follower(Follower<ConnectionId>),
}

/// The dialling of one peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dial {
    /// Nothing is to be done.
    Idle,
    /// The timer of this number is running.
    Waiting(u64),
    /// A dial is under way.
    Trying,
}

impl Peer {
    pub(super) fn new(is_judge: bool, rule: BackoffRule) -> Self {
        Self {
            pair: Pair::new(is_judge),
            run: None,
            session: None,
            challengers: Vec::new(),
            asking: None,
            numbers: 0,
            departing: None,
            contested: None,
            failed: None,
            dial: Dial::Idle,
            backoff: Backoff::new(rule),
        }
    }

    /// Whether nothing would be lost with this entry.
    pub(super) fn is_blank(&self) -> bool {
        self.session.is_none()
            && self.challengers.is_empty()
            && self.departing.is_none()
            && self.failed.is_none()
            && self.dial == Dial::Idle
    }
}

impl Pair {
    pub(super) fn new(is_judge: bool) -> Self {
        if is_judge { Pair::Judge(Judge::default()) } else { Pair::Follower(Follower::default()) }
    }

    /// The same part in a pair with another run.
    pub(super) fn afresh(&self) -> Self {
        Self::new(matches!(self, Pair::Judge(_)))
    }

    /// What to say in the next hello.
    pub(super) fn lost(&self) -> Generation {
        match self {
            Pair::Judge(_) => Generation(0),
            Pair::Follower(follower) => follower.lost(),
        }
    }
}
