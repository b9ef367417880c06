use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Ends the name of every spec file.
const SUFFIX: &str = "_spec.lua";
/// Makes the folder of a spec a registry of its own.
const INDEX: &str = "_index.yaml";
/// Where specs are looked for if no path is given.
const DEFAULTS: [&str; 2] = ["tests/lua", "."];

/// A spec file and the registry that its node runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecFile {
    /// The file, as it was reached.
    pub path: PathBuf,
    /// The folder whose entries run while it does; without one the node is ready-made.
    pub registry: Option<PathBuf>,
}

/// A place that specs cannot be looked for in.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The path does not exist or cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A file that is no spec.
    #[error("{}: a spec file ends in {SUFFIX}", path.display())]
    NoSpec {
        /// The file.
        path: PathBuf,
    },
}

/// Every spec file below `paths`, each once, in the order of the paths and then by name. Folders
/// that start with a dot, `target` and `node_modules` are passed over unless named themselves.
pub fn spec_files(paths: &[PathBuf]) -> Result<Vec<SpecFile>, DiscoverError> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut take = |path: PathBuf| {
        let whole = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if seen.insert(whole) {
            let folder = path.parent().unwrap_or(Path::new(""));
            let registry = folder.join(INDEX).is_file().then(|| folder.to_owned());
            found.push(SpecFile { path, registry });
        }
    };
    let defaults = DEFAULTS.map(PathBuf::from);
    let given = if paths.is_empty() { &defaults[..] } else { paths };
    for path in given {
        if paths.is_empty() && !path.is_dir() {
            continue;
        }
        if path.is_file() {
            if !is_spec(path) {
                return Err(DiscoverError::NoSpec { path: path.clone() });
            }
            take(path.clone());
        } else {
            walk(path, &mut take)?;
        }
    }
    Ok(found)
}

/// Whether a path is a registry of its own.
pub fn is_registry(path: &Path) -> bool {
    path.join(INDEX).is_file()
}

fn is_spec(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(SUFFIX))
}

fn walk(folder: &Path, take: &mut impl FnMut(PathBuf)) -> Result<(), DiscoverError> {
    let unreadable = |source| DiscoverError::Unreadable { path: folder.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // A link may lead back up; its target is found where it really is.
        entries.push((entry.file_name(), entry.file_type().map_err(unreadable)?));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, kind) in entries {
        // "." as a prefix helps nobody who reads the path.
        let path = if folder == Path::new(".") { PathBuf::from(&name) } else { folder.join(&name) };
        let text = name.to_string_lossy();
        let passed_over = text.starts_with('.') || matches!(&*text, "target" | "node_modules");
        if kind.is_dir() && !passed_over {
            walk(&path, take)?;
        } else if !kind.is_dir() && is_spec(&path) {
            take(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn specs_are_found_by_walking() {
        let folder = tree(&[
            "b_spec.lua",
            "a/a_spec.lua",
            "a/helper.lua",
            ".git/x_spec.lua",
            "target/y_spec.lua",
            "app/_index.yaml",
            "app/app_spec.lua",
        ]);
        let root = folder.path();
        let found = spec_files(&[root.join("app"), root.to_owned()]).unwrap();
        let below: Vec<_> =
            found.iter().map(|spec| spec.path.strip_prefix(root).unwrap()).collect();
        assert_eq!(below, ["app/app_spec.lua", "a/a_spec.lua", "b_spec.lua"].map(Path::new));
        assert_eq!(found[0].registry, Some(root.join("app")));
        assert_eq!(found[1].registry, None);
        assert!(is_registry(&root.join("app")) && !is_registry(root));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let folder = tree(&["a.lua"]);
        let missing = spec_files(&[folder.path().join("nowhere")]);
        assert!(matches!(missing, Err(DiscoverError::Unreadable { .. })));
        let no_spec = spec_files(&[folder.path().join("a.lua")]);
        assert!(matches!(no_spec, Err(DiscoverError::NoSpec { .. })));
    }
}
