use std::sync::Arc;

use parking_lot::Mutex;

use super::broadcast::Addressed;
use super::error::ScopeError;
use super::queue::Place;
use crate::id::{GroupName, Serial};
use crate::pg::{Reach, SubscriptionId, View};
use crate::process::{Feed, Ticket};

/// What a process asks of a scope.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Join all of these groups, or none.
    Join(Vec<GroupName>),
    /// Leave those of these groups that it is in.
    Leave(Vec<GroupName>),
    /// Watch one group.
    Monitor(GroupName),
    /// Watch all groups.
    Events,
    /// Find out who a broadcast goes to.
    Broadcast(GroupName, Reach),
}

impl Operation {
    /// The name in metrics and logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Join(_) => "join",
            Self::Leave(_) => "leave",
            Self::Monitor(_) => "monitor",
            Self::Events => "events",
            Self::Broadcast(..) => "broadcast",
        }
    }
}

/// What came of an operation.
pub enum Answer {
    /// The memberships changed.
    Changed,
    /// A subscription began.
    Subscribed(Subscribed),
    /// Who a broadcast goes to.
    Addressed(Addressed),
}

/// A subscription, with the picture that its events start from.
pub struct Subscribed {
    /// Its number, to end it with.
    pub id: SubscriptionId,
    /// Where its events come from.
    pub feed: Arc<Feed>,
    /// Who was in which group when it began.
    pub view: View,
}

/// How an operation ended.
pub type Reply = Result<Answer, ScopeError>;

/// A place in the queue of a scope that is at work; given back when dropped unused.
pub struct Permit(pub(super) Place);

/// An operation in the queue. When it is done the waiting coroutine is completed, and
/// [`Pending::take`] has the reply.
#[derive(Clone)]
pub struct Pending(Arc<Mutex<Option<Reply>>>);

impl Pending {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    pub(super) fn fill(&self, reply: Reply) {
        *self.0.lock() = Some(reply);
    }

    /// The reply, once.
    pub fn take(&self) -> Option<Reply> {
        self.0.lock().take()
    }
}

/// An operation that waits for its turn.
pub(super) struct Waiting {
    pub(super) caller: Serial,
    pub(super) operation: Operation,
    pub(super) ticket: Ticket,
    pub(super) pending: Pending,
    /// Held until it has been carried out.
    pub(super) _place: Place,
}
