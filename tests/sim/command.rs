//! `cargo sim [--runs N] [--seed S] [--sabotage RULE] [--nodes N]`: simulated clusters under faults.
//!
//! Without `--nodes` it runs stories of 3 to 7 nodes, from a seed that the clock gives or that is
//! given. With `--nodes` it measures what a healthy cluster of that size costs on the wire.

mod batch;
mod checks;
mod dice;
mod network;
mod node;
mod report;
mod sabotage;
mod story;
mod world;

use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;

/// Simulated clusters under faults: every view must be exact once all is healed.
#[derive(Parser)]
#[command(name = "cargo sim")]
struct Arguments {
    /// How many stories to run.
    #[arg(long, default_value_t = 10_000)]
    runs: u64,
    /// The seed of the first one; the next ones count up from it.
    #[arg(long)]
    seed: Option<u64>,
    /// Break a rule on purpose: some runs must fail then.
    #[arg(long)]
    sabotage: Option<sabotage::Sabotage>,
    /// Measure the traffic of a healthy cluster of this size instead.
    #[arg(long)]
    nodes: Option<usize>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(nodes) = arguments.nodes {
        print!("{}", report::measure(nodes.max(2)));
        return ExitCode::SUCCESS;
    }
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = arguments.seed.unwrap_or(clock.as_nanos() as u64 & 0xffff_ffff_ffff);
    let begin = Instant::now();
    let outcome = batch::run(seed, arguments.runs, arguments.sabotage);
    println!("{outcome}, from seed {seed}, in {:.1?}", begin.elapsed());
    for failure in &outcome.failures {
        println!("{failure}");
    }
    if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
