use std::collections::HashMap;

use smol_str::SmolStr;

use super::code;
use super::diagnostic::Diagnostic;
use super::node::{Kind, Map, MapEntry, Node};
use super::report::Report;
use super::source::Span;

/// The entries of a map whose merge key stands at `key`, with those of `value` (a map, or a list of
/// maps) added. The map's own entries win. That two merged maps disagree on a key, or that a map
/// written in place repeats one, is reported: nothing may win silently (report R44).
pub(super) fn apply(
    own: Vec<MapEntry>,
    key: &Span,
    value: Node,
    problems: &mut Report,
) -> Vec<MapEntry> {
    let Some(sources) = sources(&value, key) else {
        let message = format!("`<<` takes a map or a list of maps, not {}", value.describe());
        problems.push(Diagnostic::error(code::BAD_MERGE, key.clone(), message));
        return own;
    };
    let mut places: HashMap<SmolStr, Origin> = HashMap::new();
    for entry in &own {
        places.insert(entry.key.clone(), Origin::Own(entry.key_span.clone()));
    }
    let mut entries = own;
    for (map, written) in sources {
        for entry in map {
            match places.get(&entry.key) {
                None => {
                    places.insert(entry.key.clone(), Origin::Merged(entries.len()));
                    entries.push(entry.clone());
                }
                Some(Origin::Own(first)) if written == Written::InPlace => {
                    duplicate(entry, first, problems);
                }
                Some(Origin::Own(_)) => {}
                Some(Origin::Merged(place)) => {
                    if let Some(first) = entries.get(*place).filter(|first| !same(first, entry)) {
                        conflict(entry, first, problems);
                    }
                }
            }
        }
    }
    entries
}

enum Origin {
    Own(Span),
    Merged(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// Reached through an alias.
    Elsewhere,
    /// Right behind the merge key.
    InPlace,
}

/// The maps that `value` offers; `None` if it is something else. An anchor stands before all of
/// its aliases, so what stands behind `key` was written in place.
fn sources<'a>(value: &'a Node, key: &Span) -> Option<Vec<(&'a Map, Written)>> {
    let source = |node: &'a Node| {
        let in_place = node.span.range().start >= key.range().end;
        let written = if in_place { Written::InPlace } else { Written::Elsewhere };
        node.as_map().map(|map| (map, written))
    };
    match &value.kind {
        Kind::List(items) => items.iter().map(source).collect(),
        _ => source(value).map(|source| vec![source]),
    }
}

fn duplicate(entry: &MapEntry, first: &Span, problems: &mut Report) {
    let message = format!("the key `{}` is given twice in one map", entry.key);
    let diagnostic = Diagnostic::error(code::DUPLICATE_KEY, entry.key_span.clone(), message);
    problems.push(diagnostic.related(first.clone(), "it is given here too"));
}

fn conflict(entry: &MapEntry, first: &MapEntry, problems: &mut Report) {
    let message = format!("two merged maps give the key `{}` different values", entry.key);
    let diagnostic = Diagnostic::error(code::DUPLICATE_KEY, entry.key_span.clone(), message);
    let help = format!("give `{}` in the map itself to decide", entry.key);
    problems.push(diagnostic.related(first.key_span.clone(), "the other value").help(help));
}

fn same(a: &MapEntry, b: &MapEntry) -> bool {
    a.value.span == b.value.span
        || matches!((&a.value.kind, &b.value.kind), (Kind::Scalar(a), Kind::Scalar(b))
            if a.text == b.text && a.spelling == b.spelling)
}
