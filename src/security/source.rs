use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::Policy;
use super::pattern::PatternError;
use crate::id::EntryId;

/// A `security.policy` entry as plain data: what [`PolicySource::compile`] checks and compiles.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySource {
    /// The id of the entry.
    pub id: EntryId,
    /// Patterns of actions, at least one.
    pub actions: Vec<String>,
    /// Patterns of resources, at least one.
    pub resources: Vec<String>,
    /// `allow` or `deny`.
    pub effect: String,
    /// All must hold for the policy to say anything.
    pub conditions: Vec<ConditionSource>,
    /// Full ids of the groups that the policy belongs to.
    pub groups: Vec<EntryId>,
}

/// One condition as written: `{field, operator, value | value_from}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionSource {
    /// What is looked at, for example `actor.meta.tier`.
    pub field: String,
    /// How it is compared, for example `eq`.
    pub operator: String,
    /// What it is compared with.
    pub value: Option<Value>,
    /// The field whose value it is compared with.
    pub value_from: Option<String>,
}

/// What a policy says when it applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The action may be done, unless another policy denies it.
    Allow,
    /// The action may not be done.
    Deny,
}

/// A policy that compiled, with what its author should know.
#[derive(Debug)]
pub struct CompiledPolicy {
    /// The policy.
    pub policy: Policy,
    /// Things that are allowed but may surprise.
    pub warnings: Vec<PolicyWarning>,
}

/// One thing wrong with a policy. `Display` is field and problem, for one line of a report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct PolicyFault {
    /// Where in the entry's `policy` block: `actions[1]`, `conditions[0].operator`.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a field of a policy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A list of patterns without an item.
    #[error("must name at least one pattern")]
    NoPattern,
    /// A text that is not a pattern.
    #[error("pattern {text:?}: {reason}")]
    Pattern {
        /// The text.
        text: String,
        /// Why not.
        reason: PatternError,
    },
    /// A word that is none of the known ones.
    #[error("unknown {what} {found:?}; {known}")]
    UnknownWord {
        /// What kind of word was expected.
        what: &'static str,
        /// The word.
        found: String,
        /// Which words there are, and the one that was probably meant.
        known: String,
    },
    /// A field of a condition that names nothing.
    #[error("unknown field {0:?}; use actor.id, actor.meta.<key>, meta.<key>, action or resource")]
    UnknownField(String),
    /// Neither `value` nor `value_from`.
    #[error("operator {0} needs value or value_from")]
    NoValue(&'static str),
    /// Both `value` and `value_from`.
    #[error("has both value and value_from; write one of them")]
    TwoValues,
    /// `value_from` where the value must be known when the policy is loaded.
    #[error("operator {0} takes value only, not value_from")]
    ValueFrom(&'static str),
    /// A value that the operator can never use.
    #[error("operator {operator} takes {expected}, not {found}")]
    Value {
        /// The operator.
        operator: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The type of what was given.
        found: &'static str,
    },
    /// A regular expression that does not compile, or compiles to more than the limit.
    #[error("{0}")]
    Regex(String),
}

/// Something allowed that may surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyWarning {
    /// Where in the entry's `policy` block.
    pub field: String,
    /// The pattern as written.
    pub pattern: String,
}

impl FromStr for Effect {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "allow" => Ok(Self::Allow),
            "deny" => Ok(Self::Deny),
            other => Err(Problem::unknown("effect", other, &["allow", "deny"])),
        }
    }
}

impl Problem {
    /// `found` is none of `known`.
    pub(super) fn unknown(what: &'static str, found: &str, known: &[&str]) -> Self {
        let nearest = known.iter().find(|word| strsim::damerau_levenshtein(word, found) <= 2);
        let known = match nearest {
            Some(word) => format!("did you mean {word:?}? Known: {}", known.join(", ")),
            None => format!("known: {}", known.join(", ")),
        };
        Self::UnknownWord { what, found: found.to_owned(), known }
    }
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, pattern } = self;
        let root = pattern.trim_end_matches(".*");
        write!(
            f,
            "{field}: {pattern:?} denies {root:?} and names that begin with \"{root}.\", \
             but not {root:?} followed by anything else; write \"{root}*\" to deny those too"
        )
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        })
    }
}
