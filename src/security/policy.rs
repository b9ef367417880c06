use std::sync::atomic::{AtomicBool, Ordering};

use super::condition::{Condition, Verdict};
use super::pattern::Pattern;
use super::source::{CompiledPolicy, Effect, PolicyFault, PolicySource, PolicyWarning, Problem};
use super::{Actor, Check};
use crate::id::EntryId;

/// A compiled `security.policy` entry: a function from actor and check to an [`Outcome`].
#[derive(Debug)]
pub struct Policy {
    id: EntryId,
    actions: Box<[Pattern]>,
    resources: Box<[Pattern]>,
    effect: Effect,
    conditions: Box<[Condition]>,
    groups: Box<[EntryId]>,
    reported: AtomicBool,
}

/// What policies say about a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It may be done.
    Allow,
    /// It may not be done.
    Deny,
    /// Nothing said anything.
    Undefined,
}

impl PolicySource {
    /// Compiles the policy, or reports everything that is wrong with it.
    pub fn compile(&self) -> Result<CompiledPolicy, Vec<PolicyFault>> {
        let mut faults = Vec::new();
        let actions = patterns("actions", &self.actions, &mut faults);
        let resources = patterns("resources", &self.resources, &mut faults);
        let effect = self.effect.parse::<Effect>();
        if let Err(problem) = &effect {
            faults.push(PolicyFault { field: "effect".to_owned(), problem: problem.clone() });
        }
        let conditions = self
            .conditions
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Condition::compile(c, &format!("conditions[{i}]"), &mut faults))
            .collect();
        match effect {
            Ok(effect) if faults.is_empty() => {
                let policy = Policy {
                    id: self.id.clone(),
                    actions,
                    resources,
                    effect,
                    conditions,
                    groups: self.groups.clone().into(),
                    reported: AtomicBool::new(false),
                };
                Ok(CompiledPolicy { policy, warnings: self.warnings(effect) })
            }
            _ => Err(faults),
        }
    }

    fn warnings(&self, effect: Effect) -> Vec<PolicyWarning> {
        if effect == Effect::Allow {
            return Vec::new();
        }
        let family = |text: &str| matches!(Pattern::parse(text), Ok(Pattern::Family(_)));
        let listed = |name: &'static str, texts: &'_ [String]| -> Vec<PolicyWarning> {
            let surprising = texts.iter().enumerate().filter(|(_, text)| family(text));
            surprising
                .map(|(i, text)| PolicyWarning {
                    field: format!("{name}[{i}]"),
                    pattern: text.clone(),
                })
                .collect()
        };
        let mut warnings = listed("actions", &self.actions);
        warnings.extend(listed("resources", &self.resources));
        warnings
    }
}

fn patterns(name: &str, texts: &[String], faults: &mut Vec<PolicyFault>) -> Box<[Pattern]> {
    if texts.is_empty() {
        faults.push(PolicyFault { field: name.to_owned(), problem: Problem::NoPattern });
    }
    let mut compiled = Vec::with_capacity(texts.len());
    for (i, text) in texts.iter().enumerate() {
        match Pattern::parse(text) {
            Ok(pattern) => compiled.push(pattern),
            Err(reason) => faults.push(PolicyFault {
                field: format!("{name}[{i}]"),
                problem: Problem::Pattern { text: text.clone(), reason },
            }),
        }
    }
    compiled.into()
}

impl Policy {
    /// The id of the entry.
    pub fn id(&self) -> &EntryId {
        &self.id
    }

    /// What the policy says when it applies.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The groups that the policy belongs to.
    pub fn groups(&self) -> &[EntryId] {
        &self.groups
    }

    /// What the policy says about `check`. A condition that cannot be decided makes a deny policy
    /// deny and an allow policy silent; the first such case of each policy is logged.
    pub fn evaluate(&self, actor: Option<&Actor>, check: &Check<'_>) -> Outcome {
        let named = |patterns: &[Pattern], subject| patterns.iter().any(|p| p.matches(subject));
        if !named(&self.actions, check.action) || !named(&self.resources, check.resource) {
            return Outcome::Undefined;
        }
        if self.conditions.is_empty() {
            return self.effect.into();
        }
        match Verdict::of(&self.conditions, actor, check) {
            Verdict::Hold => self.effect.into(),
            Verdict::Fail => Outcome::Undefined,
            Verdict::Undecidable(reason) => {
                self.report(&reason, check);
                match self.effect {
                    Effect::Allow => Outcome::Undefined,
                    Effect::Deny => Outcome::Deny,
                }
            }
        }
    }

    fn report(&self, reason: &dyn std::fmt::Display, check: &Check<'_>) {
        if !self.reported.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                entry = %self.id,
                action = check.action,
                resource = check.resource,
                %reason,
                "a condition of this {} policy cannot be decided: it {}",
                self.effect,
                match self.effect {
                    Effect::Allow => "does not allow",
                    Effect::Deny => "denies",
                }
            );
        }
    }
}

impl From<Effect> for Outcome {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Allow => Self::Allow,
            Effect::Deny => Self::Deny,
        }
    }
}

impl Outcome {
    /// `allow`, `deny` or `undefined`, as scripts see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Undefined => "undefined",
        }
    }
}

#[cfg(test)]
mod tests;
