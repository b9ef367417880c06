use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::document::{
    Diagnostic, Kind as NodeKind, MapEntry, Medium, Node, Report, Source, Span, Text,
    code as document_code,
};
use crate::id::{EntryId, EntryIdError};

use super::code;
use super::file_text::FileTexts;
use super::kind::Kind;
use super::limits::MAX_TEXT_BYTES;
use super::load::{LoadOptions, Loading};
use super::raw::RawEntry;
use super::snapshot::Registry;

/// Namespace of the built-in entries.
const NAMESPACE: &str = "app";

/// Names of the built-in entries.
const BUILT_IN_NAMES: [&str; 2] = ["processes", "pg"];

/// The entries that every script can count on.
const BUILT_IN: &str = "\
namespace: app
entries:
  - name: processes
    kind: process.host
    lifecycle: {auto_start: true}
  - name: pg
    kind: pg.scope
    lifecycle: {auto_start: true}
";

impl Registry {
    /// The registry of a node without a registry directory: the process host `app:processes` and
    /// the scope `app:pg`, both started with the node (cli.md head).
    ///
    /// # Errors
    /// A report, if `options` has overrides that do not fit.
    pub fn built_in(options: &LoadOptions) -> Result<Self, Report> {
        Self::from_sources(&[built_in()], options)
    }

    /// The [built-in](Self::built_in) registry with the Lua file at `path` as a process that may
    /// use all modules. Its id, which comes too, is `app:` with the name of the file, or
    /// `app:main` if that name is taken or cannot be one.
    ///
    /// # Errors
    /// A report, if the file cannot be read or `options` has overrides that do not fit.
    pub fn of_script(path: &Path, options: &LoadOptions) -> Result<(Self, EntryId), Report> {
        let name = path.display().to_string();
        let problem = |code, message| {
            Report::from(Diagnostic::error(code, Span::unread_file(name.as_str()), message))
        };
        let script = Source::read(path, name.as_str(), MAX_TEXT_BYTES)
            .map_err(|error| problem(document_code::UNREADABLE, error.to_string()))?;
        let id = script_id(path).map_err(|error| problem(code::BAD_ID, error.to_string()))?;
        let mut loading = Loading::new(options);
        loading.file(&built_in(), Path::new(""), &mut FileTexts::none());
        loading.entry(script_entry(id.clone(), script, options));
        Ok((loading.finish()?, id))
    }
}

fn script_id(path: &Path) -> Result<EntryId, EntryIdError> {
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let free = !BUILT_IN_NAMES.contains(&stem) && !stem.contains(':');
    match EntryId::new(NAMESPACE, stem) {
        Ok(id) if free => Ok(id),
        _ => EntryId::new(NAMESPACE, "main"),
    }
}

fn script_entry(id: EntryId, script: Arc<Source>, options: &LoadOptions) -> RawEntry {
    let place = Span::top(built_in());
    let field = |key: &'static str, value: Node| MapEntry {
        key: SmolStr::new_static(key),
        key_span: place.clone(),
        value,
    };
    let text = |text: &str| Node::text(text, place.clone());
    let modules = options.modules.iter().map(|module| text(module)).collect();
    let modules = Node { span: place.clone(), kind: NodeKind::List(modules) };
    let source = Node::text(script.text().clone(), Span::whole(script.clone()));
    let kind_text = Text { text: Kind::ProcessLua.as_str().into(), span: place.clone() };
    RawEntry {
        id,
        kind: Some(Kind::ProcessLua),
        kind_text: Some(kind_text),
        meta: Node::map(Vec::new(), place.clone()),
        data: Node::map(vec![field("source", source), field("modules", modules)], place.clone()),
        place: Span::top(script),
        name_span: place.clone(),
    }
}

fn built_in() -> Arc<Source> {
    Source::new("(built in)", BUILT_IN, Medium::BuiltIn)
}
