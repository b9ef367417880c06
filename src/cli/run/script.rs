use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::exec::{self, BUILT_IN_HOST};
use crate::cli::exit::Exit;
use crate::cli::load::{LoadArgs, Loaded, Rejected};
use crate::cli::problem::Problem;
use crate::document::{Medium, Source};
use crate::id::EntryId;
use crate::lua::{Modules, Program, Role};
use crate::registry::{LoadOptions, Registry};

/// What a file finds without writing any entry.
pub(in crate::cli) const READY_MADE: &str = "\
namespace: app
entries:
- {name: pg, kind: pg.scope, lifecycle: {auto_start: true}}
- {name: processes, kind: process.host, lifecycle: {auto_start: true}}
";

/// Runs one Lua file on a node with a host and a scope.
pub(super) fn run(load: &LoadArgs, file: &Path, arguments: &[String]) -> anyhow::Result<Exit> {
    let source = std::fs::read_to_string(file).map_err(|error| {
        Problem::failure(format!("cannot read the file: {error}")).at(file.display())
    })?;
    let config = load.config(file.parent()).map_err(Rejected)?;
    let registry = ready_made_registry().map_err(Rejected)?;
    let program = Program {
        id: script_id()?,
        role: Role::Script,
        chunk_name: file.display().to_string(),
        source: source.into(),
        method: String::new(),
        modules: Modules::All,
        imports: BTreeMap::new(),
        default_host: None,
    };
    exec::run_in(Loaded { config, registry }, BUILT_IN_HOST, arguments, move |node| {
        // By its id a script can start more of itself.
        node.lua().programs.insert(program.clone());
        Ok(node.lua().programs.get(program.id.as_str()).unwrap_or_else(|| Arc::new(program)))
    })
}

/// A registry with the host `app:processes` and the scope `app:pg`.
pub(in crate::cli) fn ready_made_registry() -> Result<Registry, crate::document::Report> {
    let source = Source::new("(ready-made)", READY_MADE, Medium::File);
    Registry::from_sources(&[source], &LoadOptions::default())
}

fn script_id() -> anyhow::Result<EntryId> {
    Ok(EntryId::new("app", "script")?)
}
