use std::path::Path;
use std::sync::Arc;

use crate::document::{
    Decoder, Diagnostic, Field, Fields, Kind as NodeKind, Map, Node, Report, Source, Span, Text,
    code as document_code, nearest,
};
use crate::id::EntryId;

use super::code;
use super::file_text::FileTexts;
use super::kind::Kind;
use super::raw::RawEntry;

/// The entries of the document `root` of `source`; `None` if it is no entry file (registry.md
/// section 3). `directory` is where the file stands.
pub(super) fn entries(
    root: &Node,
    source: &Arc<Source>,
    directory: &Path,
    texts: &mut FileTexts,
    report: &mut Report,
) -> Option<Vec<RawEntry>> {
    let map = root.as_map()?;
    let has_namespace = map.get("namespace").is_some_and(|entry| {
        !entry.value.as_scalar().is_some_and(|text| text.is_null() || text.text.trim().is_empty())
    });
    if !has_namespace {
        report_lost_entries(map, source, report);
        return None;
    }
    let decoder = Decoder::new("an entry file", None);
    let single = map.get("entries").is_none();
    let mut found = decoder.read(map, Span::top(source.clone()), |fields| {
        if single { single_entry(fields, map) } else { listed_entries(fields) }
    });
    report.extend(decoder.conclude());
    found.iter_mut().for_each(|entry| texts.fill(entry, directory, report));
    Some(found)
}

/// A file without a namespace is none of our business, unless it looks as if it was meant to be.
fn report_lost_entries(map: &Map, source: &Arc<Source>, report: &mut Report) {
    let kind_of = |map: &Map| map.get("kind").and_then(|entry| entry.value.as_scalar().cloned());
    let names_kind = |map: &Map| kind_of(map).is_some_and(|kind| Kind::parse(&kind.text).is_some());
    let listed = map.get("entries").and_then(|entry| entry.value.as_list()).unwrap_or_default();
    let is_meant = names_kind(map) || listed.iter().filter_map(Node::as_map).any(names_kind);
    let place = match map.get("namespace").or_else(|| map.get("entries")) {
        Some(entry) => entry.key_span.clone(),
        None => Span::top(source.clone()),
    };
    let misspelt = map
        .iter()
        .find(|entry| nearest(&entry.key, ["namespace"]).is_some())
        .filter(|entry| entry.key != "namespace");
    let diagnostic = if is_meant {
        let message = "the file has entries, but no namespace";
        Diagnostic::error(code::NO_NAMESPACE, place, message)
    } else if map.get("entries").is_some() {
        let message = "the file has no namespace, so its `entries` are not read";
        Diagnostic::hint(code::NO_NAMESPACE, place, message)
    } else {
        return;
    };
    report.push(match misspelt {
        Some(entry) => diagnostic.help(format!("`{}` should be `namespace`", entry.key)),
        None => diagnostic.help("give it a line such as `namespace: app`"),
    });
}

fn listed_entries(fields: &mut Fields<'_>) -> Vec<RawEntry> {
    let head = Head::read(fields);
    for name in ["name", "kind", "data"] {
        fields.forbid(name, "it belongs into an element of `entries`");
    }
    let items = fields.required("entries").and_then(|field| field.items()).unwrap_or_default();
    let entry = |item: &Field<'_>| {
        let place = item.node().span.clone();
        item.block(|fields| raw_entry(fields, place, head.meta.as_ref(), head.namespace.as_ref()))?
    };
    items.iter().filter_map(entry).collect()
}

/// The one entry of a file whose own fields are those of the entry.
fn single_entry(fields: &mut Fields<'_>, map: &Map) -> Vec<RawEntry> {
    let head = Head::read(fields);
    let place = fields.place().clone();
    if map.get("name").is_none() && map.get("kind").is_none() {
        let message = "the file has a namespace, but neither `entries` nor `name` and `kind`";
        let diagnostic = Diagnostic::error(document_code::MISSING_FIELD, place, message);
        let keys = map.iter().map(|entry| entry.key.as_str());
        fields.report(match nearest("entries", keys) {
            Some(key) => diagnostic.help(format!("`{key}` should be `entries`")),
            None => diagnostic,
        });
        fields.rest();
        return Vec::new();
    }
    raw_entry(fields, place, None, head.namespace.as_ref()).into_iter().collect()
}

