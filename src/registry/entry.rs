use serde_json::{Map as JsonMap, Value as Json};

use crate::document::Span;
use crate::id::EntryId;

use super::kind::{Definition, Kind, Reference};

/// One entry of a registry.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) id: EntryId,
    pub(super) kind: Kind,
    pub(super) meta: JsonMap<String, Json>,
    pub(super) data: Json,
    pub(super) place: Span,
    pub(super) definition: Definition,
    pub(super) references: Vec<Reference>,
}

impl Entry {
    /// The id.
    pub fn id(&self) -> &EntryId {
        &self.id
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The metadata: that of the file with the entry's own over it.
    pub fn meta(&self) -> &JsonMap<String, Json> {
        &self.meta
    }

    /// The data as given, after overrides and with `file://` texts filled in; without defaults.
    pub fn data(&self) -> &Json {
        &self.data
    }

    /// Where the entry is defined: `place().file()`, `place().line()`.
    pub fn place(&self) -> &Span {
        &self.place
    }

    /// The text that defines the entry, as written.
    pub fn source_text(&self) -> &str {
        self.place.text()
    }

    /// The data as its kind reads it, with defaults.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The ids in the data.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The entries that the code of this one imports.
    pub fn imports(&self) -> impl Iterator<Item = &EntryId> {
        let code = self.definition.lua_code();
        code.into_iter().flat_map(|code| code.imports.iter().map(|import| &import.id))
    }

    /// The host that commands and calls run the entry on, if it says: of a service its own, else
    /// `meta.default_host` or `meta.options.default_host` (cli.md head, process.md section 10).
    pub fn default_host(&self) -> Option<EntryId> {
        if let Definition::ProcessService(service) = &self.definition {
            return Some(service.host.clone());
        }
        let options = || self.meta.get("options")?.get("default_host");
        let host = self.meta.get("default_host").or_else(options)?.as_str()?;
        EntryId::resolve(host, self.id.namespace()).ok()
    }

    /// The value at a dotted path: in the metadata behind `meta.`, else in the data (cli.md
    /// section 5). Elements of lists are named by their number, counted from 0.
    pub fn field(&self, path: &str) -> Option<&Json> {
        let path = path.strip_prefix('.').unwrap_or(path);
        match path.strip_prefix("meta.") {
            Some(path) => {
                let (first, rest) = path.split_once('.').unwrap_or((path, ""));
                descend(self.meta.get(first)?, rest)
            }
            None => descend(&self.data, path.strip_prefix("data.").unwrap_or(path)),
        }
    }

    /// Whether the two define the same, wherever they stand.
    pub(super) fn is_same_as(&self, other: &Entry) -> bool {
        self.kind == other.kind && self.meta == other.meta && self.data == other.data
    }
}

fn descend<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(json, |json, part| match json {
        Json::Array(items) => items.get(part.parse::<usize>().ok()?),
        json => json.get(part),
    })
}
