use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::{Reporter, Run, closing_line};
use crate::cli::specs::event::Failure;
use crate::cli::specs::suite::{Outcome, Suite};

/// For people: every file with its tests as they end, the failures in full at the end.
#[derive(Debug)]
pub struct Pretty {
    coloured: bool,
    /// Where the paths of failures start from.
    base: PathBuf,
    failures: String,
    number: usize,
}

/// A test slower than this has its time shown.
const SLOW: Duration = Duration::from_millis(100);

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";
const FAINT: &str = "2";
const BOLD: &str = "1";

impl Reporter for Pretty {
    fn suite(&mut self, suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
        let mut text = format!("{}\n", self.paint(BOLD, &suite.path));
        for ended in &suite.tests {
            let name = &ended.test.full_name;
            let took = match ended.duration > SLOW {
                true => self.paint(FAINT, &format!(" ({:.1?})", ended.duration)),
                false => String::new(),
            };
            match &ended.outcome {
                Outcome::Passed => {
                    let _ = writeln!(text, "  {} {name}{took}", self.paint(GREEN, "ok"));
                }
                Outcome::Listed => {
                    let _ = writeln!(text, "  {name}");
                }
                Outcome::Skipped(reason) => {
                    let reason = if reason == "pending" { "" } else { reason };
                    let line = format!("skipped {name} {reason}");
                    let _ = writeln!(text, "  {}", self.paint(YELLOW, line.trim_end()));
                }
                Outcome::Failed(failure) => {
                    let _ = writeln!(text, "  {} {name}{took}", self.paint(RED, "FAILED"));
                    let title = format!("{}: {name}", suite.path);
                    self.explain(&title, failure, &ended.log);
                }
            }
        }
        for mishap in &suite.mishaps {
            let what = format!("{} {}", mishap.stage, mishap.name);
            let _ = writeln!(text, "  {} {what}", self.paint(RED, "FAILED"));
            self.explain(&format!("{}: {what}", suite.path), &mishap.failure, suite.log());
        }
        for process in &suite.leaks.processes {
            let line = format!("left behind: process {process} (terminated)");
            let _ = writeln!(text, "  {}", self.paint(YELLOW, &line));
        }
        for member in &suite.leaks.members {
            let _ = writeln!(
                text,
                "  {}",
                self.paint(YELLOW, &format!("left behind: member {member}"))
            );
        }
        out.write_all(text.as_bytes())
    }

    fn finish(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.failures.as_bytes())?;
        writeln!(out)?;
        if let Some(seed) = run.seed {
            writeln!(out, "shuffled: repeat this order with --shuffle --seed {seed}")?;
        }
        writeln!(out, "{}", self.paint(FAINT, &format!("in {:.1?}", run.duration)))?;
        if run.totals.listed > 0 {
            return writeln!(out, "{} tests", run.totals.listed);
        }
        let colour = if run.totals.failed > 0 { RED } else { GREEN };
        writeln!(out, "{}", self.paint(colour, &closing_line(run.totals)))
    }
}

impl Pretty {
    /// A report whose source lines are read from files below `base`.
    pub fn new(coloured: bool, base: impl Into<PathBuf>) -> Self {
        Self { coloured, base: base.into(), failures: String::new(), number: 0 }
    }

    fn explain(&mut self, title: &str, failure: &Failure, log: &[String]) {
        self.number += 1;
        let mut text = format!("\n{}\n", self.paint(BOLD, &format!("{}) {title}", self.number)));
        if let (Some(file), Some(line)) = (&failure.file, failure.line) {
            let _ = writeln!(text, "   at {file}:{line}");
            if let Some(source) = self.source_line(file, line) {
                let _ = writeln!(text, "   {}", self.paint(FAINT, &format!("{line} | {source}")));
            }
        }
        let kind = failure.kind.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
        let message = indented(&format!("{}{kind}", failure.message));
        let _ = writeln!(text, "{}", self.paint(RED, &message));
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            text.push_str(&self.comparison(expected, actual));
        }
        if let Some(diff) = &failure.diff {
            let _ = writeln!(text, "   differs at\n{}", indented(diff));
        }
        if let Some(traceback) = failure.traceback.as_deref().filter(|t| t.lines().count() > 1) {
            let _ = writeln!(text, "{}", self.paint(FAINT, &indented(traceback)));
        }
        if !log.is_empty() {
            let _ = writeln!(text, "   log\n{}", indented(&log.join("\n")));
        }
        self.failures.push_str(&text);
    }

    /// Both values, as a diff if one of them has several lines.
    fn comparison(&self, expected: &str, actual: &str) -> String {
        if !expected.contains('\n') && !actual.contains('\n') {
            return format!(
                "   expected {}\n   actual   {}\n",
                self.paint(GREEN, expected),
                self.paint(RED, actual)
            );
        }
        let mut text =
            format!("   {} {}\n", self.paint(GREEN, "- expected"), self.paint(RED, "+ actual"));
        for change in TextDiff::from_lines(expected, actual).iter_all_changes() {
            let (sign, colour) = match change.tag() {
                ChangeTag::Delete => ("-", Some(GREEN)),
                ChangeTag::Insert => ("+", Some(RED)),
                ChangeTag::Equal => (" ", None),
            };
            let line = format!("{sign} {}", change.value().trim_end_matches('\n'));
            let line = colour.map_or(line.clone(), |colour| self.paint(colour, &line));
            let _ = writeln!(text, "   {line}");
        }
        text
    }

    /// The line itself, if the file is there to be read.
    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        let text = fs::read_to_string(self.base.join(file)).ok()?;
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        text.lines().nth(index).map(|line| line.trim().to_owned())
    }

    fn paint(&self, code: &str, text: &str) -> String {
        match self.coloured {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}
