use std::io::{self, Write};

use serde_json::{Value as Json, json};

use super::{Reporter, Run};
use crate::cli::specs::suite::{Ended, Outcome, Suite};

/// One JSON object for the whole run.
#[derive(Debug, Default)]
pub struct JsonReport {
    suites: Vec<Json>,
}

impl Reporter for JsonReport {
    fn suite(&mut self, suite: &Suite, _: &mut dyn Write) -> io::Result<()> {
        self.suites.push(json!({
            "path": suite.path,
            "duration_ms": milliseconds(suite.duration),
            "tests": suite.tests.iter().map(test).collect::<Vec<_>>(),
            "errors": suite.mishaps,
            "leaked": suite.leaks,
            "log": suite.log(),
        }));
        Ok(())
    }

    fn finish(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let report = json!({
            "passed": run.totals.passed,
            "failed": run.totals.failed,
            "skipped": run.totals.skipped,
            "duration_ms": milliseconds(run.duration),
            "seed": run.seed,
            "files": self.suites,
        });
        writeln!(out, "{report:#}")
    }
}

fn test(ended: &Ended) -> Json {
    let mut object = json!(ended.test);
    let (outcome, more) = match &ended.outcome {
        Outcome::Passed => ("passed", None),
        Outcome::Failed(failure) => ("failed", Some(("failure", json!(failure)))),
        Outcome::Skipped(reason) => ("skipped", Some(("reason", json!(reason)))),
        Outcome::Listed => ("listed", None),
    };
    object["outcome"] = outcome.into();
    object["duration_ms"] = milliseconds(ended.duration).into();
    if let Some((name, value)) = more {
        object[name] = value;
        object["log"] = json!(ended.log);
    }
    object
}

fn milliseconds(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
