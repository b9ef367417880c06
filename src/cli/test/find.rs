use std::path::{Path, PathBuf};

use super::case::Case;
use crate::cli::load::{LoadArgs, Loaded, Rejected};
use crate::cli::problem::Problem;
use crate::cli::run::ready_made_registry;
use crate::cli::specs::{SpecFile, is_registry, spec_files};
use crate::document::Style;
use crate::registry::{Definition, Entry};

/// Every case below `paths`: test entries of registries first, then spec files.
///
/// # Errors
/// A path that cannot be looked into, or settings that are wrong.
pub(super) fn cases(paths: &[PathBuf], load: &LoadArgs) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for folder in paths.iter().filter(|path| is_registry(path)) {
        cases.extend(entries(folder, load));
    }
    let files = spec_files(paths).map_err(|error| Problem::usage(error.to_string()))?;
    for file in files {
        cases.push(of_file(file, load)?);
    }
    Ok(cases)
}

fn of_file(file: SpecFile, load: &LoadArgs) -> anyhow::Result<Case> {
    let node = match &file.registry {
        Some(folder) => loaded(folder, load),
        None => {
            let config = load.config(file.path.parent()).map_err(Rejected)?;
            let registry = ready_made_registry().map_err(Rejected)?;
            Ok(Loaded { config, registry })
        }
    };
    let source = std::fs::read_to_string(&file.path).map_err(|error| error.to_string());
    Ok(Case { path: file.path.display().to_string(), source, entry: None, node })
}

/// The test entries of a registry, in their order; each gets a node with the whole registry.
fn entries(folder: &Path, load: &LoadArgs) -> Vec<Case> {
    let first = match loaded(folder, load) {
        Ok(first) => first,
        Err(text) => {
            let path = folder.display().to_string();
            return vec![Case { path, source: Ok(String::new()), entry: None, node: Err(text) }];
        }
    };
    let mut tests: Vec<&Entry> =
        first.registry.iter().map(|entry| &**entry).filter(|entry| is_test(entry)).collect();
    tests.sort_by_key(|entry| (order(entry), entry.id().clone()));
    tests.into_iter().filter_map(|entry| of_entry(entry, loaded(folder, load))).collect()
}

fn of_entry(entry: &Entry, node: Result<Loaded, String>) -> Option<Case> {
    let Definition::FunctionLua(function) = entry.definition() else { return None };
    let code = entry.definition().lua_code()?;
    let text = |key: &str| entry.meta().get(key).and_then(|value| value.as_str());
    let name = text("name").unwrap_or_else(|| entry.id().as_str());
    let suite = text("suite").map(|suite| format!("{suite} ")).unwrap_or_default();
    Some(Case {
        path: entry.id().to_string(),
        source: Ok(code.text.to_string()),
        entry: Some((format!("{suite}{name}"), function.method.to_string())),
        node,
    })
}

/// A registry, or everything that is wrong with it.
fn loaded(folder: &Path, load: &LoadArgs) -> Result<Loaded, String> {
    load.load(folder).map_err(|report| report.render(Style::Plain))
}

fn is_test(entry: &Entry) -> bool {
    entry.meta().get("type").and_then(|value| value.as_str()) == Some("test")
        && matches!(entry.definition(), Definition::FunctionLua(_))
}

fn order(entry: &Entry) -> i64 {
    entry.meta().get("order").and_then(|value| value.as_i64()).unwrap_or(0)
}
