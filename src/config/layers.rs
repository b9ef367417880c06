use smol_str::SmolStr;

use crate::document::{Kind, Map, MapEntry, Node};

/// `over` on top of `under`, leaf by leaf: maps are merged, anything else is replaced.
pub(super) fn merged(under: &Node, over: &Node) -> Node {
    let (Kind::Map(below), Kind::Map(above)) = (&under.kind, &over.kind) else {
        return over.clone();
    };
    let mut map = below.clone();
    for entry in above {
        let value = match below.get(&entry.key) {
            Some(old) => merged(&old.value, &entry.value),
            None => entry.value.clone(),
        };
        map = map.with(MapEntry { value, ..entry.clone() });
    }
    Node { span: over.span.clone(), kind: Kind::Map(map) }
}

/// A tree with nothing but `value` at `path`.
pub(super) fn single(path: &[&str], given: &MapEntry) -> Node {
    let Some((first, rest)) = path.split_first() else { return given.value.clone() };
    let entry = MapEntry {
        key: SmolStr::from(*first),
        key_span: given.key_span.clone(),
        value: single(rest, given),
    };
    Node { span: given.value.span.clone(), kind: Kind::Map(Map::from(vec![entry])) }
}
