use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Reporter, Run};
use crate::cli::specs::event::Failure;
use crate::cli::specs::suite::{Ended, Outcome, Suite};

/// TAP version 14: one line a test, details of failures in YAML blocks, the plan at the end.
#[derive(Debug, Default)]
pub struct Tap {
    number: usize,
    begun: bool,
}

impl Reporter for Tap {
    fn suite(&mut self, suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
        let mut text = String::new();
        text.push_str(self.head());
        for ended in &suite.tests {
            self.test(&mut text, suite, ended);
        }
        for mishap in &suite.mishaps {
            let name = format!("{}: {} {}", suite.path, mishap.stage, mishap.name);
            self.line(&mut text, "not ok", &name, "");
            block(&mut text, &mishap.failure);
        }
        for process in &suite.leaks.processes {
            let _ = writeln!(text, "# {}: left the process {process} behind", line(&suite.path));
        }
        for member in &suite.leaks.members {
            let _ = writeln!(text, "# {}: left the member {member} behind", line(&suite.path));
        }
        out.write_all(text.as_bytes())
    }

    fn finish(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.head().as_bytes())?;
        if let Some(seed) = run.seed {
            writeln!(out, "# shuffled with seed {seed}")?;
        }
        writeln!(out, "1..{}", self.number)
    }
}

impl Tap {
    /// The first line, the first time.
    fn head(&mut self) -> &'static str {
        if std::mem::replace(&mut self.begun, true) { "" } else { "TAP version 14\n" }
    }

    fn test(&mut self, text: &mut String, suite: &Suite, ended: &Ended) {
        let name = format!("{}: {}", suite.path, ended.test.full_name);
        match &ended.outcome {
            Outcome::Passed | Outcome::Listed => self.line(text, "ok", &name, ""),
            Outcome::Skipped(reason) => {
                self.line(text, "ok", &name, &format!(" # SKIP {}", line(reason)))
            }
            Outcome::Failed(failure) => {
                self.line(text, "not ok", &name, "");
                block(text, failure);
            }
        }
    }

    fn line(&mut self, text: &mut String, verdict: &str, name: &str, directive: &str) {
        self.number += 1;
        let name = line(name).replace('\\', "\\\\").replace('#', "\\#");
        let _ = writeln!(text, "{verdict} {} - {name}{}", self.number, directive.trim_end());
    }
}

fn block(text: &mut String, failure: &Failure) {
    text.push_str("  ---\n");
    // JSON strings are YAML strings, whatever is in them.
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name}: {}", serde_json::Value::from(value));
    };
    field("message", &failure.message);
    if let (Some(file), Some(number)) = (&failure.file, failure.line) {
        field("at", &format!("{file}:{number}"));
    }
    for (name, value) in [
        ("expected", &failure.expected),
        ("actual", &failure.actual),
        ("traceback", &failure.traceback),
    ] {
        if let Some(value) = value {
            field(name, value);
        }
    }
    text.push_str("  ...\n");
}

fn line(text: &str) -> String {
    text.split(['\n', '\r']).collect::<Vec<_>>().join(" ")
}
