use std::path::{Path, PathBuf};

use crate::cli::load::registry_folder;
use crate::cli::problem::Problem;

/// What a command line asks to be run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The services of a registry, until a signal.
    Services { folder: PathBuf },
    /// A table of its commands.
    List { folder: PathBuf },
    /// One of its commands.
    Command { folder: PathBuf, name: String, arguments: Vec<String> },
    /// One of its processes.
    Process { folder: PathBuf, id: String, arguments: Vec<String> },
    /// A file without a registry.
    Script { file: PathBuf, arguments: Vec<String> },
}

/// Whether a word names a file or folder rather than a command.
pub(super) fn is_place(text: &str) -> bool {
    is_lua_file(text) || text.contains('/') || Path::new(text).is_dir()
}

/// Whether a word names a Lua file.
pub(super) fn is_lua_file(text: &str) -> bool {
    text.ends_with(".lua")
}

impl Target {
    /// What the words after `run` mean: a place first, if the first one is one, then a command.
    ///
    /// # Errors
    /// There is no such file, or no registry.
    pub(super) fn of(
        first: Option<&str>,
        words: &[String],
        exec: Option<&str>,
    ) -> Result<Self, Problem> {
        let (place, mut rest) = match first {
            Some(text) if is_place(text) => (Some(text), words.to_vec()),
            Some(word) => (None, [&[word.to_owned()], words].concat()),
            None => (None, words.to_vec()),
        };
        if let Some(file) = place.filter(|place| is_lua_file(place)) {
            if exec.is_some() {
                return Err(Problem::usage("a file is run by itself, without --exec").at(file));
            }
            return Ok(Self::Script { file: file.into(), arguments: rest });
        }
        let folder = registry_folder(place.map(Path::new))?;
        if let Some(id) = exec {
            return Ok(Self::Process { folder, id: id.to_owned(), arguments: rest });
        }
        if rest.is_empty() {
            return Ok(Self::Services { folder });
        }
        let name = rest.remove(0);
        match name.as_str() {
            "list" => Ok(Self::List { folder }),
            _ => Ok(Self::Command { folder, name, arguments: rest }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(first: &str, words: &[&str], exec: Option<&str>) -> Target {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Target::of(Some(first), &words, exec).unwrap()
    }

    #[test]
    fn words_are_a_place_then_a_command_then_its_arguments() {
        let folder = PathBuf::from("registry");
        assert_eq!(of("registry", &[], None), Target::Services { folder: folder.clone() });
        assert_eq!(of("registry", &["list"], None), Target::List { folder: folder.clone() });
        let arguments = vec!["--loud".to_owned()];
        assert_eq!(
            of("registry", &["greet", "--loud"], None),
            Target::Command { folder: folder.clone(), name: "greet".into(), arguments }
        );
        assert_eq!(
            of("greet", &[], None),
            Target::Command { folder: folder.clone(), name: "greet".into(), arguments: vec![] }
        );
        let arguments = vec!["one".to_owned()];
        assert_eq!(
            of("registry", &["one"], Some("app:x")),
            Target::Process { folder, id: "app:x".into(), arguments: arguments.clone() }
        );
        assert_eq!(
            of("a/b.lua", &["one"], None),
            Target::Script { file: "a/b.lua".into(), arguments }
        );
        assert!(Target::of(Some("b.lua"), &[], Some("app:x")).is_err());
    }
}
