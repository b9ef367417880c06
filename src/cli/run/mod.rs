//! `moonmesh run`: starts a registry, one of its processes, or a single Lua file.

mod commands;
mod exec;
mod result;
mod script;
mod serve;
mod signals;
mod target;

use std::io::Write;
use std::sync::Arc;

use clap::Args;

use super::exit::Exit;
use super::load::LoadArgs;
use super::problem::Problem;
use crate::config::Config;
use crate::lua::Output;
use crate::node::{Node, NodeError, NodeOptions};
use crate::registry::Registry;

pub(super) use script::ready_made_registry;
use target::Target;

/// Arguments of `moonmesh run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh run                        services of ./registry until Ctrl-C\n  moonmesh run examples/chat          services of another registry\n  moonmesh run hello.lua one -- --two  a single file: host app:processes and scope app:pg are there\n  moonmesh run registry list          the commands of a registry\n  moonmesh run registry greet --loud  one of them; what follows its name is passed on\n  moonmesh run --exec app:job         a process by its id\n\nThe result of a file, command or process is the exit code if it is a number from 0 to 255; true and\nnothing are 0, false and errors are 1; a text or table is printed. Ctrl-C asks for a stop, a second\none forces it."
)]
pub struct RunArgs {
    /// A registry or a Lua file [default: ./registry, else the current folder], or a command of it
    #[arg(value_name = "DIR|FILE.lua")]
    target: Option<String>,
    /// A command of the registry, or `list`; then its arguments. For a file: its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    words: Vec<String>,
    /// Run this process to its end instead, beside the services
    #[arg(long, short = 'x', value_name = "NS:ENTRY")]
    exec: Option<String>,
    /// The process host of --exec or the command [default: the entry's own, else the only one]
    #[arg(long, value_name = "NS:ENTRY")]
    host: Option<String>,
    /// Exit with 1 if a service with auto_start does not come up
    #[arg(long)]
    strict_start: bool,
    #[command(flatten)]
    load: LoadArgs,
}

impl RunArgs {
    /// Whether one process is run to its end, with its output as the only output.
    pub fn is_quiet(&self) -> bool {
        let named_command = self.target.as_deref().is_some_and(|text| !target::is_place(text));
        let is_file = self.target.as_deref().is_some_and(target::is_lua_file);
        self.exec.is_some() || !self.words.is_empty() || named_command || is_file
    }

    /// Runs it.
    ///
    /// # Errors
    /// What is wrong with the registry, the command line or the machine. What a process fails with
    /// is told by the exit code and on standard error.
    pub fn execute(&self) -> anyhow::Result<Exit> {
        let target = Target::of(self.target.as_deref(), &self.words, self.exec.as_deref())?;
        match target {
            Target::Script { file, arguments } => script::run(&self.load, &file, &arguments),
            Target::List { folder } => commands::list(&self.load.load_or_reject(&folder)?.registry),
            Target::Services { folder } => {
                let loaded = self.load.load_or_reject(&folder)?;
                serve::run(loaded, self.strict_start)
            }
            Target::Command { folder, name, arguments } => {
                let loaded = self.load.load_or_reject(&folder)?;
                let id = commands::find(&loaded.registry, &name)?;
                exec::run(loaded, &id, self.host.as_deref(), &arguments)
            }
            Target::Process { folder, id, arguments } => {
                let loaded = self.load.load_or_reject(&folder)?;
                let id = commands::process(&loaded.registry, &id)?;
                exec::run(loaded, &id, self.host.as_deref(), &arguments)
            }
        }
    }
}

/// The tokio runtime of a node: for timers, signals and the mesh; processes have their own threads.
fn tokio_runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| Problem::usage(format!("cannot start threads: {error}")).into())
}

/// A node whose `print` goes to standard output.
fn start_node(config: Config, registry: Registry) -> anyhow::Result<Node> {
    let options = NodeOptions {
        config,
        registry,
        output: Output::Lines(Arc::new(print_line)),
        workers: None,
        spec: None,
    };
    Node::start(options).map_err(|error| match error {
        NodeError::Machine(_) | NodeError::Hosts(_) => Problem::usage(error.to_string()).into(),
        other => Problem::failure(other.to_string()).into(),
    })
}

fn print_line(line: &[u8]) {
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is no reason to stop working.
    let _ = out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}
