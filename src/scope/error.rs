use crate::id::GroupName;
use crate::pg::{JoinError, NotJoined};

/// Why a scope did not do what a process asked for. Nothing happened then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The scope's service is not running. Worth retrying once it is.
    #[error("the scope is not running")]
    Stopped,
    /// As many operations wait as `action_queue_max_size` allows. Worth retrying.
    #[error("{limit} operations are waiting already")]
    Full {
        /// `action_queue_max_size`.
        limit: usize,
    },
    /// The join would exceed `max_groups`.
    #[error("the cluster has {limit} groups already")]
    TooManyGroups {
        /// The first group that does not fit.
        group: GroupName,
        /// `max_groups`.
        limit: u64,
    },
    /// The join would exceed `max_members_per_group`.
    #[error("the group may have at most {limit} members")]
    TooManyMembers {
        /// The first group that is too full.
        group: GroupName,
        /// `max_members_per_group`.
        limit: u64,
    },
    /// The process was in none of the groups that it wanted to leave.
    #[error("not a member")]
    NotJoined,
    /// The process ended before its turn came.
    #[error("the process has ended")]
    CallerGone,
}

impl From<JoinError> for ScopeError {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Groups { group, limit } => Self::TooManyGroups { group, limit },
            JoinError::Members { group, limit } => Self::TooManyMembers { group, limit },
            // A scope names the host of every process before it joins.
            JoinError::UnknownHost(_) => Self::CallerGone,
        }
    }
}

impl From<NotJoined> for ScopeError {
    fn from(NotJoined: NotJoined) -> Self {
        Self::NotJoined
    }
}
