//! `moonmesh test`: finds Lua specs, runs each file in a node of its own, tells how it went
//! (spec/testing.md).

mod case;
mod find;
mod watch;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::{Semaphore, mpsc};

use super::exit::Exit;
use super::load::LoadArgs;
use super::output::{self, Colour};
use super::problem::Problem;
use super::specs::report::{JsonReport, Junit, Pretty, Reporter, Run, Tap};
use super::specs::{Choice, Suite, Totals};
use crate::document::parse_duration;
use crate::lua::spec::SpecSettings;

use case::Case;

/// Arguments of `moonmesh test`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh test                          every *_spec.lua of tests/lua and below\n  moonmesh test examples/chat            one folder; a registry in it runs beside its specs\n  moonmesh test --filter 'joins twice'   tests whose name fits\n  moonmesh test --tags slow,net          tests with #slow or #net in their names\n\nExit codes: 0 all passed, 1 a failure, 2 no test found, 124 the time of the whole run is over."
)]
pub struct TestArgs {
    /// Spec files, folders with spec files, registries with test entries [default: tests/lua and .]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only tests in whose full name this regular expression is found
    #[arg(long, value_name = "PATTERN")]
    filter: Option<String>,
    /// Only tests with one of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,
    /// Files that run at the same time [default: as many as cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Time of one test
    #[arg(long, value_name = "TIME", default_value = "10s")]
    test_timeout: String,
    /// Time of the whole run
    #[arg(long, value_name = "TIME", default_value = "10m")]
    timeout: String,
    /// How the run is told
    #[arg(long, value_enum, default_value_t = Form::Pretty)]
    reporter: Form,
    /// Write the report to a file; the terminal gets it in the pretty form
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show which tests there are, without running them
    #[arg(long)]
    list: bool,
    /// Run tests in a random order, with this seed or a new one
    #[arg(long, value_name = "SEED", num_args = 0..=1)]
    shuffle: Option<Option<u64>>,
    /// Skip what is left of each file after a failure
    #[arg(long)]
    fail_fast: bool,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Pretty,
    /// Test Anything Protocol, version 14
    Tap,
    /// XML for CI servers
    Junit,
    /// One JSON object
    Json,
}

/// What all files of a run are run with.
struct Plan {
    choice: Choice,
    lists_only: bool,
    fail_fast: bool,
    test_timeout: Duration,
}

