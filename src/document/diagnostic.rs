use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::source::Span;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing starts.
    Error,
    /// Likely not what was meant; it starts.
    Warning,
    /// Could be tidier.
    Hint,
}

impl Severity {
    /// Lower-case name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        }
    }
}

/// A remark below a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// What to do.
    Help(String),
    /// A fact.
    Fact(String),
}

/// Another place that has to do with a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// One problem at one place. Its text form is made by [`Report`](super::Report).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable identifier of this sort of problem, such as `unknown-field`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub span: Span,
    /// The entry that has it, `namespace:name`.
    pub entry: Option<Arc<str>>,
    /// Path of the field in the entry, such as `lifecycle.restart.jitter` or `groups[2]`.
    pub field: Option<String>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write behind the mark in the excerpt.
    pub label: Option<String>,
    /// Other places.
    pub related: Vec<Related>,
    /// Remarks.
    pub notes: Vec<Note>,
}

impl Diagnostic {
    /// A problem that keeps everything from starting.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            span,
            entry: None,
            field: None,
            message: message.into(),
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A problem that keeps nothing from starting.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// A remark on style.
    pub fn hint(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Hint, ..Self::error(code, span, message) }
    }

    /// The same problem, of `entry`.
    #[must_use]
    pub fn entry(self, entry: impl Into<Arc<str>>) -> Self {
        Self { entry: Some(entry.into()), ..self }
    }

    /// The same problem, in the field at `path`.
    #[must_use]
    pub fn field(self, path: impl Into<String>) -> Self {
        Self { field: Some(path.into()).filter(|path| !path.is_empty()), ..self }
    }

    /// The same problem, with `label` behind the mark in the excerpt.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The same problem, with another place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// The same problem, with advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note::Help(text.into()));
        self
    }

    /// The same problem, with a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note::Fact(text.into()));
        self
    }

    /// The message that stands first: `file:line:column: entry: field: message`; the severity
    /// comes before the entry where it is not `error` (registry.md section 9).
    pub fn headline(&self) -> String {
        let mut line = format!("{}: ", self.span);
        if self.severity != Severity::Error {
            line.push_str(self.severity.as_str());
            line.push_str(": ");
        }
        for part in [self.entry.as_deref(), self.field.as_deref()].into_iter().flatten() {
            line.push_str(part);
            line.push_str(": ");
        }
        line.push_str(&self.message);
        line
    }

    /// The machine form: `{file, line, column, entry, field, code, severity, message}`, and `help`
    /// where there is some.
    pub fn to_json(&self) -> Json {
        let mut json = json!({
            "file": &**self.span.file(),
            "line": self.span.line(),
            "column": self.span.column(),
            "entry": self.entry.as_deref(),
            "field": self.field,
            "code": self.code,
            "severity": self.severity.as_str(),
            "message": self.message,
        });
        let help = self.notes.iter().filter_map(|note| match note {
            Note::Help(text) => Some(text.as_str()),
            Note::Fact(_) => None,
        });
        let help: Vec<&str> = help.collect();
        if let (Some(object), false) = (json.as_object_mut(), help.is_empty()) {
            object.insert("help".to_owned(), Json::from(help.join("; ")));
        }
        json
    }
}
