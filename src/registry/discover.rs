use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::document::limits::MAX_DOCUMENT_BYTES;
use crate::document::{Diagnostic, Report, Source, Span, code as document_code, parse};

use super::code;
use super::limits::{MAX_DIRECTORY_DEPTH, MAX_DIRECTORY_ENTRIES};

/// A file that may hold entries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub path: PathBuf,
    /// The path as messages show it.
    pub name: String,
}

/// The YAML and JSON files below `root` in lexical order (registry.md section 2). Directories called
/// `node_modules` or starting with a dot are left out, and so are the lock files of Emacs (`.#name`).
/// A symbolic link is followed only within the root; each file counts once.
pub(super) fn discover(root: &Path, report: &mut Report) -> Vec<Candidate> {
    discover_within(root, MAX_DIRECTORY_ENTRIES, report)
}

/// As [`discover`], but gives up after `most` files and directories.
fn discover_within(root: &Path, most: usize, report: &mut Report) -> Vec<Candidate> {
    let canonical = match root.canonicalize() {
        Ok(canonical) if canonical.is_dir() => canonical,
        Ok(_) => {
            report.push(unusable(root, "is not a directory"));
            return Vec::new();
        }
        Err(error) => {
            report.push(unusable(root, &reason(&error)));
            return Vec::new();
        }
    };
    let mut walk = Walk {
        root: canonical.clone(),
        seen: HashSet::from([canonical]),
        looked_at: 0,
        most,
        found: Vec::new(),
        report,
    };
    walk.directory(root, 0);
    walk.found
}

/// Whether a file below `root` declares a namespace: then `root` is a registry directory. Only the
/// first few thousand files are looked at, so that asking about any directory is cheap.
pub fn holds_entries(root: &Path) -> bool {
    const MOST: usize = 5_000;
    discover_within(root, MOST, &mut Report::new()).iter().any(|candidate| {
        let source = Source::read(&candidate.path, candidate.name.as_str(), MAX_DOCUMENT_BYTES);
        let node = source.ok().and_then(|source| parse(&source, &mut Report::new()));
        node.is_some_and(|node| node.as_map().is_some_and(|map| map.get("namespace").is_some()))
    })
}

struct Walk<'r> {
    root: PathBuf,
    seen: HashSet<PathBuf>,
    looked_at: usize,
    most: usize,
    found: Vec<Candidate>,
    report: &'r mut Report,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &Path, depth: usize) {
        if depth > MAX_DIRECTORY_DEPTH {
            let message = format!("directories are nested more than {MAX_DIRECTORY_DEPTH} deep");
            self.problem(document_code::TOO_DEEP, directory, message);
            return;
        }
        let listed = fs::read_dir(directory).and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        });
        match listed {
            Ok(mut paths) => {
                paths.sort();
                for path in paths {
                    self.path(&path, depth);
                }
            }
            Err(error) => self.problem(document_code::UNREADABLE, directory, reason(&error)),
        }
    }

    fn path(&mut self, path: &Path, depth: usize) {
        self.looked_at += 1;
        if self.looked_at > self.most {
            if self.looked_at == self.most + 1 {
                let message = format!("there are more than {} files", self.most);
                self.problem(document_code::TOO_LARGE, path, message);
            }
            return;
        }
        let is_link = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) => return self.unreadable(path, &error),
        };
        let (target, metadata) = match path.canonicalize().and_then(|target| {
            let metadata = fs::metadata(&target)?;
            Ok((target, metadata))
        }) {
            Ok(found) => found,
            Err(error) => return self.unreadable(path, &error),
        };
        if is_link && !target.starts_with(&self.root) {
            return self.leaving(path, &metadata);
        }
        if metadata.is_dir() {
            if !is_left_out(path) && self.seen.insert(target) {
                self.directory(path, depth + 1);
            }
        } else if is_candidate(path) && self.seen.insert(target) {
            let name = path.display().to_string();
            self.found.push(Candidate { path: path.to_owned(), name });
        }
    }

    /// A link out of the root is not followed. That matters where entries could be behind it.
    fn leaving(&mut self, path: &Path, metadata: &fs::Metadata) {
        let message = "the link leads out of the registry directory and is not followed";
        let place = Span::unread_file(path.display().to_string());
        if is_candidate(path) {
            self.report.push(Diagnostic::error(code::LINK_LEAVES_ROOT, place, message));
        } else if metadata.is_dir() && !is_left_out(path) {
            self.report.push(Diagnostic::warning(code::LINK_LEAVES_ROOT, place, message));
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        if is_candidate(path) {
            self.problem(document_code::UNREADABLE, path, reason(error));
        }
    }

    fn problem(&mut self, code: &'static str, path: &Path, message: String) {
        let place = Span::unread_file(path.display().to_string());
        self.report.push(Diagnostic::error(code, place, message));
    }
}

