use regex::Regex;
use serde_json::{Map as JsonMap, Value as Json};

use super::entry::Entry;
use super::glob::Glob;
use super::pattern;

/// Which entries are wanted: all of the conditions have to hold (registry.md section 10, cli.md
/// section 5).
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of the kind.
    pub kind: Option<Glob>,
    /// Of the namespace.
    pub namespace: Option<Glob>,
    /// Of the name.
    pub name: Option<Glob>,
    /// Of the whole id.
    pub id: Option<Glob>,
    /// Of the metadata.
    pub meta: Vec<MetaCondition>,
}

/// A condition on one field of the metadata. Values are compared by their text: `true`, `42`,
/// `1.5`. A list fits if one of its elements does.
#[derive(Debug, Clone)]
pub struct MetaCondition {
    path: String,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Equals(String),
    Matches(Regex),
    Contains(String),
    StartsWith(String),
    EndsWith(String),
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// There is no operator, or no key before it.
    #[error("{0:?} is no condition: write key=value, key~regex, key*part, key^start or key$end")]
    Shape(String),
    /// The part behind `~` is not a regular expression.
    #[error("{pattern:?} is not a regular expression: {reason}")]
    Regex {
        /// The refused text.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A key of a filter that is not known.
    #[error("{0:?} is not a filter: use .kind, .ns, .name, .id or a field of the metadata")]
    UnknownKey(String),
}

const OPERATORS: [char; 5] = ['=', '~', '*', '^', '$'];

impl MetaCondition {
    /// Reads `key=value` (equal), `key~regex`, `key*part` (contains), `key^start` or `key$end`.
    /// The first operator decides; a dotted key leads into maps.
    ///
    /// # Errors
    /// [`FilterError::Shape`] and [`FilterError::Regex`].
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let shape = || FilterError::Shape(text.to_owned());
        let at = text.find(OPERATORS).filter(|at| *at > 0).ok_or_else(shape)?;
        let (key, rest) = text.split_at(at);
        let mut rest = rest.chars();
        let operator = rest.next().ok_or_else(shape)?;
        Self::new(key, operator, rest.as_str())
    }

    fn new(key: &str, operator: char, value: &str) -> Result<Self, FilterError> {
        let text = value.to_owned();
        let test = match operator {
            '~' => {
                let pattern = || value.to_owned();
                let regex = pattern::regex(value);
                Test::Matches(
                    regex.map_err(|reason| FilterError::Regex { pattern: pattern(), reason })?,
                )
            }
            '*' => Test::Contains(text),
            '^' => Test::StartsWith(text),
            '$' => Test::EndsWith(text),
            _ => Test::Equals(text),
        };
        Ok(Self { path: key.to_owned(), test })
    }

    fn holds(&self, meta: &JsonMap<String, Json>) -> bool {
        match look_up(meta, &self.path) {
            Some(Json::Array(items)) => items.iter().any(|item| self.fits(item)),
            Some(value) => self.fits(value),
            None => false,
        }
    }

    fn fits(&self, value: &Json) -> bool {
        let Some(text) = canonical_text(value) else { return false };
        match &self.test {
            Test::Equals(wanted) => text == *wanted,
            Test::Matches(regex) => regex.is_match(&text),
            Test::Contains(part) => text.contains(part.as_str()),
            Test::StartsWith(start) => text.starts_with(start.as_str()),
            Test::EndsWith(end) => text.ends_with(end.as_str()),
        }
    }
}

impl Filter {
    /// The filter of a map as scripts give it to `registry.find`: `.kind`, `.ns`, `.name` and `.id`
    /// are globs; other keys are fields of the metadata (`meta.` in front may be left out), with
    /// equal values, or tested by the operator `~ * ^ $` in front of the key.
    ///
    /// # Errors
    /// [`FilterError`].
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a Json)>,
    ) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        for (key, value) in pairs {
            let text = canonical_text(value).ok_or_else(|| FilterError::Shape(key.to_owned()))?;
            match key {
                ".kind" => filter.kind = Some(Glob::new(&text)),
                ".ns" => filter.namespace = Some(Glob::new(&text)),
                ".name" => filter.name = Some(Glob::new(&text)),
                ".id" => filter.id = Some(Glob::new(&text)),
                key if key.starts_with('.') => {
                    return Err(FilterError::UnknownKey(key.to_owned()));
                }
                key => {
                    let operator = key.chars().next().filter(|c| OPERATORS.contains(c));
                    let field = key.trim_start_matches(OPERATORS);
                    let field = field.strip_prefix("meta.").unwrap_or(field);
                    filter.meta.push(MetaCondition::new(field, operator.unwrap_or('='), &text)?);
                }
            }
        }
        Ok(filter)
    }

    /// Whether `entry` is wanted.
    pub fn matches(&self, entry: &Entry) -> bool {
        let fits =
            |glob: &Option<Glob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        fits(&self.kind, entry.kind().as_str())
            && fits(&self.namespace, entry.id().namespace())
            && fits(&self.name, entry.id().name())
            && fits(&self.id, entry.id().as_str())
            && self.meta.iter().all(|condition| condition.holds(entry.meta()))
    }
}

/// The text of a scalar as it is compared and printed; `None` for lists, maps and null.
pub(super) fn canonical_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The value at a dotted path. A key with dots in it wins over a path through maps.
fn look_up<'a>(map: &'a JsonMap<String, Json>, path: &str) -> Option<&'a Json> {
    if let Some(value) = map.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(at, _)| {
        let (key, rest) = (path.get(..at)?, path.get(at + 1..)?);
        look_up(map.get(key)?.as_object()?, rest)
    })
}
