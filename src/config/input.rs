use std::path::PathBuf;

use crate::document::Assignment;

/// What a configuration is made from.
#[derive(Debug, Clone, Default)]
pub struct ConfigInput {
    /// Files that were named; each has to exist. A later one wins, setting by setting.
    pub files: Vec<PathBuf>,
    /// The file that is read if none was named and it exists.
    pub default_file: Option<PathBuf>,
    /// The environment.
    pub variables: Vec<(String, String)>,
    /// `MOONMESH_*` variables that are no settings, but known to the caller.
    pub other_variables: Vec<String>,
    /// What `--set` gave.
    pub assignments: Vec<Assignment>,
    /// The name of this machine, for a node that has no other.
    pub host_name: Option<String>,
}

impl ConfigInput {
    /// The environment and the name of this machine; no files.
    pub fn of_this_process() -> Self {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        Self {
            variables: std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect(),
            host_name: host_name(),
            ..Self::default()
        }
    }

    /// The value of an environment variable.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The name of this machine, where the system tells it in a file or a variable.
fn host_name() -> Option<String> {
    let file = |path| std::fs::read_to_string(path).ok();
    let variable = |name| std::env::var(name).ok();
    let name = file("/proc/sys/kernel/hostname")
        .or_else(|| file("/etc/hostname"))
        .or_else(|| variable("HOSTNAME"))
        .or_else(|| variable("COMPUTERNAME"))?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
