//! `moonmesh registry`: what is in a registry, without starting any of it.

mod list;
mod mask;
mod show;

use clap::{Args, Subcommand};
use serde_json::Value as Json;

use self::list::ListArgs;
use self::show::ShowArgs;

/// Arguments of `moonmesh registry`.
#[derive(Debug, Args)]
pub struct RegistryArgs {
    /// What to show
    #[command(subcommand)]
    command: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    /// List entries: all, or those that fit every filter
    List(ListArgs),
    /// Show one entry with its data, after overrides
    Show(ShowArgs),
}

impl RegistryArgs {
    /// Shows what was asked for.
    pub fn execute(&self) -> anyhow::Result<()> {
        match &self.command {
            RegistryCommand::List(args) => args.execute(),
            RegistryCommand::Show(args) => args.execute(),
        }
    }
}

/// The form of a result for machines.
#[derive(Debug, Args)]
struct FormArgs {
    /// As JSON
    #[arg(long, conflicts_with = "yaml")]
    json: bool,
    /// As YAML
    #[arg(long)]
    yaml: bool,
}

fn yaml(value: &Json) -> anyhow::Result<String> {
    Ok(serde_saphyr::to_string(value)?)
}
