use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::problem::Problem;
use crate::cli::table::table;
use crate::id::EntryId;
use crate::registry::{Entry, Kind, Registry};

/// Prints the commands of a registry.
pub(super) fn list(registry: &Registry) -> anyhow::Result<Exit> {
    let mut rows: Vec<Vec<String>> = commands(registry)
        .map(|(entry, command)| vec![command.name, entry.id().to_string(), command.short])
        .collect();
    rows.sort();
    match rows.is_empty() {
        true => output::print("No commands found\n")?,
        false => output::print(&table(&["NAME", "ID", "DESCRIPTION"], rows))?,
    }
    Ok(Exit::Fine)
}

/// The process that a command runs.
///
/// # Errors
/// No command has this name.
pub(super) fn find(registry: &Registry, name: &str) -> Result<EntryId, Problem> {
    let found = commands(registry).find(|(_, command)| command.name == name);
    found.map(|(entry, _)| entry.id().clone()).ok_or_else(|| {
        let problem = Problem::usage(format!("no command \"{name}\""))
            .hint("moonmesh run list shows the commands; a folder or file has to exist");
        problem.valid(commands(registry).map(|(_, command)| command.name))
    })
}

/// The process entry `id`.
///
/// # Errors
/// There is no such entry, or it is no process.
pub(super) fn process(registry: &Registry, id: &str) -> Result<EntryId, Problem> {
    let entry = id.parse().ok().and_then(|id: EntryId| registry.get(&id));
    match entry {
        Some(entry) if entry.kind() == Kind::ProcessLua => Ok(entry.id().clone()),
        Some(entry) => {
            let what = format!("{id} is a {}, not a process.lua", entry.kind().as_str());
            Err(Problem::failure(what).at("--exec"))
        }
        None => {
            let processes = registry.of_kind(Kind::ProcessLua).map(|entry| entry.id().to_string());
            Err(Problem::failure(format!("no entry \"{id}\"")).at("--exec").valid(processes))
        }
    }
}

fn commands(registry: &Registry) -> impl Iterator<Item = (&Entry, crate::registry::Command)> {
    registry.iter().filter_map(|entry| {
        let command = entry.command().filter(|command| command.use_case == "run")?;
        Some((&**entry, command))
    })
}
