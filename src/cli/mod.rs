//! Layer 6: the command line.
//!
//! One file per command, each with its arguments and what it does. Results go to standard output,
//! logs and errors to standard error. All exit codes are in `exit`; errors that a person can act
//! on are [`Problem`]s; anything else that goes wrong is shown with its chain of causes.
//! Sources: `spec/cli.md`, `spec/observability.md` section 6.

mod arguments;
mod bug;
mod certs;
mod check;
mod completions;
mod config;
mod exit;
mod load;
pub mod logging;
mod new;
mod output;
mod problem;
mod registry;
mod run;
pub mod specs;
mod table;
mod test;
mod version;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use arguments::{Cli, Command};
pub use exit::Exit;
use load::Rejected;
use logging::{Format, Log, LogError, Settings, Verbosity};
use output::Colour;
pub use problem::Problem;

use crate::document::Style;

/// Runs the command line that this program was started with.
pub fn main() -> ExitCode {
    bug::guard(run).into()
}

fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match start_log(&cli).and_then(|_log| execute(&cli)) {
        Ok(exit) => exit,
        Err(error) => tell(&error, cli.global.colour()),
    }
}

fn start_log(cli: &Cli) -> anyhow::Result<Log> {
    let global = &cli.global;
    let usual = match &cli.command {
        Command::Run(args) if args.is_quiet() => Verbosity::Warn,
        Command::Test(_) => Verbosity::Warn,
        _ => Verbosity::Info,
    };
    let settings = Settings {
        verbosity: global.verbosity().unwrap_or(usual),
        filter: global.log_filter().map(str::to_owned),
        format: global.log_format().unwrap_or(Format::Text),
        coloured: global.colour().on_stderr(),
    };
    Log::start(&settings, io::stderr()).map_err(|error| match error {
        LogError::Filter(error) => Problem::usage(error.to_string()).at("--log-filter").into(),
        LogError::Taken(_) => error.into(),
    })
}

fn execute(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Certs(args) => args.execute().map(|()| Exit::Fine),
        Command::Check(args) => args.execute(cli.global.colour()),
        Command::Completions(args) => args.execute().map(|()| Exit::Fine),
        Command::Config(args) => args.execute().map(|()| Exit::Fine),
        Command::New(args) => args.execute().map(|()| Exit::Fine),
        Command::Registry(args) => args.execute().map(|()| Exit::Fine),
        Command::Run(args) => args.execute(),
        Command::Test(args) => args.execute(cli.global.colour()),
        Command::Version(args) => args.execute().map(|()| Exit::Fine),
    }
}

/// Prints help, version or what is wrong with the arguments.
fn usage(error: &clap::Error) -> Exit {
    // A reader of the help text that has gone away has seen enough.
    let _ = error.print();
    match error.exit_code() {
        0 => Exit::Fine,
        _ => Exit::Usage,
    }
}

/// Prints why the command failed and says how the program ends.
fn tell(error: &anyhow::Error, colour: Colour) -> Exit {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return Exit::Fine;
    }
    if let Some(Rejected(report)) = error.downcast_ref::<Rejected>() {
        let style = if colour.on_stderr() { Style::Ansi } else { Style::Plain };
        output::complain(&report.render(style));
        return Exit::Failure;
    }
    output::complain(&format!("Error: {error:#}\n"));
    error.downcast_ref::<Problem>().map_or(Exit::Failure, Problem::exit)
}