/// What a file says about all of its entries.
struct Head {
    /// `None` if it is wrong, which was reported.
    namespace: Option<Text>,
    meta: Option<Node>,
}

impl Head {
    fn read(fields: &mut Fields<'_>) -> Self {
        if let Some(version) = fields.optional("version")
            && version.text().is_some_and(|version| version.text != "1.0")
        {
            version.refuse::<()>(code::BAD_VERSION, "the only version of entry files is 1.0");
        }
        let namespace = fields.required("namespace").and_then(|field| {
            let namespace = field.filled_text()?;
            match EntryId::new(&namespace.text, "x") {
                Ok(_) if !namespace.text.contains(':') => Some(namespace),
                _ => field.refuse(code::BAD_ID, not_a_name("namespace", &namespace.text)),
            }
        });
        let meta = fields.optional("meta").and_then(|field| {
            field.pairs()?;
            Some(field.node().clone())
        });
        Self { namespace, meta }
    }
}

/// One entry; `None` if it has no usable id, which was reported.
fn raw_entry(
    fields: &mut Fields<'_>,
    place: Span,
    file_meta: Option<&Node>,
    namespace: Option<&Text>,
) -> Option<RawEntry> {
    let name = fields.required("name").and_then(|field| {
        let name = field.filled_text()?;
        match EntryId::new("x", &name.text) {
            Ok(_) => Some(name),
            Err(_) => field.refuse(code::BAD_ID, not_a_name("name", &name.text)),
        }
    });
    let kind = fields.required("kind").and_then(|field| field.filled_text());
    let own_meta = fields.optional("meta").and_then(|field| {
        field.pairs()?;
        Some(field.node().clone())
    });
    let data = data(fields, &place);
    let (namespace, name) = (namespace?, name?);
    Some(RawEntry {
        id: EntryId::new(&namespace.text, &name.text).ok()?,
        kind: kind.as_ref().and_then(|kind| Kind::parse(&kind.text)),
        kind_text: kind,
        meta: merged(file_meta, own_meta.as_ref(), &place),
        data,
        place,
        name_span: name.span,
    })
}

/// The value of `data`, else a map of all fields that are no others'.
fn data(fields: &mut Fields<'_>, place: &Span) -> Node {
    let given = fields.optional("data");
    let rest = fields.rest();
    let Some(given) = given else {
        return Node::map(rest.into_iter().cloned().collect(), place.clone());
    };
    if let [first, ..] = rest.as_slice() {
        let names: Vec<String> = rest.iter().map(|entry| format!("`{}`", entry.key)).collect();
        let message = format!("`data` is all of the data, but there is also {}", names.join(", "));
        given.report(
            given
                .problem(code::MIXED_DATA, message)
                .related(first.key_span.clone(), "this would be lost")
                .help("move the other fields into `data`, or write all of them without it"),
        );
    }
    given.node().clone()
}

/// The fields of `file` with those of `own` in their place, one level deep.
fn merged(file: Option<&Node>, own: Option<&Node>, place: &Span) -> Node {
    let fields = |node: Option<&Node>| node.and_then(Node::as_map).cloned().unwrap_or_default();
    let mut all = fields(file);
    for entry in &fields(own) {
        all = all.with(entry.clone());
    }
    let span = own.or(file).map_or(place, |node| &node.span).clone();
    Node { span, kind: NodeKind::Map(all) }
}

fn not_a_name(what: &str, text: &str) -> String {
    format!("the {what} {text:?} may only have letters, digits, '_', '.' and '-'")
}
