mod cluster;
mod layers;
mod sections;

use super::{Config, ConfigInput, Origin};
use crate::document::{Diagnostic, Report, assignment};

/// A directory with configuration files, and what a configuration is made from.
struct Scene {
    directory: tempfile::TempDir,
    input: ConfigInput,
}

impl Scene {
    fn new() -> Self {
        let input = ConfigInput { host_name: Some("box".to_owned()), ..ConfigInput::default() };
        Self { directory: tempfile::tempdir().unwrap(), input }
    }

    fn file(mut self, name: &str, text: &str) -> Self {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        self.input.files.push(path);
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.input.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn set(mut self, text: &str) -> Self {
        self.input.assignments.push(assignment("--set", text).unwrap());
        self
    }

    fn load(&self) -> Result<Config, Report> {
        Config::load(&self.input)
    }

    fn loaded(&self) -> Config {
        self.load().unwrap_or_else(|report| panic!("{report}"))
    }

    /// All problems as headlines, without the directory.
    fn problems(&self) -> Vec<String> {
        let report = match self.load() {
            Ok(config) => config.warnings().clone(),
            Err(report) => report,
        };
        let directory = format!("{}/", self.directory.path().display());
        let line = |d: &&Diagnostic| d.headline().replace(&directory, "");
        report.diagnostics().iter().map(line).collect()
    }

    /// The origin of a setting, without the directory.
    fn origin(&self, path: &str) -> String {
        let config = self.loaded();
        let setting = config.settings().iter().find(|setting| setting.path == path).unwrap();
        let directory = format!("{}/", self.directory.path().display());
        setting.origin.to_string().replace(&directory, "")
    }
}

/// The problems of one file.
fn problems(text: &str) -> Vec<String> {
    Scene::new().file("m.yaml", text).problems()
}

/// The configuration of one file, which has to be right.
fn loaded(text: &str) -> Config {
    Scene::new().file("m.yaml", text).loaded()
}

/// The only problem of one file, without the place.
fn problem(text: &str) -> String {
    let faults = problems(text);
    assert_eq!(faults.len(), 1, "{text}: {faults:?}");
    let (_, rest) = faults[0].split_once(": ").unwrap();
    rest.to_owned()
}
