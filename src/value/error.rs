use std::fmt;
use std::sync::Arc;

use super::Values;

/// The kinds of errors, as Lua sees them (errors.md section 2). The set is open: any text is a kind.
pub mod kind {
    #![allow(missing_docs)]
    pub const NOT_FOUND: &str = "NotFound";
    pub const ALREADY_EXISTS: &str = "AlreadyExists";
    pub const INVALID: &str = "Invalid";
    pub const PERMISSION_DENIED: &str = "PermissionDenied";
    pub const UNAVAILABLE: &str = "Unavailable";
    pub const INTERNAL: &str = "Internal";
    pub const CONFLICT: &str = "Conflict";
    pub const CANCELED: &str = "Canceled";
    pub const TIMEOUT: &str = "Timeout";
    pub const RATE_LIMITED: &str = "RateLimited";
    pub const UNKNOWN: &str = "";
    pub const LIMIT_EXCEEDED: &str = "LimitExceeded";
    pub const INVALID_STATE: &str = "InvalidState";
}

/// An error as scripts meet it: what `err:kind()`, `err:message()`, `err:retryable()` and
/// `err:details()` answer (errors.md section 1). It crosses processes and nodes unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorValue {
    /// One of [`kind`], or any other text; empty means unknown.
    pub kind: Arc<str>,
    /// What happened, for a person.
    pub message: Arc<str>,
    /// Whether trying again may help; `None` where nobody said.
    pub retryable: Option<bool>,
    /// One table value with more facts.
    pub details: Option<Values>,
}

impl ErrorValue {
    /// An error of `kind` that is not worth retrying: what nearly every call of the host answers.
    pub fn new(kind: &str, message: impl Into<Arc<str>>) -> Self {
        Self { kind: kind.into(), message: message.into(), retryable: Some(false), details: None }
    }

    /// The same error, marked as worth trying again.
    #[must_use]
    pub fn retryable(self) -> Self {
        Self { retryable: Some(true), ..self }
    }

    /// The same error with `details`, a [`Values`] of exactly one table.
    #[must_use]
    pub fn with_details(self, details: Values) -> Self {
        Self { details: Some(details), ..self }
    }

    /// The error as the far side of a process or call boundary sees it: an unknown kind becomes
    /// `Internal` (errors.md section 5).
    #[must_use]
    pub fn across_boundary(self) -> Self {
        if self.kind.is_empty() { Self { kind: kind::INTERNAL.into(), ..self } } else { self }
    }
}

impl fmt::Display for ErrorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ErrorValue {}
