use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The id of a registry entry, `namespace:name`; both parts are `[A-Za-z0-9_.-]+`
/// (registry.md sections 3 and 4). Cloning is a reference count.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntryId(Arc<str>);

/// The id of a `pg.scope` entry.
pub type ScopeId = EntryId;

/// Why a text is not an entry id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryIdError {
    /// There is no colon, or nothing on one side of it.
    #[error("{0:?} is not an entry id: write namespace:name")]
    Shape(String),
    /// A character outside `[A-Za-z0-9_.-]`.
    #[error(
        "{text:?} is not an entry id: {found:?} is not allowed, use letters, digits, '_', '.' and '-'"
    )]
    Character {
        /// The refused text.
        text: String,
        /// The first offending character.
        found: char,
    },
}

impl EntryId {
    /// Joins a namespace and a name.
    pub fn new(namespace: &str, name: &str) -> Result<Self, EntryIdError> {
        format!("{namespace}:{name}").parse()
    }

    /// `text` as an id; a bare name belongs to `namespace`.
    pub fn resolve(text: &str, namespace: &str) -> Result<Self, EntryIdError> {
        if text.contains(':') { text.parse() } else { Self::new(namespace, text) }
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the colon.
    pub fn namespace(&self) -> &str {
        self.split().0
    }

    /// The part after the colon.
    pub fn name(&self) -> &str {
        self.split().1
    }

    fn split(&self) -> (&str, &str) {
        self.0.split_once(':').unwrap_or(("", &self.0))
    }
}

impl FromStr for EntryId {
    type Err = EntryIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
                let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
                match namespace.chars().chain(name.chars()).find(|c| !allowed(*c)) {
                    Some(found) => Err(EntryIdError::Character { text: text.to_owned(), found }),
                    None => Ok(Self(Arc::from(text))),
                }
            }
            _ => Err(EntryIdError::Shape(text.to_owned())),
        }
    }
}

impl TryFrom<String> for EntryId {
    type Error = EntryIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<EntryId> for String {
    fn from(id: EntryId) -> Self {
        id.0.as_ref().to_owned()
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_split_at_the_colon() {
        let id: EntryId = "app.chat:room-1".parse().unwrap();
        assert_eq!((id.namespace(), id.name()), ("app.chat", "room-1"));
        assert_eq!(EntryId::resolve("x", "app").unwrap().as_str(), "app:x");
        assert_eq!(EntryId::resolve("a:x", "app").unwrap().as_str(), "a:x");
        for bad in ["", "a", ":a", "a:", "a:b:c", "a b:c", "{a:b}"] {
            assert!(bad.parse::<EntryId>().is_err(), "{bad}");
        }
    }
}
