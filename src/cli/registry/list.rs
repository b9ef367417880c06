use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use super::mask::masked;
use super::{FormArgs, yaml};
use crate::cli::load::LoadArgs;
use crate::cli::output;
use crate::cli::problem::Problem;
use crate::cli::table::table;
use crate::registry::{Entry, Filter, Glob, MetaCondition};

/// Arguments of `moonmesh registry list`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh registry list\n  moonmesh registry list -k 'process.*' -n app\n  moonmesh registry list --meta enabled=true --meta 'team^back' --json | jq -r '.[].id'\n\nOperators of --meta: k=v equal, k~regex, k*part contains, k^start, k$end; a.b leads into maps."
)]
pub struct ListArgs {
    /// The registry [default: ./registry, else the current folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Only kinds that fit this pattern; * stands for anything
    #[arg(long, short, value_name = "PATTERN")]
    kind: Option<String>,
    /// Only namespaces that fit this pattern
    #[arg(long = "ns", short, value_name = "PATTERN")]
    namespace: Option<String>,
    /// Only names that fit this pattern
    #[arg(long, value_name = "PATTERN")]
    name: Option<String>,
    /// Only entries with this in their metadata; repeatable, all must hold
    #[arg(long, value_name = "CONDITION")]
    meta: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    load: LoadArgs,
}

impl ListArgs {
    pub(super) fn execute(&self) -> anyhow::Result<()> {
        let filter = self.filter()?;
        let registry = self.load.registry(self.folder.as_deref())?;
        let found: Vec<&Entry> = registry.find(&filter).map(|entry| &**entry).collect();
        let list = || found.iter().map(|entry| to_json(entry)).collect::<Json>();
        if self.form.json {
            output::print_json(&list())?;
        } else if self.form.yaml {
            output::print(&yaml(&list())?)?;
        } else if found.is_empty() {
            output::print("No entries found\n")?;
        } else {
            let rows = found.iter().map(|e| vec![e.id().to_string(), e.kind().as_str().to_owned()]);
            let total = format!("\nTotal: {} entries\n", found.len());
            output::print(&(table(&["ID", "KIND"], rows) + &total))?;
        }
        Ok(())
    }

    fn filter(&self) -> Result<Filter, Problem> {
        let glob = |pattern: &Option<String>| pattern.as_deref().map(Glob::new);
        let condition = |text: &String| {
            MetaCondition::parse(text)
                .map_err(|error| Problem::usage(error.to_string()).at("--meta"))
        };
        Ok(Filter {
            kind: glob(&self.kind),
            namespace: glob(&self.namespace),
            name: glob(&self.name),
            id: None,
            meta: self.meta.iter().map(condition).collect::<Result<_, _>>()?,
        })
    }
}

fn to_json(entry: &Entry) -> Json {
    let meta = masked(&Json::Object(entry.meta().clone()));
    json!({"id": entry.id().as_str(), "kind": entry.kind().as_str(), "meta": meta})
}
