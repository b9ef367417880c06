mod files;
mod find;
mod kinds;
mod overrides;
mod policies;
mod references;
mod scopes;
mod texts;
mod versions;

use std::path::Path;

use super::{Entry, LoadOptions, Registry};
use crate::document::{Medium, Report, Source, assignment};

/// Options with a few modules, as every test wants them.
fn options() -> LoadOptions {
    let modules = ["pg", "process", "time", "json"].map(str::to_owned).to_vec();
    LoadOptions { modules, ..LoadOptions::default() }
}

/// `options()` with `-o` for each of `overrides`.
fn overriding(overrides: &[&str]) -> LoadOptions {
    let overrides = overrides.iter().map(|text| assignment("-o", text).unwrap()).collect();
    LoadOptions { overrides, ..options() }
}

/// Loads one file in memory.
fn load_with(text: &str, options: &LoadOptions) -> Result<Registry, Report> {
    Registry::from_sources(&[Source::new("a.yaml", text, Medium::File)], options)
}

/// Loads one file in memory, which has to be right.
fn loaded(text: &str) -> Registry {
    load_with(text, &options()).unwrap_or_else(|report| panic!("{report}"))
}

/// The problems of one file in memory, as headlines without the file name.
fn problems(text: &str) -> Vec<String> {
    problems_with(text, &options())
}

fn problems_with(text: &str, options: &LoadOptions) -> Vec<String> {
    match load_with(text, options) {
        Ok(registry) => headlines(registry.warnings()),
        Err(report) => headlines(&report),
    }
}

fn headlines(report: &Report) -> Vec<String> {
    let line = |d: &&crate::document::Diagnostic| d.headline().replacen("a.yaml:", "", 1);
    report.diagnostics().iter().map(line).collect()
}

/// The codes of the problems of one file in memory.
fn codes(text: &str) -> Vec<&'static str> {
    match load_with(text, &options()) {
        Ok(registry) => registry.warnings().diagnostics().iter().map(|d| d.code).collect(),
        Err(report) => report.diagnostics().iter().map(|d| d.code).collect(),
    }
}

/// The entries of namespace `app` with the given lines under `entries:`.
fn app(entries: &str) -> String {
    format!("namespace: app\nentries:\n{entries}")
}

fn entry<'r>(registry: &'r Registry, id: &str) -> &'r Entry {
    registry.get(&id.parse().unwrap()).unwrap_or_else(|| panic!("no entry {id}"))
}

/// Writes `files` below a new directory.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| write(root.path(), name, text));
    root
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The problems of the directory `root`, as headlines without the directory.
fn problems_in(root: &Path) -> Vec<String> {
    let report = match Registry::load(root, &options()) {
        Ok(registry) => registry.warnings().clone(),
        Err(report) => report,
    };
    let directory = format!("{}/", root.display());
    let line = |d: &&crate::document::Diagnostic| d.headline().replace(&directory, "");
    report.diagnostics().iter().map(line).collect()
}