impl Plan {
    /// What the node of one case is told of it.
    fn settings(
        &self,
        path: String,
        source: String,
        entry: Option<(String, String)>,
    ) -> SpecSettings {
        SpecSettings {
            path,
            source,
            entry,
            lists_only: self.lists_only,
            is_shuffled: self.choice.seed.is_some(),
            timeout_ms: u64::try_from(self.test_timeout.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl TestArgs {
    /// Runs the specs.
    ///
    /// # Errors
    /// What is wrong with the arguments, a registry or the machine.
    pub fn execute(&self, colour: Colour) -> anyhow::Result<Exit> {
        let plan = Arc::new(self.plan()?);
        let limit = time(&self.timeout, "--timeout")?;
        let cases = find::cases(&self.paths, &self.load)?;
        if cases.is_empty() {
            return Err(nothing_found().into());
        }
        let mut reports = self.reports(colour)?;
        let seed = plan.choice.seed;
        let began = Instant::now();
        let jobs = self.jobs.unwrap_or_else(cores).max(1);
        let (totals, in_time) = run_all(cases, &plan, jobs, limit, &mut reports)?;
        let run = Run { totals, duration: began.elapsed(), seed };
        for (reporter, out) in &mut reports {
            reporter.finish(&run, out)?;
            out.flush()?;
        }
        Ok(match totals {
            _ if !in_time => {
                output::complain(&format!("Error: not done after {}\n", self.timeout));
                Exit::TimedOut
            }
            Totals { failed: 1.., .. } => Exit::Failure,
            totals if totals.is_empty() => return Err(nothing_found().into()),
            _ => Exit::Fine,
        })
    }

    fn plan(&self) -> Result<Plan, Problem> {
        let pattern = self.filter.as_deref().map(regex::Regex::new).transpose();
        let pattern = pattern.map_err(|error| Problem::usage(error.to_string()).at("--filter"))?;
        let seed = self.shuffle.map(|seed| seed.unwrap_or_else(rand::random));
        let tags = self.tags.iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect();
        Ok(Plan {
            choice: Choice { pattern, tags, seed },
            lists_only: self.list,
            fail_fast: self.fail_fast,
            test_timeout: time(&self.test_timeout, "--test-timeout")?,
        })
    }

    fn reports(&self, colour: Colour) -> anyhow::Result<Vec<Report>> {
        let pretty = |coloured| Box::new(Pretty::new(coloured, PathBuf::new()));
        let reporter = |coloured| -> Box<dyn Reporter> {
            match self.reporter {
                Form::Pretty => pretty(coloured),
                Form::Tap => Box::new(Tap::default()),
                Form::Junit => Box::new(Junit::default()),
                Form::Json => Box::new(JsonReport::default()),
            }
        };
        let Some(file) = &self.output else {
            return Ok(vec![(reporter(colour.on_stdout()), Box::new(io::stdout()))]);
        };
        let target = File::create(file).map_err(|error| {
            Problem::usage(format!("cannot write the report: {error}")).at(file.display())
        })?;
        Ok(vec![
            (pretty(colour.on_stdout()), Box::new(io::stdout())),
            (reporter(false), Box::new(BufWriter::new(target))),
        ])
    }
}

/// A reporter and where it writes.
type Report = (Box<dyn Reporter>, Box<dyn Write>);

/// Runs every case, at most `jobs` at a time; reports come in the order of the cases. Answers
/// whether the run ended before `limit`.
fn run_all(
    cases: Vec<Case>,
    plan: &Arc<Plan>,
    jobs: usize,
    limit: Duration,
    reports: &mut [Report],
) -> anyhow::Result<(Totals, bool)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let progress = progress(cases.len());
    let mut totals = Totals::default();
    let in_time = runtime.block_on(async {
        let (done, mut ended) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(jobs));
        let mut waiting: Vec<Option<Suite>> = cases.iter().map(|_| None).collect();
        for (number, case) in cases.into_iter().enumerate() {
            let (plan, gate, done) = (plan.clone(), gate.clone(), done.clone());
            tokio::spawn(async move {
                let _turn = gate.acquire_owned().await;
                let suite = watch::run(case, plan).await;
                let _ = done.send((number, suite));
            });
        }
        drop(done);
        let deadline = tokio::time::Instant::now() + limit;
        let mut next = 0;
        while let Ok(received) = tokio::time::timeout_at(deadline, ended.recv()).await {
            let Some((number, suite)) = received else { return Ok(true) };
            progress.inc(1);
            if let Some(place) = waiting.get_mut(number) {
                *place = Some(suite);
            }
            while let Some(suite) = waiting.get_mut(next).and_then(Option::take) {
                next += 1;
                totals = totals.plus(suite.totals());
                progress.suspend(|| tell(reports, &suite))?;
            }
        }
        io::Result::Ok(false)
    })?;
    progress.finish_and_clear();
    runtime.shutdown_background();
    Ok((totals, in_time))
}

fn tell(reports: &mut [Report], suite: &Suite) -> io::Result<()> {
    for (reporter, out) in reports {
        reporter.suite(suite, out)?;
        out.flush()?;
    }
    Ok(())
}

/// A bar on a terminal, nothing elsewhere.
fn progress(files: usize) -> ProgressBar {
    let bar = ProgressBar::new(files as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {elapsed}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

fn time(text: &str, flag: &str) -> Result<Duration, Problem> {
    parse_duration(text).ok().filter(|time| !time.is_zero()).ok_or_else(|| {
        Problem::usage(format!("{text:?} is no time")).at(flag).valid(["500ms", "10s", "5m"])
    })
}

fn nothing_found() -> Problem {
    Problem::usage("no test found")
        .hint("specs are files called *_spec.lua; see also --filter and --tags")
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
