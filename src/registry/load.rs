use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::document::limits::MAX_DOCUMENT_BYTES;
use crate::document::{
    Assignment, Decoder, Diagnostic, ReadError, Report, Source, Span, Text, nearest, parse,
};
use crate::id::EntryId;

use super::commands;
use super::cycle;
use super::disable::Disable;
use super::discover::discover;
use super::entry::Entry;
use super::file;
use super::file_text::FileTexts;
use super::kind::{EntryContext, Kind};
use super::raw::RawEntry;
use super::reference::{self, Known, Referrer};
use super::snapshot::Registry;
use super::{code, overrides};

/// What a registry is loaded with.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Names of the built-in modules that entries may list.
    pub modules: Vec<String>,
    /// Values to put into entries, in order: a later one wins.
    pub overrides: Vec<Assignment>,
    /// Entries to leave out.
    pub disable: Disable,
}

impl Registry {
    /// Loads all entry files below `root`. The first version is 1.
    ///
    /// # Errors
    /// A report of every problem in every file, if any of them is an error. Warnings of a registry
    /// that could be loaded are its [`warnings`](Self::warnings).
    pub fn load(root: &Path, options: &LoadOptions) -> Result<Self, Report> {
        let mut loading = Loading::new(options);
        let found = discover(root, &mut loading.report);
        let mut texts = FileTexts::below(root);
        for candidate in found {
            match Source::read(&candidate.path, candidate.name.as_str(), MAX_DOCUMENT_BYTES) {
                Ok(source) => {
                    let directory = candidate.path.parent().unwrap_or(root);
                    loading.file(&source, directory, &mut texts);
                }
                Err(error) => loading.report.push(unreadable(&candidate.name, &error)),
            }
        }
        if loading.files == 0 && !loading.report.has_errors() {
            let place = Span::unread_file(root.display().to_string());
            let message = "there is no entry file in the directory";
            let help = "an entry file is YAML or JSON with `namespace` and `entries`";
            loading.report.push(Diagnostic::error(code::NO_REGISTRY, place, message).help(help));
        }
        loading.finish().map(|registry| registry.in_directory(root))
    }

    /// Loads the entry files of `sources`, which can have no `file://` texts.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_sources(sources: &[Arc<Source>], options: &LoadOptions) -> Result<Self, Report> {
        let mut loading = Loading::new(options);
        let mut texts = FileTexts::none();
        for source in sources {
            loading.file(source, Path::new(""), &mut texts);
        }
        loading.finish()
    }

    /// Loads the directory of this registry again, as the next version. This one stays as it is.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn reload(&self, options: &LoadOptions) -> Result<Self, Report> {
        match self.root() {
            Some(root) => Ok(Self::load(root, options)?.with_version(self.version() + 1)),
            None => Ok(self.clone()),
        }
    }
}

/// A registry on its way in.
pub(super) struct Loading<'o> {
    options: &'o LoadOptions,
    report: Report,
    raw: Vec<RawEntry>,
    /// Number of files that hold entries.
    files: usize,
    /// Files whose entries are not known because of an error.
    broken: Vec<Arc<Source>>,
}

impl<'o> Loading<'o> {
    pub(super) fn new(options: &'o LoadOptions) -> Self {
        Self { options, report: Report::new(), raw: Vec::new(), files: 0, broken: Vec::new() }
    }

    /// Takes the entries of one file.
    pub(super) fn file(&mut self, source: &Arc<Source>, directory: &Path, texts: &mut FileTexts) {
        let Some(root) = parse(source, &mut self.report) else {
            self.broken.push(source.clone());
            return;
        };
        if let Some(found) = file::entries(&root, source, directory, texts, &mut self.report) {
            self.files += 1;
            self.raw.extend(found);
        }
    }

    /// Takes an entry that is in no file.
    pub(super) fn entry(&mut self, entry: RawEntry) {
        self.raw.push(entry);
    }

