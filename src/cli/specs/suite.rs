use std::time::Duration;

use super::event::{Event, Failure, Leaks, Mishap, Test};

/// Everything that one spec file, or one test entry, reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suite {
    /// The file or entry.
    pub path: String,
    /// Its tests, in the order they ended; with `--list`, in the order written.
    pub tests: Vec<Ended>,
    /// What went wrong outside of tests.
    pub mishaps: Vec<Mishap>,
    /// What it left behind.
    pub leaks: Leaks,
    /// How long it took.
    pub duration: Duration,
    running: Option<(Test, Vec<String>)>,
    log: Vec<String>,
}

/// A test and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Which.
    pub test: Test,
    /// How.
    pub outcome: Outcome,
    /// How long it took.
    pub duration: Duration,
    /// The log lines of its node while it ran.
    pub log: Vec<String>,
}

/// How a test ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It held.
    Passed,
    /// It did not.
    Failed(Failure),
    /// It was not run, for this reason if one was given.
    Skipped(String),
    /// It was only listed.
    Listed,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that held.
    pub passed: usize,
    /// Tests that did not, and mishaps outside of tests.
    pub failed: usize,
    /// Tests that were not run.
    pub skipped: usize,
    /// Tests that were only listed.
    pub listed: usize,
}

impl Suite {
    /// A suite that has not reported anything.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Takes in one event.
    pub fn note(&mut self, event: Event) {
        match event {
            Event::SuiteStart { path, .. } => self.path = path,
            Event::TestListed(test) => self.end(test, Outcome::Listed, 0.0),
            Event::TestStart(test) => self.running = Some((test, Vec::new())),
            Event::TestPass { test, duration_ms } => self.end(test, Outcome::Passed, duration_ms),
            Event::TestFail { test, duration_ms, failure } => {
                self.end(test, Outcome::Failed(failure), duration_ms);
            }
            Event::TestSkip { test, reason } => self.end(test, Outcome::Skipped(reason), 0.0),
            Event::Error(mishap) => self.mishaps.push(mishap),
            Event::Leaked(leaks) => self.leaks = leaks,
            Event::SuiteEnd { duration_ms } => self.duration = milliseconds(duration_ms),
        }
    }

    /// Takes in a log line of the suite's node.
    pub fn note_log(&mut self, line: String) {
        match &mut self.running {
            Some((_, log)) => log.push(line),
            None => self.log.push(line),
        }
    }

    /// The file cannot go on: what ran fails, for this reason. Without a running test it is a
    /// mishap of the file.
    pub fn break_off(&mut self, failure: Failure, elapsed: Duration) {
        match self.running.take() {
            Some((test, log)) => {
                let outcome = Outcome::Failed(failure);
                self.tests.push(Ended { test, outcome, duration: elapsed, log });
            }
            None => {
                let (stage, name) = ("node".to_owned(), self.path.clone());
                self.mishaps.push(Mishap { stage, name, failure });
            }
        }
    }

    /// The test that runs now.
    pub fn running(&self) -> Option<&Test> {
        self.running.as_ref().map(|(test, _)| test)
    }

    /// Log lines from outside of tests.
    pub fn log(&self) -> &[String] {
        &self.log
    }

    /// How many of each.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { failed: self.mishaps.len(), ..Totals::default() };
        for ended in &self.tests {
            match ended.outcome {
                Outcome::Passed => totals.passed += 1,
                Outcome::Failed(_) => totals.failed += 1,
                Outcome::Skipped(_) => totals.skipped += 1,
                Outcome::Listed => totals.listed += 1,
            }
        }
        totals
    }

    fn end(&mut self, test: Test, outcome: Outcome, duration_ms: f64) {
        let log = self.running.take().map(|(_, log)| log).unwrap_or_default();
        self.tests.push(Ended { test, outcome, duration: milliseconds(duration_ms), log });
    }
}

impl Totals {
    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            listed: self.listed + other.listed,
        }
    }

    /// Whether there was no test at all.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

fn milliseconds(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1_000.0).unwrap_or_default()
}
