//! `moonmesh check`: everything that can be found wrong without starting anything.

mod lua;
mod script;
mod tokens;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use super::exit::Exit;
use super::load::{LoadArgs, Loaded, registry_folder};
use super::output::{self, Colour};
use super::table::table;
use crate::document::{Diagnostic, Report, Severity, Style};
use crate::registry::Glob;

/// Arguments of `moonmesh check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh check\n  moonmesh check examples/chat --level hint\n  moonmesh check --json | jq '.diagnostics[].message'\n\nFinds what keeps a registry from loading, Lua that does not compile, modules that are required but\nnot listed, missing methods, unused imports. Exit code 1 if there is an error."
)]
pub struct CheckArgs {
    /// The registry [default: ./registry, else the current folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The least serious problems to show
    #[arg(long, value_enum, default_value_t = Level::Warning)]
    level: Level,
    /// Only entries of namespaces that fit this pattern; * stands for anything
    #[arg(long = "ns", value_name = "PATTERN")]
    namespace: Option<String>,
    /// Only problems with this code; repeatable
    #[arg(long, value_name = "CODE")]
    code: Vec<String>,
    /// Show at most this many; 0 for all. All are counted.
    #[arg(long, default_value_t = 0, value_name = "N")]
    limit: usize,
    /// How many problems of each code there are, instead of the problems
    #[arg(long)]
    summary: bool,
    /// As JSON
    #[arg(long, conflicts_with = "summary")]
    json: bool,
    /// Accepted for scripts that were written for other tools: nothing is kept between runs
    #[arg(long, hide = true)]
    cache_reset: bool,
    #[command(flatten)]
    load: LoadArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Level {
    /// What keeps everything from starting
    Error,
    /// And what is likely not what was meant
    Warning,
    /// And what could be tidier
    Hint,
}

impl CheckArgs {
    /// Checks and shows.
    pub fn execute(&self, colour: Colour) -> anyhow::Result<Exit> {
        let folder = registry_folder(self.folder.as_deref())?;
        let (found, entries) = match self.load.load(&folder) {
            Ok(Loaded { config, registry }) => {
                let mut found = config.warnings().clone();
                found.extend(lua::check(&registry));
                (found, registry.len())
            }
            Err(report) => (report, 0),
        };
        let wanted = self.wanted(&found);
        let shown = match self.limit {
            0 => wanted.as_slice(),
            limit => wanted.get(..limit).unwrap_or(&wanted),
        };
        output::print(&if self.json {
            format!("{:#}\n", machine_form(&wanted, shown, entries))
        } else if self.summary {
            by_code(&wanted)
        } else {
            self.text(&wanted, shown, entries, colour)
        })?;
        let failed = wanted.iter().any(|one| one.severity == Severity::Error);
        Ok(if failed { Exit::Failure } else { Exit::Fine })
    }

    /// The problems that pass the filters, by place.
    fn wanted<'r>(&self, found: &'r Report) -> Vec<&'r Diagnostic> {
        let level = match self.level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Hint => Severity::Hint,
        };
        let namespace = self.namespace.as_deref().map(Glob::new);
        let fits = |one: &&Diagnostic| {
            let of_entry = one.entry.as_deref().and_then(|id| id.split_once(':'));
            one.severity <= level
                && (self.code.is_empty() || self.code.iter().any(|code| code == one.code))
                && namespace.as_ref().is_none_or(|glob| {
                    of_entry.is_some_and(|(namespace, _)| glob.matches(namespace))
                })
        };
        found.diagnostics().into_iter().filter(fits).collect()
    }

    fn text(
        &self,
        wanted: &[&Diagnostic],
        shown: &[&Diagnostic],
        entries: usize,
        colour: Colour,
    ) -> String {
        if wanted.is_empty() {
            return format!("{entries} entries, no problem found\n");
        }
        let style = if colour.on_stdout() { Style::Ansi } else { Style::Plain };
        let report = |all: &[&Diagnostic]| {
            let mut report = Report::new();
            all.iter().for_each(|one| report.push((*one).clone()));
            report
        };
        let mut text = report(shown).render(style);
        if shown.len() < wanted.len() {
            let all = report(wanted).summary().unwrap_or_default();
            text.push_str(&format!("the first {} of {all} (--limit)\n", shown.len()));
        }
        text
    }
}

fn machine_form(wanted: &[&Diagnostic], shown: &[&Diagnostic], entries: usize) -> Json {
    let count = |severity| wanted.iter().filter(|one| one.severity == severity).count();
    let one = |one: &&Diagnostic| {
        json!({
            "entry_id": one.entry.as_deref(),
            "field": one.field,
            "code": one.code,
            "severity": one.severity.as_str(),
            "message": one.message,
            "file": one.span.file().as_ref(),
            "line": one.span.line(),
            "column": one.span.column(),
        })
    };
    json!({
        "diagnostics": shown.iter().map(one).collect::<Json>(),
        "total_entries": entries,
        "error_count": count(Severity::Error),
        "warning_count": count(Severity::Warning),
        "hint_count": count(Severity::Hint),
    })
}

fn by_code(wanted: &[&Diagnostic]) -> String {
    let mut counts: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    for one in wanted {
        *counts.entry((one.severity, one.code)).or_default() += 1;
    }
    let rows = counts.into_iter().map(|((severity, code), count)| {
        vec![count.to_string(), severity.as_str().to_owned(), code.to_owned()]
    });
    table(&["COUNT", "SEVERITY", "CODE"], rows)
}
