use smol_str::SmolStr;

use crate::document::{Assignment, Diagnostic, MapEntry, Node, Report, nearest};
use crate::id::EntryId;

use super::code;
use super::raw::RawEntry;

/// Puts the values of `overrides` into `entries`, in order (registry.md section 5). What names no
/// entry, or no place in one, is reported.
pub(super) fn apply(entries: &mut [RawEntry], overrides: &[Assignment], report: &mut Report) {
    for given in overrides {
        match Target::parse(&given.key) {
            None => report.push(malformed(given)),
            Some((id, place)) => match entries.iter_mut().find(|entry| entry.id == id) {
                Some(entry) => set(entry, place, given, report),
                None => {
                    let known = entries.iter().map(|entry| entry.id.as_str());
                    report.push(unknown(given, &id, known));
                }
            },
        }
    }
}

/// The part of an entry that an override sets.
enum Target<'k> {
    Kind,
    Meta(Vec<&'k str>),
    Data(Vec<&'k str>),
}

impl<'k> Target<'k> {
    /// Splits `namespace:name:path`; `None` if it is something else.
    fn parse(key: &'k str) -> Option<(EntryId, Self)> {
        let (namespace, rest) = key.split_once(':')?;
        let (name, path) = rest.split_once(':')?;
        let id = EntryId::new(namespace, name).ok()?;
        let parts: Vec<&str> = path.strip_prefix('.').unwrap_or(path).split('.').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return None;
        }
        let target = match parts.as_slice() {
            ["kind"] => Target::Kind,
            ["meta" | "data"] => return None,
            ["meta", rest @ ..] => Target::Meta(rest.to_vec()),
            ["data", rest @ ..] => Target::Data(rest.to_vec()),
            all => Target::Data(all.to_vec()),
        };
        Some((id, target))
    }
}

fn set(entry: &mut RawEntry, target: Target<'_>, given: &Assignment, report: &mut Report) {
    match target {
        Target::Meta(path) => entry.meta = with(&entry.meta, &path, given),
        Target::Data(path) => entry.data = with(&entry.data, &path, given),
        Target::Kind => {
            match given.value.as_scalar().filter(|scalar| !scalar.text.trim().is_empty()) {
                Some(scalar) => entry.set_kind(scalar.text.clone(), given.value.span.clone()),
                None => {
                    let message = "a kind is a text with at least one character";
                    let place = given.value.span.clone();
                    let diagnostic = Diagnostic::error(code::BAD_OVERRIDE, place, message);
                    report.push(diagnostic.entry(entry.id.as_str()).field("kind"));
                }
            }
        }
    }
}

/// `node` with the value at `path` in it; what is in the way and no map gives way to one.
fn with(node: &Node, path: &[&str], given: &Assignment) -> Node {
    let Some((first, rest)) = path.split_first() else { return given.value.clone() };
    let map = node.as_map().cloned().unwrap_or_default();
    let old = map.get(first);
    let empty = Node::map(Vec::new(), given.value.span.clone());
    let value = with(old.map_or(&empty, |entry| &entry.value), rest, given);
    let key_span = old.map_or(&given.key_span, |entry| &entry.key_span).clone();
    let key_span = if rest.is_empty() { given.key_span.clone() } else { key_span };
    let entry = MapEntry { key: SmolStr::from(*first), key_span, value };
    Node { span: node.span.clone(), kind: crate::document::Kind::Map(map.with(entry)) }
}

fn malformed(given: &Assignment) -> Diagnostic {
    let message = format!("`{}` names no field of an entry", given.key);
    Diagnostic::error(code::BAD_OVERRIDE, given.key_span.clone(), message)
        .help("write namespace:name:path, such as app:pg:max_groups or app:pg:meta.owner")
}

fn unknown<'a>(
    given: &Assignment,
    id: &EntryId,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("there is no entry `{id}` to override");
    let diagnostic = Diagnostic::error(code::OVERRIDE_TARGET, given.key_span.clone(), message)
        .entry(id.as_str());
    match nearest(id.as_str(), known) {
        Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}
