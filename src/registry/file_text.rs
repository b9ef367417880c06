use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::document::{
    Diagnostic, Kind, Map, MapEntry, Node, ReadError, Report, Source, Span, child_path,
    code as document_code,
};

use super::code;
use super::limits::{MAX_ALL_TEXTS_BYTES, MAX_TEXT_BYTES};
use super::raw::RawEntry;

const SCHEME: &str = "file://";

/// Replaces `file://` texts by the files that they name (registry.md section 3).
pub(super) struct FileTexts {
    root: Option<Root>,
    read: HashMap<PathBuf, Arc<Source>>,
    left_bytes: u64,
}

/// The registry directory.
struct Root {
    /// As the user names it.
    path: PathBuf,
    /// With all links resolved.
    canonical: PathBuf,
}

impl FileTexts {
    /// Texts from the files below `root`.
    pub(super) fn below(root: &Path) -> Self {
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root: Some(Root { path: root.to_owned(), canonical }), ..Self::none() }
    }

    /// No texts at all: for entries that are in no directory.
    pub(super) fn none() -> Self {
        Self { root: None, read: HashMap::new(), left_bytes: MAX_ALL_TEXTS_BYTES }
    }

    /// Replaces the texts in the data and the metadata of `entry`, whose file is in `directory`.
    /// What cannot be read is reported and left as it is.
    pub(super) fn fill(&mut self, entry: &mut RawEntry, directory: &Path, report: &mut Report) {
        let mut problems = Report::new();
        entry.meta = self.replace(&entry.meta, "meta", directory, &mut problems);
        entry.data = self.replace(&entry.data, "", directory, &mut problems);
        for problem in problems.diagnostics() {
            report.push(problem.clone().entry(entry.id.as_str()));
        }
    }

    fn replace(&mut self, node: &Node, path: &str, directory: &Path, report: &mut Report) -> Node {
        let kind = match &node.kind {
            Kind::Scalar(scalar) => match scalar.text.strip_prefix(SCHEME) {
                Some(file) => match self.source(file, directory) {
                    Ok(source) => return Node::text(source.text().clone(), Span::whole(source)),
                    Err(Problem { code, message }) => {
                        let problem = Diagnostic::error(code, node.span.clone(), message);
                        report.push(problem.field(path));
                        return node.clone();
                    }
                },
                None => return node.clone(),
            },
            Kind::List(items) => {
                let items = items.iter().enumerate().map(|(index, item)| {
                    self.replace(item, &format!("{path}[{index}]"), directory, report)
                });
                Kind::List(items.collect())
            }
            Kind::Map(map) => {
                let entries = map.iter().map(|entry| MapEntry {
                    key: entry.key.clone(),
                    key_span: entry.key_span.clone(),
                    value: self.replace(
                        &entry.value,
                        &child_path(path, &entry.key),
                        directory,
                        report,
                    ),
                });
                Kind::Map(Map::from(entries.collect::<Vec<_>>()))
            }
        };
        Node { span: node.span.clone(), kind }
    }

    fn source(&mut self, path: &str, directory: &Path) -> Result<Arc<Source>, Problem> {
        let Some(root) = &self.root else {
            let message = format!("`{SCHEME}{path}`: these entries are in no directory");
            return Err(Problem { code: code::FILE_MISSING, message });
        };
        let display = root.path.join(locate(path, directory, &root.path)?);
        let missing = |reason: String| Problem {
            code: code::FILE_MISSING,
            message: format!("{}: {reason}", display.display()),
        };
        let canonical =
            display.canonicalize().map_err(|error| missing(ReadError::from(error).to_string()))?;
        if !canonical.starts_with(&root.canonical) {
            return Err(escapes(path));
        }
        let source = match self.read.get(&canonical) {
            Some(source) => source.clone(),
            None => {
                let name = display.display().to_string();
                let source = Source::read(&canonical, name, MAX_TEXT_BYTES).map_err(|error| {
                    Problem { code: read_code(&error), ..missing(error.to_string()) }
                })?;
                self.read.insert(canonical, source.clone());
                source
            }
        };
        let length = source.text().len() as u64;
        self.left_bytes = self.left_bytes.checked_sub(length).ok_or_else(|| Problem {
            code: document_code::TOO_LARGE,
            message: format!("the files of all entries have more than {MAX_ALL_TEXTS_BYTES} bytes"),
        })?;
        Ok(source)
    }
}

struct Problem {
    code: &'static str,
    message: String,
}

/// The path below the root that `file://<path>` stands for, without `.` and `..`.
fn locate(path: &str, directory: &Path, root: &Path) -> Result<PathBuf, Problem> {
    let (mut inside, relative) = match path.strip_prefix('/') {
        Some(rest) => (PathBuf::new(), rest),
        None => (directory.strip_prefix(root).unwrap_or(directory).to_owned(), path),
    };
    let mut is_empty = true;
    for component in Path::new(relative).components() {
        match component {
            Component::Normal(part) => {
                inside.push(part);
                is_empty = false;
            }
            Component::CurDir => {}
            Component::ParentDir if inside.pop() => {}
            _ => return Err(escapes(path)),
        }
    }
    if is_empty {
        let message = format!("`{SCHEME}{path}` names no file");
        return Err(Problem { code: code::FILE_MISSING, message });
    }
    Ok(inside)
}

fn escapes(path: &str) -> Problem {
    let message = format!("`{SCHEME}{path}` leads out of the registry directory");
    Problem { code: code::FILE_ESCAPES, message }
}

fn read_code(error: &ReadError) -> &'static str {
    match error.code() {
        document_code::UNREADABLE => code::FILE_MISSING,
        code => code,
    }
}
