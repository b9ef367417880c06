use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use super::{Reporter, Run};
use crate::cli::specs::event::Failure;
use crate::cli::specs::suite::{Ended, Outcome, Suite};

/// The XML that CI servers read: one `testsuite` a file.
#[derive(Debug, Default)]
pub struct Junit {
    suites: String,
}

impl Reporter for Junit {
    fn suite(&mut self, suite: &Suite, _: &mut dyn Write) -> io::Result<()> {
        let totals = suite.totals();
        let tests = totals.passed + totals.failed + totals.skipped + totals.listed;
        let text = &mut self.suites;
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">",
            escape(&suite.path),
            totals.failed - suite.mishaps.len(),
            suite.mishaps.len(),
            totals.skipped,
            seconds(suite.duration),
        );
        for ended in &suite.tests {
            test_case(text, suite, ended);
        }
        for mishap in &suite.mishaps {
            let name = escape(&format!("{} {}", mishap.stage, mishap.name));
            let class = escape(&suite.path);
            let _ = writeln!(text, "    <testcase classname=\"{class}\" name=\"{name}\">");
            failure(text, "error", &mishap.failure);
            text.push_str("    </testcase>\n");
        }
        text.push_str("  </testsuite>\n");
        Ok(())
    }

    fn finish(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let totals = run.totals;
        writeln!(
            out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{}\">\n{}</testsuites>",
            totals.passed + totals.failed + totals.skipped + totals.listed,
            totals.failed,
            totals.skipped,
            seconds(run.duration),
            self.suites,
        )
    }
}

fn test_case(text: &mut String, suite: &Suite, ended: &Ended) {
    let class = match ended.test.blocks.is_empty() {
        true => suite.path.clone(),
        false => format!("{} {}", suite.path, ended.test.blocks.join(" ")),
    };
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escape(&class),
        escape(&ended.test.name),
        seconds(ended.duration),
    );
    if let (Some(file), Some(line)) = (&ended.test.file, ended.test.line) {
        let _ = write!(text, " file=\"{}\" line=\"{line}\"", escape(file));
    }
    match &ended.outcome {
        Outcome::Passed | Outcome::Listed => text.push_str("/>\n"),
        Outcome::Skipped(reason) => {
            let _ = writeln!(text, "><skipped message=\"{}\"/></testcase>", escape(reason));
        }
        Outcome::Failed(why) => {
            text.push_str(">\n");
            failure(text, "failure", why);
            if !ended.log.is_empty() {
                let log = escape(&ended.log.join("\n"));
                let _ = writeln!(text, "      <system-out>{log}</system-out>");
            }
            text.push_str("    </testcase>\n");
        }
    }
}

fn failure(text: &mut String, element: &str, failure: &Failure) {
    let mut body = String::new();
    if let (Some(file), Some(line)) = (&failure.file, failure.line) {
        let _ = writeln!(body, "{file}:{line}");
    }
    if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
        let _ = writeln!(body, "expected: {expected}\nactual: {actual}");
    }
    body.push_str(failure.traceback.as_deref().unwrap_or_default());
    let kind = failure.kind.as_deref().unwrap_or("assertion");
    let _ = writeln!(
        text,
        "      <{element} message=\"{}\" type=\"{}\">{}</{element}>",
        escape(&failure.message),
        escape(kind),
        escape(&body),
    );
}

fn seconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64())
}

/// Text for an attribute or an element. What XML cannot hold becomes a replacement character.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
