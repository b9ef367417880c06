use std::fmt;
use std::sync::Arc;

use super::{Actor, Check, Context, Outcome};

/// Decides about checks for one node (security.md section 1).
#[derive(Clone)]
pub struct Guard {
    mode: Mode,
    observer: Option<Arc<dyn DenialObserver>>,
}

/// What an incomplete context means: the configuration key `security.strict_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A process without actor or scope may do everything.
    #[default]
    Permissive,
    /// A process without actor or scope may do nothing.
    Strict,
}

/// May it be done?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// Yes.
    Allowed,
    /// No.
    Denied,
}

/// One denied check of a guarded call.
#[derive(Clone, Copy, Debug)]
pub struct Denial<'a> {
    /// Who was denied, if known.
    pub actor: Option<&'a Actor>,
    /// For example `pg.join`. Guarded calls use a finite set of actions, so it may label a metric.
    pub action: &'a str,
    /// What it would have been done to.
    pub resource: &'a str,
}

/// Is told of every denied call, on the thread of the caller; must not block.
pub trait DenialObserver: Send + Sync {
    /// A guarded call was denied.
    fn denied(&self, denial: &Denial<'_>);
}

/// The error of a guarded call that was denied. It names action and resource, never a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not allowed: {action} on {resource:?}")]
pub struct Denied {
    /// What was refused.
    pub action: Box<str>,
    /// What it would have been done to.
    pub resource: Box<str>,
}

impl Guard {
    /// A guard that tells nobody of denials.
    pub fn new(mode: Mode) -> Self {
        Self { mode, observer: None }
    }

    /// The same guard, reporting denied calls to `observer`.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn DenialObserver>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// What an incomplete context means here.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The decision about `check` by the policies in force now, without any side effect: the answer
    /// of `security.can`, and what [`Guard::require`] acts on.
    pub fn decide(&self, context: &Context, check: &Check<'_>) -> Decision {
        match (context.actor(), context.scope(), self.mode) {
            (Some(actor), Some(scope), _) => match scope.evaluate(Some(actor), check) {
                Outcome::Allow => Decision::Allowed,
                Outcome::Deny | Outcome::Undefined => Decision::Denied,
            },
            (_, _, Mode::Permissive) => Decision::Allowed,
            (_, _, Mode::Strict) => Decision::Denied,
        }
    }

    /// Stands before a guarded call, on every call. A denial is counted by the observer and logged
    /// at debug level.
    pub fn require(&self, context: &Context, check: &Check<'_>) -> Result<(), Denied> {
        match self.decide(context, check) {
            Decision::Allowed => Ok(()),
            Decision::Denied => Err(self.deny(context, check)),
        }
    }

    #[cold]
    fn deny(&self, context: &Context, check: &Check<'_>) -> Denied {
        let Check { action, resource, .. } = *check;
        let actor = context.actor();
        if let Some(observer) = &self.observer {
            observer.denied(&Denial { actor, action, resource });
        }
        tracing::debug!(actor = actor.map(Actor::id), action, resource, "permission denied");
        Denied { action: action.into(), resource: resource.into() }
    }
}

impl Decision {
    /// Whether the answer is yes.
    pub fn is_allowed(self) -> bool {
        self == Self::Allowed
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("mode", &self.mode).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
