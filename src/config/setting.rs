use std::fmt;

use serde_json::Value as Json;

use crate::document::{Medium, Span};

/// One value of the configuration, as it is in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Dotted path, such as `cluster.membership.bind_port`.
    pub path: String,
    /// The value; null if it is not set and has no default.
    pub value: Json,
    /// Where the value comes from.
    pub origin: Origin,
}

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody gave it.
    Default,
    /// It was given here: in a file, a variable or a flag.
    Given(Span),
}

impl Setting {
    /// Whether the value should not be shown.
    pub fn is_secret(&self) -> bool {
        ["secret", "token", "password", "_key"].iter().any(|end| self.path.ends_with(end))
    }
}

impl fmt::Display for Origin {
    /// `default`, `file:line`, or the name of the variable or flag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::Given(span) => match span.source().medium() {
                Medium::File => write!(f, "{}:{}", span.file(), span.line()),
                _ => f.write_str(span.file()),
            },
        }
    }
}
