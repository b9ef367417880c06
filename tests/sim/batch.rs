//! Many stories on all cores.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::sabotage::Sabotage;
use crate::story;

/// What a batch of runs came to.
#[derive(Debug, Default)]
pub struct Outcome {
    pub runs: u64,
    pub actions: u64,
    pub frames: u64,
    /// One text for each failed run, with the command that repeats it.
    pub failures: Vec<String>,
}

/// Runs the stories of `runs` seeds from `first` on, perhaps with a broken rule. Stops after the
/// first few failures.
pub fn run(first: u64, runs: u64, sabotage: Option<Sabotage>) -> Outcome {
    let next = AtomicU64::new(0);
    let outcome = Mutex::new(Outcome::default());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    let enough = outcome.lock().expect("no panic").failures.len() >= 3;
                    if run >= runs || enough {
                        return;
                    }
                    let seed = first.wrapping_add(run);
                    let result = std::panic::catch_unwind(|| story::run(seed, sabotage));
                    outcome.lock().expect("no panic").add(seed, result);
                }
            });
        }
    });
    outcome.into_inner().expect("no panic")
}

impl Outcome {
    fn add(
        &mut self,
        seed: u64,
        result: thread::Result<Result<story::Summary, crate::checks::Violation>>,
    ) {
        self.runs += 1;
        let what = match result {
            Ok(Ok(summary)) => {
                self.actions += summary.actions as u64;
                self.frames += summary.frames;
                return;
            }
            Ok(Err(violation)) => violation.to_string(),
            Err(_) => "a panic, see above".to_owned(),
        };
        self.failures
            .push(format!("seed {seed}: {what}\n  repeat it: cargo sim --runs 1 --seed {seed}"));
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, actions, frames, failures } = self;
        write!(f, "{runs} runs, {actions} actions, {frames} frames, {} failed", failures.len())
    }
}
