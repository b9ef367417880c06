use std::cell::RefCell;

use crate::document::{Decoder, Field, Node, Span};
use crate::id::EntryId;

use super::super::code;

/// What a reference may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A `process.lua`.
    Process,
    /// A `process.host`.
    Host,
    /// A library, function or process.
    Importable,
    /// A `security.policy`.
    Policy,
    /// A group that some policy lists.
    PolicyGroup,
    /// An entry of any kind.
    Any,
    /// One of the `env.storage` kinds.
    Storage,
}

/// An id in the data of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The entry that it names, or the group.
    pub target: EntryId,
    /// What it has to be.
    pub wanted: Wanted,
    /// Path of the field.
    pub field: String,
    /// Where the id stands.
    pub span: Span,
}

/// What the reading of an entry needs to know, and the ids that it comes across.
pub(in super::super) struct EntryContext<'a> {
    namespace: &'a str,
    modules: &'a [String],
    references: RefCell<Vec<Reference>>,
    groups: RefCell<Vec<EntryId>>,
}

impl<'a> EntryContext<'a> {
    /// For an entry of `namespace`, on a host with the built-in `modules`.
    pub(in super::super) fn new(namespace: &'a str, modules: &'a [String]) -> Self {
        Self { namespace, modules, references: RefCell::default(), groups: RefCell::default() }
    }

    /// The names of the built-in modules.
    pub(super) fn modules(&self) -> &'a [String] {
        self.modules
    }

    /// The references and the new groups that were found.
    pub(in super::super) fn into_found(self) -> (Vec<Reference>, Vec<EntryId>) {
        (self.references.into_inner(), self.groups.into_inner())
    }

    /// The id in `field`; a bare name is one of the entry's own namespace (registry.md section 4).
    pub(super) fn id(&self, field: &Field<'_>, wanted: Wanted) -> Option<EntryId> {
        let text = field.filled_text()?;
        match EntryId::resolve(&text.text, self.namespace) {
            Ok(id) => Some(self.refer(field, id, wanted)),
            Err(error) => field.refuse(code::BAD_ID, error.to_string()),
        }
    }

    /// The id in `field`, which has to be written in full.
    pub(super) fn full_id(&self, field: &Field<'_>, wanted: Wanted) -> Option<EntryId> {
        let text = field.filled_text()?;
        match text.text.parse() {
            Ok(id) => Some(self.refer(field, id, wanted)),
            Err(_) if !text.text.contains(':') => {
                let module = self.modules.iter().any(|module| *module == text.text);
                let problem = field.problem(
                    code::BAD_ID,
                    format!("`{0}` is no full id: write namespace:name", text.text),
                );
                field.report(if module {
                    problem.help(format!("`{}` is a built-in: list it in `modules`", text.text))
                } else {
                    problem.help(format!("write `{}:{}`", self.namespace, text.text))
                });
                None
            }
            Err(error) => field.refuse(code::BAD_ID, error.to_string()),
        }
    }

    /// The ids in the list `field`, as [`id`](Self::id) reads them, without repetitions.
    pub(super) fn ids(&self, field: &Field<'_>, wanted: Wanted) -> Vec<EntryId> {
        let mut ids = Vec::new();
        for item in field.items().unwrap_or_default() {
            if let Some(id) = self.id(&item, wanted).filter(|id| !ids.contains(id)) {
                ids.push(id);
            }
        }
        ids
    }

    /// A group in `field`; it comes into being by being named, so nothing is looked up.
    pub(super) fn new_group(&self, field: &Field<'_>) -> Option<EntryId> {
        let text = field.filled_text()?;
        match EntryId::resolve(&text.text, self.namespace) {
            Ok(id) => {
                self.groups.borrow_mut().push(id.clone());
                Some(id)
            }
            Err(error) => field.refuse(code::BAD_ID, error.to_string()),
        }
    }

    /// Reads the host that the metadata of an entry may name for calls and commands (process.md
    /// section 10).
    pub(in super::super) fn default_host(&self, meta: &Node, decoder: &Decoder) {
        let host = |node: &Node, path: &str| {
            let Some(entry) = node.as_map().and_then(|map| map.get("default_host")) else { return };
            self.id(&entry.value.field(decoder).at(path), Wanted::Host);
        };
        host(meta, "meta.default_host");
        if let Some(options) = meta.as_map().and_then(|map| map.get("options")) {
            host(&options.value, "meta.options.default_host");
        }
    }

    fn refer(&self, field: &Field<'_>, target: EntryId, wanted: Wanted) -> EntryId {
        self.references.borrow_mut().push(Reference {
            target: target.clone(),
            wanted,
            field: field.path().to_owned(),
            span: field.node().span.clone(),
        });
        target
    }
}
