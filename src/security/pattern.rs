/// A compiled action or resource pattern (security.md section 3).
///
/// Matching is case-sensitive and by bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `*`: everything, the empty text included.
    All,
    /// Text without a star: that text only.
    Exact(Box<str>),
    /// `X*`: whatever begins with `X`.
    Prefix(Box<str>),
    /// `X.*`: `X` itself and whatever begins with `X.`. Holds `X`.
    Family(Box<str>),
}

/// Why a text is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The text is empty.
    #[error("is empty; write \"*\" to match everything")]
    Empty,
    /// A star that is not the last character. Such a pattern would match nothing that its author
    /// has in mind.
    #[error("'*' is only allowed as the last character")]
    Star,
}

impl Pattern {
    /// Compiles `text`.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let Some(prefix) = text.strip_suffix('*') else {
            return if text.contains('*') {
                Err(PatternError::Star)
            } else {
                Ok(Self::Exact(text.into()))
            };
        };
        if prefix.contains('*') {
            return Err(PatternError::Star);
        }
        Ok(match prefix.strip_suffix('.') {
            _ if prefix.is_empty() => Self::All,
            Some(family) if !family.is_empty() => Self::Family(family.into()),
            _ => Self::Prefix(prefix.into()),
        })
    }

    /// Whether `subject` is meant.
    pub fn matches(&self, subject: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exact(text) => **text == *subject,
            Self::Prefix(prefix) => subject.starts_with(&**prefix),
            Self::Family(root) => subject
                .strip_prefix(&**root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, subject: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(subject)
    }

    #[test]
    fn every_row_of_the_table() {
        let rows = [
            ("process.*", "process.spawn", true),
            ("process.*", "process", true),
            ("process.*", "processor.run", false),
            ("process.*", "processes_x", false),
            ("process.*", "process.", true),
            ("app:*", "app:room", true),
            ("app:*", "app.sub:room", false),
            ("app.*", "app:room", false),
            ("app.*", "app.sub:room", true),
            ("*", "", true),
            ("*", "anything at all", true),
            ("x*", "", false),
            ("x*", "x", true),
            ("x*", "xyz", true),
            ("x*", "Xyz", false),
            ("room-1", "room-1", true),
            ("room-1", "room-10", false),
            ("room-1", "", false),
            (".*", ".hidden", true),
            (".*", "a.b", false),
            ("ä*", "äb", true),
        ];
        for (pattern, subject, expected) in rows {
            assert_eq!(matches(pattern, subject), expected, "{pattern:?} on {subject:?}");
        }
    }

    #[test]
    fn a_star_is_allowed_at_the_end_only() {
        for bad in ["*.read", "a*b", "**", "a.*.*", "*a*"] {
            assert_eq!(Pattern::parse(bad), Err(PatternError::Star), "{bad}");
        }
        assert_eq!(Pattern::parse(""), Err(PatternError::Empty));
    }
}
