use std::io::{self, IsTerminal, Write};

use serde_json::Value as Json;

/// Whether texts for people are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal that wants it: not with `--no-color`, `NO_COLOR` or `TERM=dumb`.
    Auto,
    /// Never.
    Never,
    /// Even into a file.
    Always,
}

impl Colour {
    /// The decision for one stream; `variable` looks up an environment variable.
    pub fn allows(self, is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
                is_terminal && !refused && variable("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }

    /// The decision for standard output.
    pub fn on_stdout(self) -> bool {
        self.allows(io::stdout().is_terminal(), environment)
    }

    /// The decision for standard error.
    pub fn on_stderr(self) -> bool {
        self.allows(io::stderr().is_terminal(), environment)
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Writes a result to standard output. A reader that has gone away is an error of kind
/// `BrokenPipe`, which ends the program quietly.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes `value` as indented JSON, with a newline.
pub fn print_json(value: &Json) -> io::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Writes to standard error; there is nobody left to tell if that fails.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_terminal_flag_and_environment() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            }
        };
        assert!(Colour::Auto.allows(true, set(&[])));
        assert!(Colour::Auto.allows(true, set(&[("NO_COLOR", ""), ("TERM", "xterm")])));
        assert!(!Colour::Auto.allows(false, set(&[])));
        assert!(!Colour::Auto.allows(true, set(&[("NO_COLOR", "1")])));
        assert!(!Colour::Auto.allows(true, set(&[("TERM", "dumb")])));
        assert!(!Colour::Never.allows(true, set(&[])));
        assert!(Colour::Always.allows(false, set(&[("NO_COLOR", "1")])));
    }
}
