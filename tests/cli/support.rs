//! Running the binary and looking at what it says.

use std::path::Path;
use std::process::{Command, Output};

/// A command line of the binary in an environment without settings of the developer.
pub fn moonmesh(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moonmesh"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MOONMESH_")) {
        command.env_remove(name);
    }
    command.args(arguments).env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    command
}

/// What a finished run left behind.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Asserts the exit code, showing everything if it is another.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}:\n{}", self.out))
    }
}

/// Runs to the end.
pub fn run(arguments: &[&str]) -> Ended {
    finish(&mut moonmesh(arguments))
}

/// Runs to the end in `folder`.
pub fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
    finish(moonmesh(arguments).current_dir(folder))
}

/// Runs `command` to the end.
pub fn finish(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: status.code(), out: text(stdout), err: text(stderr) }
}
