//! `moonmesh config`: the settings in force, and where each comes from.

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use super::load::{ConfigArgs, Rejected, registry_folder};
use super::output;
use super::problem::Problem;
use super::table::table;
use crate::config::{Config, Setting};
use crate::document::nearest;

/// Arguments of `moonmesh config`.
#[derive(Debug, Args)]
pub struct ConfigCommandArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show every setting with its value and where that comes from
    Show(ShowArgs),
}

/// Arguments of `moonmesh config show`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh config show\n  moonmesh config show cluster.membership\n  moonmesh config show --config base.yaml --config prod.yaml --set shutdown.timeout=5s\n  moonmesh config show --json | jq '.[] | select(.origin != \"default\")'\n\nLow to high: built in, files from left to right, MOONMESH_* in the environment, --set."
)]
struct ShowArgs {
    /// Only this setting, or those below it
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// As JSON: path, value, origin, environment variable
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// What is shown in place of a secret.
const MASK: &str = "********";

impl ConfigCommandArgs {
    /// Shows what was asked for.
    pub fn execute(&self) -> anyhow::Result<()> {
        let ConfigCommand::Show(args) = &self.command;
        let config = args.config.load(registry_folder(None).ok().as_deref()).map_err(Rejected)?;
        let settings = args.chosen(&config)?;
        if args.json {
            let list: Json = settings.iter().map(|setting| to_json(setting)).collect();
            output::print_json(&list)?;
        } else {
            let rows = settings.iter().map(|setting| {
                vec![setting.path.clone(), text(setting), setting.origin.to_string()]
            });
            output::print(&table(&["SETTING", "VALUE", "FROM"], rows))?;
        }
        Ok(())
    }
}

impl ShowArgs {
    fn chosen<'c>(&self, config: &'c Config) -> Result<Vec<&'c Setting>, Problem> {
        let Some(wanted) = &self.path else { return Ok(config.settings().iter().collect()) };
        let below = format!("{wanted}.");
        let fits = |setting: &&Setting| setting.path == *wanted || setting.path.starts_with(&below);
        let chosen: Vec<_> = config.settings().iter().filter(fits).collect();
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let problem = Problem::failure(format!("there is no setting {wanted:?}"));
        let paths = config.settings().iter().map(|setting| setting.path.as_str());
        Err(match nearest(wanted, paths) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem.hint("moonmesh config show lists all"),
        })
    }
}

fn to_json(setting: &Setting) -> Json {
    json!({
        "path": setting.path,
        "value": shown(setting),
        "origin": setting.origin.to_string(),
        "variable": Config::variable_of(&setting.path),
    })
}

fn shown(setting: &Setting) -> Json {
    match setting.is_secret() && !setting.value.is_null() {
        true => MASK.into(),
        false => setting.value.clone(),
    }
}

fn text(setting: &Setting) -> String {
    match shown(setting) {
        Json::Null => "-".to_owned(),
        Json::String(text) => text,
        other => other.to_string(),
    }
}
