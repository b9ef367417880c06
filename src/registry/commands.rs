use std::collections::HashMap;

use serde_json::Value as Json;

use crate::document::{Diagnostic, Report};

use super::code;
use super::entry::Entry;
use super::kind::Definition;

/// How an entry can be run by name from the command line: `meta.command` of a process (cli.md
/// section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Name on the command line.
    pub name: String,
    /// One line of help; empty if there is none.
    pub short: String,
    /// Whether it is the one to run if none is named.
    pub is_main: bool,
    /// What it is for: `run` or `test`, or another word. Default `run`.
    pub use_case: String,
}

impl Entry {
    /// The command that the entry is, if it is one.
    pub fn command(&self) -> Option<Command> {
        if !self.kind().as_str().starts_with("process.") {
            return None;
        }
        let command = self.meta().get("command")?;
        let text = |key: &str| command.get(key).and_then(Json::as_str);
        Some(Command {
            name: text("name").filter(|name| !name.trim().is_empty())?.to_owned(),
            short: text("short").unwrap_or_default().to_owned(),
            is_main: command.get("main").and_then(Json::as_bool).unwrap_or(false),
            use_case: text("use_case").unwrap_or("run").to_owned(),
        })
    }
}

/// Reports commands and variables whose name is taken by another entry.
pub(super) fn check(entries: &[Entry], report: &mut Report) {
    let commands = entries.iter().filter_map(|entry| Some((entry.command()?.name, entry)));
    refuse_repeated(commands, code::DUPLICATE_COMMAND, "command", "meta.command.name", report);
    let variables = entries.iter().filter_map(|entry| match entry.definition() {
        Definition::EnvVariable(variable) => Some((variable.variable.as_ref()?.to_string(), entry)),
        _ => None,
    });
    refuse_repeated(variables, code::DUPLICATE_VARIABLE, "variable", "variable", report);
}

fn refuse_repeated<'a>(
    named: impl Iterator<Item = (String, &'a Entry)>,
    code: &'static str,
    what: &str,
    field: &str,
    report: &mut Report,
) {
    let mut first: HashMap<String, &Entry> = HashMap::new();
    for (name, entry) in named {
        let Some(other) = first.get(&name) else {
            first.insert(name, entry);
            continue;
        };
        let message = format!("the {what} `{name}` is that of `{}` too", other.id());
        let diagnostic = Diagnostic::error(code, entry.place().clone(), message);
        let diagnostic = diagnostic.entry(entry.id().as_str()).field(field);
        report.push(diagnostic.related(other.place().clone(), "the first one"));
    }
}
