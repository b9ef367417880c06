use std::fmt;

use serde_json::Value as Json;

use super::diagnostic::{Diagnostic, Severity};
use super::render::{self, Style};

/// Most problems that are kept; further ones are counted.
const MAX_KEPT: usize = 1_000;

/// All problems that were found, at most 1,000 of them with their details.
#[derive(Debug, Clone, Default)]
pub struct Report {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    hints: usize,
}

impl Report {
    /// No problem.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        *self.counter(diagnostic.severity) += 1;
        if self.kept.len() < MAX_KEPT {
            self.kept.push(diagnostic);
        }
    }

    /// Adds all problems of `other`.
    pub fn extend(&mut self, other: Report) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.hints += other.hints;
        let room = MAX_KEPT - self.kept.len();
        self.kept.extend(other.kept.into_iter().take(room));
    }

    /// Number of problems of `severity`, counting those that were not kept.
    pub fn count(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Hint => self.hints,
        }
    }

    /// Whether something keeps everything from starting.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.errors + self.warnings + self.hints == 0
    }

    /// The problems, by file and then by place.
    pub fn diagnostics(&self) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.kept.iter().collect();
        sorted.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.span.range().start, d.severity);
            a.span.file().cmp(b.span.file()).then_with(|| key(a).cmp(&key(b)))
        });
        sorted
    }

    /// The problems as a person reads them on a terminal: for each the headline, the line of the
    /// source with a mark, and what to do; at the end how many there are. Ends with a newline
    /// unless there is none.
    pub fn render(&self, style: Style) -> String {
        let mut text = String::new();
        for diagnostic in self.diagnostics() {
            render::diagnostic(&mut text, diagnostic, style);
            text.push('\n');
        }
        if let Some(summary) = self.summary() {
            render::summary(&mut text, &summary, style);
        }
        text
    }

    /// How many problems there are, in words; `None` if there is none.
    pub fn summary(&self) -> Option<String> {
        let counted = |count: usize, word: &str| {
            (count > 0).then(|| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
        };
        let parts: Vec<String> = [
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.hints, "hint"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let total = self.errors + self.warnings + self.hints;
        match (total, total - self.kept.len()) {
            (0, _) => None,
            (_, 0) => Some(parts.join(", ")),
            (_, unseen) => Some(format!("{}; {unseen} of them not shown", parts.join(", "))),
        }
    }

    /// The machine form, a list of [`Diagnostic::to_json`].
    pub fn to_json(&self) -> Json {
        self.diagnostics().into_iter().map(Diagnostic::to_json).collect()
    }

    fn counter(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Hint => &mut self.hints,
        }
    }
}

impl From<Diagnostic> for Report {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut report = Self::new();
        report.push(diagnostic);
        report
    }
}

impl fmt::Display for Report {
    /// The plain form of [`Report::render`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(Style::Plain).trim_end())
    }
}

impl std::error::Error for Report {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Medium, Source, Span};

    fn problem(source: &std::sync::Arc<Source>, at: usize) -> Diagnostic {
        Diagnostic::error("unknown-field", Span::new(source.clone(), at..at + 1), "no such field")
    }

    #[test]
    fn problems_are_sorted_and_counted() {
        let (a, b) =
            (Source::new("a", "one\ntwo", Medium::File), Source::new("b", "x", Medium::File));
        let mut report = Report::new();
        report.push(problem(&b, 0));
        report.push(Diagnostic { severity: Severity::Warning, ..problem(&a, 5) });
        report.push(problem(&a, 0));
        let places: Vec<String> = report.diagnostics().iter().map(|d| d.span.to_string()).collect();
        assert_eq!(places, ["a:1:1", "a:2:2", "b:1:1"]);
        assert_eq!(report.summary().unwrap(), "2 errors, 1 warning");
        assert!(report.has_errors());
    }

    #[test]
    fn a_flood_of_problems_stays_small() {
        let source = Source::new("a", "x", Medium::File);
        let mut report = Report::new();
        (0..5_000).for_each(|_| report.push(problem(&source, 0)));
        let mut other = Report::new();
        other.push(problem(&source, 0));
        report.extend(other);
        assert_eq!(report.count(Severity::Error), 5_001);
        assert_eq!(report.diagnostics().len(), MAX_KEPT);
        assert_eq!(report.summary().unwrap(), "5001 errors; 4001 of them not shown");
    }

    #[test]
    fn the_machine_form_has_the_documented_keys() {
        let source = Source::new("a.yaml", "x: 1", Medium::File);
        let diagnostic = problem(&source, 3).entry("app:pg").field("max").help("remove it");
        let json = Report::from(diagnostic).to_json();
        assert_eq!(
            json,
            serde_json::json!([{
                "file": "a.yaml", "line": 1, "column": 4, "entry": "app:pg", "field": "max",
                "code": "unknown-field", "severity": "error", "message": "no such field",
                "help": "remove it",
            }])
        );
    }
}
