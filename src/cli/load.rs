use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::VARIABLES;
use super::problem::Problem;
use crate::config::{Config, ConfigInput};
use crate::document::{Assignment, Report, assignment};
use crate::registry::{Disable, LoadOptions, Registry, holds_entries};

/// The name of the configuration file beside a registry.
const CONFIG_FILE: &str = "moonmesh.yaml";

/// Flags of every command that reads the configuration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Configuration")]
pub struct ConfigArgs {
    /// A configuration file; repeatable, a later one wins [default: moonmesh.yaml beside the registry]
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// A setting, as section.path=value; repeatable, wins over files and environment
    #[arg(long, value_name = "SETTING=VALUE")]
    set: Vec<String>,
}

/// Flags of every command that reads a registry.
#[derive(Debug, Args)]
#[command(next_help_heading = "Configuration")]
pub struct LoadArgs {
    /// Put a value into an entry, as ns:entry:path=value; repeatable, the last one wins
    #[arg(long = "override", short = 'o', value_name = "NS:ENTRY:PATH=VALUE")]
    overrides: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A registry and the configuration that it was loaded with.
#[derive(Debug)]
pub struct Loaded {
    /// The settings of the node.
    pub config: Config,
    /// What it runs.
    pub registry: Registry,
}

/// Everything that is wrong with a registry or its settings; already a text for people.
#[derive(Debug)]
pub struct Rejected(pub Report);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.summary().unwrap_or_default())
    }
}

impl std::error::Error for Rejected {}

impl ConfigArgs {
    /// The configuration of a node whose registry is in `folder`.
    ///
    /// # Errors
    /// Every problem of files, variables and flags.
    pub fn load(&self, folder: Option<&Path>) -> Result<Config, Report> {
        let (assignments, mut report) = assignments("--set", &self.set);
        let input = ConfigInput {
            files: self.config.clone(),
            default_file: Some(folder.map_or_else(|| PathBuf::from(CONFIG_FILE), beside)),
            other_variables: VARIABLES.iter().map(|name| (*name).to_owned()).collect(),
            assignments,
            ..ConfigInput::of_this_process()
        };
        match Config::load(&input) {
            Ok(config) if !report.has_errors() => Ok(config),
            Ok(_) => Err(report),
            Err(found) => {
                report.extend(found);
                Err(report)
            }
        }
    }
}

impl LoadArgs {
    /// The configuration alone, for a file that is run without a registry in `folder`.
    ///
    /// # Errors
    /// Every problem of files, variables and flags.
    pub fn config(&self, folder: Option<&Path>) -> Result<Config, Report> {
        self.config.load(folder.filter(|folder| !folder.as_os_str().is_empty()))
    }

    /// As [`LoadArgs::load`].
    ///
    /// # Errors
    /// [`Rejected`], which is shown to people as it is.
    pub fn load_or_reject(&self, folder: &Path) -> Result<Loaded, Rejected> {
        self.load(folder).map_err(Rejected)
    }

    /// Registry and configuration of `folder`.
    ///
    /// # Errors
    /// Every problem of both together.
    pub fn load(&self, folder: &Path) -> Result<Loaded, Report> {
        let (overrides, mut report) = assignments("--override", &self.overrides);
        let config = self.config.load(Some(folder));
        let options = self.options(config.as_ref().ok(), overrides);
        let registry = Registry::load(folder, &options);
        match (config, registry) {
            (Ok(config), Ok(registry)) if !report.has_errors() => Ok(Loaded { config, registry }),
            (config, registry) => {
                [config.err(), registry.err()]
                    .into_iter()
                    .flatten()
                    .for_each(|more| report.extend(more));
                Err(report)
            }
        }
    }

    /// The registry in `folder`, or in the default place.
    ///
    /// # Errors
    /// [`Rejected`] with every problem of every file, or a [`Problem`] if there is no default
    /// place.
    pub fn registry(&self, folder: Option<&Path>) -> anyhow::Result<Registry> {
        let folder = registry_folder(folder)?;
        Ok(self.load(&folder).map_err(Rejected)?.registry)
    }

    fn options(&self, config: Option<&Config>, overrides: Vec<Assignment>) -> LoadOptions {
        let mut all = config.map(|config| config.overrides.clone()).unwrap_or_default();
        all.extend(overrides);
        let disable = config.map(|config| config.disable.clone()).unwrap_or_default();
        LoadOptions {
            modules: MODULES.iter().map(|name| (*name).to_owned()).collect(),
            overrides: all,
            disable: Disable {
                namespaces: disable.namespaces,
                entries: disable.entries,
                meta: disable.meta,
            },
        }
    }
}

/// Where the registry is: as given, else `./registry`, else the current folder if it holds
/// entries.
///
/// # Errors
/// None of them is one.
pub fn registry_folder(given: Option<&Path>) -> Result<PathBuf, Problem> {
    let default = Path::new("registry");
    let here = Path::new(".");
    match given {
        Some(folder) => Ok(folder.to_owned()),
        None if default.is_dir() => Ok(default.to_owned()),
        None if holds_entries(here) => Ok(here.to_owned()),
        None => Err(Problem::failure("there is no registry here")
            .at("./registry and the current folder")
            .hint("name its folder as an argument, or make one: moonmesh new NAME")),
    }
}

/// The configuration file that belongs to a registry: the one beside it, and for the current
/// folder the one in it.
fn beside(folder: &Path) -> PathBuf {
    // The folder above ".." is not the one that its text suggests.
    let whole = match folder.ends_with("..") {
        true => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
        false => folder.to_owned(),
    };
    whole.parent().unwrap_or(Path::new("")).join(CONFIG_FILE)
}

fn assignments(flag: &str, texts: &[String]) -> (Vec<Assignment>, Report) {
    let mut report = Report::new();
    let mut given = Vec::new();
    for text in texts {
        match assignment(flag, text) {
            Ok(one) => given.push(one),
            Err(problem) => report.push(*problem),
        }
    }
    (given, report)
}

/// The modules that entries may list.
pub(super) const MODULES: &[&str] = crate::lua::modules::NAMES;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_beside_the_registry() {
        for (folder, file) in [
            ("registry", "moonmesh.yaml"),
            ("./registry/", "./moonmesh.yaml"),
            (".", "moonmesh.yaml"),
            ("/srv/app/registry", "/srv/app/moonmesh.yaml"),
        ] {
            assert_eq!(beside(Path::new(folder)), Path::new(file), "{folder}");
        }
    }
}