    /// Checks everything that was taken.
    pub(super) fn finish(mut self) -> Result<Registry, Report> {
        self.refuse_duplicates();
        overrides::apply(&mut self.raw, &self.options.overrides, &mut self.report);
        let disabled = self.options.disable.take_out(&mut self.raw, &mut self.report);
        let raw = std::mem::take(&mut self.raw);
        let mut entries = Vec::new();
        let mut referrers = Vec::new();
        for raw in &raw {
            let (entry, referrer) = self.decode(raw);
            referrers.push(referrer);
            entries.extend(entry);
        }
        let known = Known::new(&referrers, &disabled, &self.broken);
        reference::check(&referrers, &known, &mut self.report);
        cycle::check(&referrers, &mut self.report);
        commands::check(&entries, &mut self.report);
        if self.report.has_errors() {
            return Err(self.report);
        }
        Ok(Registry::new(entries, self.report))
    }

    fn refuse_duplicates(&mut self) {
        let mut first: HashMap<EntryId, Span> = HashMap::new();
        let report = &mut self.report;
        self.raw.retain(|entry| match first.get(&entry.id) {
            None => {
                first.insert(entry.id.clone(), entry.name_span.clone());
                true
            }
            Some(span) => {
                let message = format!("there are two entries `{}`", entry.id);
                let place = entry.name_span.clone();
                let duplicate = Diagnostic::error(code::DUPLICATE_ENTRY, place, message);
                let duplicate = duplicate.entry(entry.id.as_str()).field("name");
                report.push(duplicate.related(span.clone(), "the first one"));
                false
            }
        });
    }

    fn decode(&mut self, raw: &RawEntry) -> (Option<Entry>, Referrer) {
        let context = EntryContext::new(raw.id.namespace(), &self.options.modules);
        let subject = raw.kind.map_or("entry", Kind::as_str);
        let decoder = Decoder::new(subject, Some(raw.id.as_str().into()));
        let meta = raw.meta.field(&decoder).at("meta").json();
        context.default_host(&raw.meta, &decoder);
        let definition = match raw.kind {
            Some(kind) => kind.decode(&raw.data, &decoder, &context),
            None => {
                if let Some(text) = &raw.kind_text {
                    self.report.push(unknown_kind(&raw.id, text));
                }
                None
            }
        };
        self.report.extend(decoder.conclude());
        let (references, groups) = context.into_found();
        let entry = raw.kind.zip(definition).map(|(kind, definition)| Entry {
            id: raw.id.clone(),
            kind,
            meta: match meta {
                Json::Object(meta) => meta,
                _ => serde_json::Map::new(),
            },
            data: raw.data.to_json("", &mut Report::new()),
            place: raw.place.clone(),
            definition,
            references: references.clone(),
        });
        let referrer = Referrer { id: raw.id.clone(), kind: raw.kind, references, groups };
        (entry, referrer)
    }
}

fn unknown_kind(id: &EntryId, text: &Text) -> Diagnostic {
    let kind = text.text.as_str();
    let message = format!("there is no kind `{kind}`");
    let diagnostic = Diagnostic::error(code::UNKNOWN_KIND, text.span.clone(), message)
        .entry(id.as_str())
        .field("kind");
    let diagnostic = match kind {
        "terminal.host" => diagnostic.help("use `process.host`: commands run on any host"),
        "security.policy.expr" => diagnostic.help("use `security.policy` with `conditions`"),
        kind => match nearest(kind, Kind::ALL.map(Kind::as_str)) {
            Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
            None => diagnostic,
        },
    };
    diagnostic.note(format!("the kinds are {}", Kind::ALL.map(Kind::as_str).join(", ")))
}

fn unreadable(name: &str, error: &ReadError) -> Diagnostic {
    let diagnostic = Diagnostic::error(error.code(), Span::unread_file(name), error.to_string());
    match error {
        ReadError::TooLarge { .. } => {
            diagnostic.help("move the file out of the registry directory if it holds no entries")
        }
        _ => diagnostic,
    }
}
