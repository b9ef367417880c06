use std::cmp::Ordering;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::check::{Field, Operand};
use super::comparison::{equal, order};
use super::source::{ConditionSource, Problem};
use super::{Actor, Check};

/// Largest size of one compiled regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A compiled operator with what it compares to (security.md section 4).
#[derive(Clone, Debug)]
pub enum Operator {
    /// `exists`, `nexists`: whether the field must be there.
    Presence(Presence),
    /// `matches`, `nmatches`.
    Matches(Regex, Sense),
    /// All that compare the field with a second value.
    Compare(Comparison, Right, Sense),
}

/// Which presence an `exists` or `nexists` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The field must be there.
    Present,
    /// The field must be absent or null.
    Absent,
}

/// Whether the answer of an operator is taken as it is or turned round (`ne`, `nin`, …).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// As it is.
    Plain,
    /// Turned round.
    Negated,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `eq`
    Equal,
    /// `lt`
    Less,
    /// `gt`
    Greater,
    /// `lte`
    AtMost,
    /// `gte`
    AtLeast,
    /// `in`: the field is one of the value's items.
    In,
    /// `contains`: the field's text or list has the value in it.
    Contains,
}

/// The second value of a comparison.
#[derive(Clone, Debug)]
pub enum Right {
    /// Written in the policy.
    Literal(Value),
    /// Another field of the check.
    From(Field),
}

/// A condition that cannot be decided: the values have types that the operator does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undecidable(pub &'static str);

const NAMES: [&str; 14] = [
    "eq",
    "ne",
    "lt",
    "gt",
    "lte",
    "gte",
    "in",
    "nin",
    "contains",
    "ncontains",
    "matches",
    "nmatches",
    "exists",
    "nexists",
];

impl Operator {
    /// Compiles the operator of `source` with its value. The error names the field of the
    /// condition that is wrong: `operator`, `value` or `value_from`.
    pub fn compile(source: &ConditionSource) -> Result<Self, (&'static str, Problem)> {
        let Some(name) = NAMES.into_iter().find(|name| *name == source.operator) else {
            return Err(("operator", Problem::unknown("operator", &source.operator, &NAMES)));
        };
        if source.value.is_some() && source.value_from.is_some() {
            return Err(("value_from", Problem::TwoValues));
        }
        use Comparison::*;
        use Sense::*;
        let (comparison, sense) = match name {
            "exists" => return presence(name, source, [Presence::Absent, Presence::Present]),
            "nexists" => return presence(name, source, [Presence::Present, Presence::Absent]),
            "matches" => return matches(name, source, Plain),
            "nmatches" => return matches(name, source, Negated),
            "eq" => (Equal, Plain),
            "ne" => (Equal, Negated),
            "lt" => (Less, Plain),
            "gt" => (Greater, Plain),
            "lte" => (AtMost, Plain),
            "gte" => (AtLeast, Plain),
            "in" => (In, Plain),
            "nin" => (In, Negated),
            "contains" => (Contains, Plain),
            _ => (Contains, Negated),
        };
        Ok(Self::Compare(comparison, second(name, comparison, source)?, sense))
    }

    /// Whether the operator holds for `field`. An absent field makes every operator false except
    /// `exists` and `nexists`, the negated ones included.
    pub fn holds(
        &self,
        field: Option<Operand<'_>>,
        actor: Option<&Actor>,
        check: &Check<'_>,
    ) -> Result<bool, Undecidable> {
        if let Self::Presence(wanted) = self {
            return Ok(field.is_some() == (*wanted == Presence::Present));
        }
        let Some(field) = field else { return Ok(false) };
        let (answer, sense) = match self {
            Self::Presence(_) => return Ok(false),
            Self::Matches(regex, sense) => {
                let text = field.text().ok_or(Undecidable("the field is not a text"))?;
                (regex.is_match(text), *sense)
            }
            Self::Compare(comparison, value, sense) => {
                let value = match value {
                    Right::Literal(value) => Operand::Json(value),
                    Right::From(other) => other
                        .resolve(actor, check)
                        .ok_or(Undecidable("the field named by value_from is absent"))?,
                };
                (comparison.of(field, value)?, *sense)
            }
        };
        Ok(answer == (sense == Sense::Plain))
    }
}

