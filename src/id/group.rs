use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Longest allowed group name, in bytes.
pub const MAX_GROUP_NAME_BYTES: usize = 1024;

/// The name of a process group: any non-empty UTF-8 text of at most [`MAX_GROUP_NAME_BYTES`].
/// Cloning is a reference count.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GroupName(Arc<str>);

/// Why a text is not a group name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupNameError {
    /// The text is empty.
    #[error("group name is empty")]
    Empty,
    /// The text is longer than [`MAX_GROUP_NAME_BYTES`].
    #[error("group name has {0} bytes, at most {MAX_GROUP_NAME_BYTES} are allowed")]
    TooLong(usize),
}

impl GroupName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GroupName {
    type Err = GroupNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            0 => Err(GroupNameError::Empty),
            1..=MAX_GROUP_NAME_BYTES => Ok(Self(Arc::from(text))),
            length => Err(GroupNameError::TooLong(length)),
        }
    }
}

impl TryFrom<String> for GroupName {
    type Error = GroupNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<GroupName> for String {
    fn from(name: GroupName) -> Self {
        name.0.as_ref().to_owned()
    }
}

impl Borrow<str> for GroupName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