fn unusable(root: &Path, reason: &str) -> Diagnostic {
    let place = Span::unread_file(root.display().to_string());
    Diagnostic::error(code::NO_REGISTRY, place, format!("the registry directory {reason}"))
        .help("name the directory on the command line, or make one with `moonmesh new`")
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

fn is_left_out(directory: &Path) -> bool {
    let name = directory.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.starts_with('.') || name == "node_modules"
}

fn is_candidate(path: &Path) -> bool {
    let is_entry_type = path
        .extension()
        .is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known));
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    is_entry_type && !name.starts_with(".#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn write(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    /// The files below `root` and the problems, without the root in front.
    fn found(root: &Path) -> (Vec<String>, Vec<String>) {
        let mut report = Report::new();
        let cut = |text: String| text.replace(&format!("{}/", root.display()), "");
        let files = discover(root, &mut report).into_iter().map(|c| cut(c.name)).collect();
        let problems = report.diagnostics().iter().map(|d| cut(d.headline())).collect();
        (files, problems)
    }

    #[test]
    fn entry_files_are_found_in_lexical_order() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &[
                "b/_index.yaml",
                "a.yml",
                "a.YAML",
                "z.json",
                "b/c/x.yaml",
                "b/x.lua",
                "yaml",
                ".#a.yaml",
                ".hidden/x.yaml",
                "node_modules/x.yaml",
                "b/node_modules/y.yaml",
                ".h.yaml",
            ],
        );
        let (files, problems) = found(root.path());
        assert_eq!(files, [".h.yaml", "a.yml", "b/_index.yaml", "b/c/x.yaml", "z.json"]);
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn links_stay_within_the_root() {
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), &["secret.yaml", "d/x.yaml", "x.lua"]);
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &["real/a.yaml"]);
        let link = |target: &Path, name: &str| symlink(target, root.path().join(name)).unwrap();
        link(&outside.path().join("secret.yaml"), "secret.yaml");
        link(&outside.path().join("d"), "dir");
        link(&outside.path().join("x.lua"), "x.lua");
        link(Path::new("real/a.yaml"), "again.yaml");
        link(Path::new("."), "loop");
        link(Path::new("nowhere.yaml"), "dangling.yaml");
        link(Path::new("nowhere"), ".#lock.yaml");
        let (files, problems) = found(root.path());
        assert_eq!(files, ["again.yaml"]);
        let leads_out = "the link leads out of the registry directory and is not followed";
        assert_eq!(
            problems,
            [
                "dangling.yaml:1:1: does not exist".to_owned(),
                format!("dir:1:1: warning: {leads_out}"),
                format!("secret.yaml:1:1: {leads_out}"),
            ]
        );
    }

    #[test]
    fn a_root_that_is_no_directory_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &["file"]);
        for (name, reason) in [("file", "is not a directory"), ("none", "does not exist")] {
            let (files, problems) = found(&root.path().join(name));
            assert_eq!(files, Vec::<String>::new());
            assert!(
                problems[0].ends_with(&format!("the registry directory {reason}")),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_directory_holds_entries_if_a_file_declares_a_namespace() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &["a.yaml"]);
        assert!(!holds_entries(root.path()));
        fs::write(root.path().join("a.yaml"), "namespace: app\n").unwrap();
        assert!(holds_entries(root.path()));
        assert!(!holds_entries(&root.path().join("none")));
    }
}