impl Comparison {
    fn of(self, field: Operand<'_>, value: Operand<'_>) -> Result<bool, Undecidable> {
        let ordered = |wanted: fn(Ordering) -> bool| {
            order(field, value).map(wanted).ok_or(Undecidable("both sides must be numbers"))
        };
        match self {
            Self::Equal => Ok(equal(field, value)),
            Self::Less => ordered(Ordering::is_lt),
            Self::Greater => ordered(Ordering::is_gt),
            Self::AtMost => ordered(Ordering::is_le),
            Self::AtLeast => ordered(Ordering::is_ge),
            Self::In => match (value.list(), value.text()) {
                (Some(items), _) => Ok(has(items, field)),
                (None, Some(_)) => Ok(equal(field, value)),
                (None, None) => Err(Undecidable("the value is neither a list nor a text")),
            },
            Self::Contains => match (field.list(), field.text(), value.text()) {
                (Some(items), _, _) => Ok(has(items, value)),
                (None, Some(text), Some(part)) => Ok(text.contains(part)),
                (None, Some(_), None) => Err(Undecidable("a text can only contain a text")),
                (None, None, _) => Err(Undecidable("the field is neither a text nor a list")),
            },
        }
    }

    /// What a literal value of this comparison must be, if not everything will do.
    fn accepts(self, value: &Value) -> Result<(), &'static str> {
        match self {
            Self::Equal | Self::Contains if value.is_null() => {
                Err("a value that can be there (for absence use nexists)")
            }
            Self::Equal | Self::Contains => Ok(()),
            Self::In if value.is_array() || value.is_string() => Ok(()),
            Self::In => Err("a list or a text"),
            _ if order(Operand::Json(value), Operand::Json(value)).is_some() => Ok(()),
            _ => Err("a number"),
        }
    }
}

fn has(items: &[Value], wanted: Operand<'_>) -> bool {
    items.iter().any(|item| equal(Operand::Json(item), wanted))
}

fn second(
    name: &'static str,
    comparison: Comparison,
    source: &ConditionSource,
) -> Result<Right, (&'static str, Problem)> {
    match (&source.value, &source.value_from) {
        (Some(value), _) => match comparison.accepts(value) {
            Ok(()) => Ok(Right::Literal(value.clone())),
            Err(expected) => Err(wrong_value(name, expected, value)),
        },
        (None, Some(other)) => {
            Field::parse(other).map(Right::From).map_err(|problem| ("value_from", problem))
        }
        (None, None) => Err(("value", Problem::NoValue(name))),
    }
}

fn presence(
    name: &'static str,
    source: &ConditionSource,
    [on_false, on_true]: [Presence; 2],
) -> Result<Operator, (&'static str, Problem)> {
    if source.value_from.is_some() {
        return Err(("value_from", Problem::ValueFrom(name)));
    }
    match &source.value {
        None | Some(Value::Bool(true)) => Ok(Operator::Presence(on_true)),
        Some(Value::Bool(false)) => Ok(Operator::Presence(on_false)),
        Some(other) => Err(wrong_value(name, "true or false", other)),
    }
}

fn matches(
    name: &'static str,
    source: &ConditionSource,
    sense: Sense,
) -> Result<Operator, (&'static str, Problem)> {
    match (&source.value, &source.value_from) {
        (_, Some(_)) => Err(("value_from", Problem::ValueFrom(name))),
        (None, None) => Err(("value", Problem::NoValue(name))),
        (Some(Value::String(pattern)), None) => RegexBuilder::new(pattern)
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_REGEX_BYTES)
            .build()
            .map(|regex| Operator::Matches(regex, sense))
            .map_err(|error| ("value", Problem::Regex(error.to_string()))),
        (Some(other), None) => Err(wrong_value(name, "a regular expression", other)),
    }
}

fn wrong_value(
    operator: &'static str,
    expected: &'static str,
    found: &Value,
) -> (&'static str, Problem) {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    ("value", Problem::Value { operator, expected, found })
}
