use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value as Json, json};

use super::mask::{masked, masked_at};
use super::{FormArgs, yaml};
use crate::cli::load::LoadArgs;
use crate::cli::output;
use crate::cli::problem::Problem;
use crate::document::nearest;
use crate::registry::{Entry, Registry};

/// Arguments of `moonmesh registry show`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  moonmesh registry show app:pg\n  moonmesh registry show worker --field source --raw\n  moonmesh registry show app:pg -o app:pg:monitor_buffer=128 --field monitor_buffer\n  moonmesh registry show app:pg --origin\n\nValues of keys that end in secret, token, password or _key are hidden without --raw."
)]
pub struct ShowArgs {
    /// The entry: ns:name, or its bare name if only one has it
    #[arg(value_name = "ID")]
    id: String,
    /// The registry [default: ./registry, else the current folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Only this part of the data, as a.b.0, or of the metadata, as meta.a
    #[arg(long, short, value_name = "PATH")]
    field: Option<String>,
    /// The value only: text without quotes, secrets in clear
    #[arg(long, conflicts_with_all = ["json", "yaml", "origin"])]
    raw: bool,
    /// Where the entry is defined, as file:line
    #[arg(long)]
    origin: bool,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    load: LoadArgs,
}

impl ShowArgs {
    pub(super) fn execute(&self) -> anyhow::Result<()> {
        let registry = self.load.registry(self.folder.as_deref())?;
        let entry = self.find(&registry)?;
        let value = match &self.field {
            Some(path) => self.field(entry, path)?,
            None => self.whole(entry),
        };
        let text = match (&value, self.raw) {
            (Json::String(text), true) => format!("{text}\n"),
            (value, true) => format!("{value}\n"),
            (value, false) if self.form.json => format!("{value:#}\n"),
            (value, false) => yaml(value)?,
        };
        output::print(&text)?;
        Ok(())
    }

    fn find<'r>(&self, registry: &'r Registry) -> Result<&'r Arc<Entry>, Problem> {
        let found = registry.named(&self.id);
        match found.as_slice() {
            [entry] => Ok(entry),
            [] => {
                let ids: Vec<&str> = registry.iter().map(|entry| entry.id().as_str()).collect();
                let problem = Problem::failure(format!("there is no entry {:?}", self.id));
                Err(match nearest(&self.id, ids.iter().copied()) {
                    Some(near) => problem.hint(format!("did you mean {near}?")),
                    None => problem.valid(ids),
                })
            }
            several => Err(Problem::failure(format!("several entries are called {:?}", self.id))
                .valid(several.iter().map(|entry| entry.id()))),
        }
    }

    fn field(&self, entry: &Entry, path: &str) -> Result<Json, Problem> {
        match entry.field(path) {
            Some(value) if self.raw => Ok(value.clone()),
            Some(value) => Ok(masked_at(path, value)),
            None => {
                let problem = Problem::failure(format!("{} has no field {path:?}", entry.id()));
                let fields = entry.data().as_object().map(|fields| fields.keys().cloned());
                let meta = entry.meta().keys().map(|key| format!("meta.{key}"));
                Err(problem.valid(fields.into_iter().flatten().chain(meta)))
            }
        }
    }

    fn whole(&self, entry: &Entry) -> Json {
        let shown = |value: &Json| if self.raw { value.clone() } else { masked(value) };
        let mut object = json!({
            "id": entry.id().as_str(),
            "kind": entry.kind().as_str(),
            "meta": shown(&Json::Object(entry.meta().clone())),
            "data": shown(entry.data()),
        });
        if self.origin {
            let place = entry.place();
            object["origin"] = format!("{}:{}", place.file(), place.line()).into();
        }
        object
    }
}
