use std::fmt;

use super::exit::Exit;

/// A problem told to a person: what is wrong, where, what would be valid, what to try.
///
/// It is the root of an `anyhow` error where a command knows more than a text; other errors are
/// shown with their chain of causes.
#[derive(Debug, Clone)]
pub struct Problem {
    exit: Exit,
    what: String,
    place: Option<String>,
    valid: Vec<String>,
    hints: Vec<String>,
}

impl Problem {
    /// The configuration or a script is at fault.
    pub fn failure(what: impl Into<String>) -> Self {
        Self::new(Exit::Failure, what.into())
    }

    /// The command line or the machine is at fault.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what.into())
    }

    fn new(exit: Exit, what: String) -> Self {
        Self { exit, what, place: None, valid: Vec::new(), hints: Vec::new() }
    }

    /// Where it is: a file with line and column, a flag, an entry.
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// What would have been accepted.
    pub fn valid<T: fmt::Display>(mut self, valid: impl IntoIterator<Item = T>) -> Self {
        self.valid.extend(valid.into_iter().map(|one| one.to_string()));
        self
    }

    /// Something to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// How the program ends because of it.
    pub fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(place) = &self.place {
            write!(f, "\n  where: {place}")?;
        }
        if !self.valid.is_empty() {
            write!(f, "\n  valid: {}", shortened(&self.valid))?;
        }
        for hint in &self.hints {
            write!(f, "\n  try: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// The first of many, and how many more there are.
fn shortened(all: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = all.get(..SHOWN).unwrap_or(all).join(", ");
    match all.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_known_is_said() {
        let problem = Problem::failure("no entry \"app:x\"")
            .at("./registry")
            .valid(["app:a", "app:b"])
            .hint("moonmesh registry list");
        assert_eq!(
            problem.to_string(),
            "no entry \"app:x\"\n  where: ./registry\n  valid: app:a, app:b\n  try: moonmesh registry list"
        );
        assert_eq!(problem.exit(), Exit::Failure);
    }

    #[test]
    fn long_lists_are_cut() {
        let text = Problem::usage("x").valid(0..20).to_string();
        assert!(text.ends_with("10, 11 and 8 more"), "{text}");
    }
}
