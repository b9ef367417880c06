use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;

use super::problem::Problem;
use crate::document::{Report, assignment};
use crate::registry::{LoadOptions, Registry, holds_entries};

/// Flags of every command that reads a registry.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Put a value into an entry, as ns:entry:path=value; repeatable, the last one wins
    #[arg(long = "override", short = 'o', value_name = "NS:ENTRY:PATH=VALUE")]
    overrides: Vec<String>,
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

impl LoadArgs {
    /// What a registry is loaded with.
    ///
    /// # Errors
    /// A report of flags that cannot be read.
    pub fn options(&self) -> Result<LoadOptions, Report> {
        let mut options = LoadOptions { modules: modules(), ..LoadOptions::default() };
        let mut report = Report::new();
        for text in &self.overrides {
            match assignment("--override", text) {
                Ok(given) => options.overrides.push(given),
                Err(problem) => report.push(*problem),
            }
        }
        if report.has_errors() { Err(report) } else { Ok(options) }
    }

    /// The registry in `folder`, or in the default place.
    ///
    /// # Errors
    /// [`Rejected`] with every problem of every file, or a [`Problem`] if there is no default
    /// place.
    pub fn registry(&self, folder: Option<&Path>) -> anyhow::Result<Registry> {
        let folder = registry_folder(folder)?;
        let options = self.options().map_err(Rejected)?;
        Ok(Registry::load(&folder, &options).map_err(Rejected)?)
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

/// The modules that entries may list.
pub(super) const MODULES: [&str; 15] = [
    "channel", "ctx", "errors", "events", "funcs", "json", "logger", "payload", "pg", "process",
    "registry", "security", "system", "time", "uuid",
];

fn modules() -> Vec<String> {
    MODULES.iter().map(|name| (*name).to_owned()).collect()
}
