use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use super::certs::CertsArgs;
use super::check::CheckArgs;
use super::completions::CompletionsArgs;
use super::config::ConfigCommandArgs;
use super::logging::{Format, Verbosity};
use super::new::NewArgs;
use super::output::Colour;
use super::registry::RegistryArgs;
use super::run::RunArgs;
use super::test::TestArgs;
use super::version::VersionArgs;

/// Environment variables that stand for a flag and not for a setting.
pub const VARIABLES: [&str; 2] = ["MOONMESH_LOG_FILTER", "MOONMESH_CERTS_DIR"];

/// Runs Lua programs made of many small processes, on one node or on many
///
/// A registry is a directory of YAML entries that say what runs: processes, their hosts, process
/// groups, permissions. `moonmesh run DIR` starts it; processes join groups, broadcast and watch
/// who comes and goes, on this machine or across a cluster.
#[derive(Debug, Parser)]
#[command(
    name = "moonmesh",
    version,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 fine, 1 a configuration or script is at fault, 2 wrong usage or \
                  environment, 101 a bug of ours.\nMore about a command: moonmesh COMMAND --help"
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
    /// Flags of every command
    #[command(flatten)]
    pub global: Global,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make and show the certificates that link nodes to a cluster
    Certs(CertsArgs),
    /// Find mistakes in a registry without starting anything
    Check(CheckArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Show the settings in force and where each comes from
    Config(ConfigCommandArgs),
    /// Make a new application that runs and has a spec
    New(NewArgs),
    /// Run a registry, one of its processes, or a Lua file
    Run(RunArgs),
    /// Show what is in a registry without starting anything
    Registry(RegistryArgs),
    /// Run Lua specs
    Test(TestArgs),
    /// Print the version
    Version(VersionArgs),
}

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Log and colour")]
pub struct Global {
    /// Log more: debug messages
    #[arg(long, short, global = true, conflicts_with_all = ["very_verbose", "silent"])]
    verbose: bool,
    /// Log everything, with the place in the source of each message
    #[arg(long, global = true, conflicts_with = "silent")]
    very_verbose: bool,
    /// Log nothing
    #[arg(long, short, global = true)]
    silent: bool,
    /// Log for a person at a terminal: coloured, time since the start instead of the clock
    #[arg(long, short, global = true)]
    console: bool,
    /// What a log line on stderr looks like
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// Log level for all, or for parts: "debug", "warn,pg=trace,mesh=debug"
    #[arg(long, global = true, value_name = "FILTER", env = VARIABLES[0])]
    log_filter: Option<String>,
    /// No colours, as with NO_COLOR=1 in the environment
    #[arg(long, global = true, action = ArgAction::SetTrue)]
    no_color: bool,
}

/// Form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

impl Global {
    /// Whether texts are coloured.
    pub fn colour(&self) -> Colour {
        match (self.no_color, self.console) {
            (true, _) => Colour::Never,
            (false, true) => Colour::Always,
            (false, false) => Colour::Auto,
        }
    }

    /// How much is logged, if a flag says so.
    pub fn verbosity(&self) -> Option<Verbosity> {
        [
            (self.silent, Verbosity::Silent),
            (self.very_verbose, Verbosity::Trace),
            (self.verbose, Verbosity::Debug),
        ]
        .into_iter()
        .find_map(|(given, verbosity)| given.then_some(verbosity))
    }

    /// The log filter, if one is given.
    pub fn log_filter(&self) -> Option<&str> {
        self.log_filter.as_deref()
    }

    /// The form of log lines, if a flag says so.
    pub fn log_format(&self) -> Option<Format> {
        match (self.log_format, self.console) {
            (Some(LogFormat::Json), _) => Some(Format::Json),
            (_, true) => Some(Format::Elapsed),
            (Some(LogFormat::Text), false) => Some(Format::Text),
            (None, false) => None,
        }
    }
}
