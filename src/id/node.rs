use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Longest allowed node name, in bytes.
pub const MAX_NODE_NAME_BYTES: usize = 64;

/// The name of a node: `[A-Za-z0-9_.-]{1,64}` (cluster.md section 1).
///
/// The special name `local` belongs to a node without a cluster; its PIDs omit the node part.
/// Cloning is a reference count.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeName(Arc<str>);

/// Why a text is not a node name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeNameError {
    /// The text is empty or longer than [`MAX_NODE_NAME_BYTES`].
    #[error("a node name has 1 to {MAX_NODE_NAME_BYTES} characters, not {0}")]
    Length(usize),
    /// The text holds a character that is not allowed.
    #[error("node name {name:?}: {found:?} is not allowed, use letters, digits, '_', '.' and '-'")]
    Character {
        /// The refused text.
        name: String,
        /// The first offending character.
        found: char,
    },
}

impl NodeName {
    /// The name of a node without a cluster.
    pub fn local() -> Self {
        Self(Arc::from("local"))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the special name `local`.
    pub fn is_local(&self) -> bool {
        &*self.0 == "local"
    }
}

impl FromStr for NodeName {
    type Err = NodeNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() || text.len() > MAX_NODE_NAME_BYTES {
            return Err(NodeNameError::Length(text.chars().count()));
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        match text.chars().find(|c| !allowed(*c)) {
            Some(found) => Err(NodeNameError::Character { name: text.to_owned(), found }),
            None => Ok(Self(Arc::from(text))),
        }
    }
}

impl TryFrom<String> for NodeName {
    type Error = NodeNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<NodeName> for String {
    fn from(name: NodeName) -> Self {
        name.0.as_ref().to_owned()
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run of a node. A restart under the same name has a higher incarnation, so nothing that
/// belonged to an earlier run is ever mistaken for the present one (cluster.md section 1).
///
/// The value is the boot time in microseconds since the Unix epoch; it prints as lower-case hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Incarnation(pub u64);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A node in one of its runs: the authority for its processes and memberships.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// Which node.
    pub node: NodeName,
    /// Which run of it.
    pub incarnation: Incarnation,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.node, self.incarnation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert_eq!("n-1.a_B".parse::<NodeName>().unwrap().as_str(), "n-1.a_B");
        assert_eq!("".parse::<NodeName>(), Err(NodeNameError::Length(0)));
        assert!("x".repeat(64).parse::<NodeName>().is_ok());
        assert!("x".repeat(65).parse::<NodeName>().is_err());
        for bad in ["a@b", "a|b", "a b", "ä", "a:b", "{a"] {
            assert!(bad.parse::<NodeName>().is_err(), "{bad}");
        }
    }
}
