use std::sync::Arc;

use smol_str::SmolStr;

use super::source::Span;

/// A value of a document, with its place. Cloning copies no list and no map.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where the value stands. What comes through an alias points to its anchor.
    pub span: Span,
    /// The value.
    pub kind: Kind,
}

/// The shapes of a value.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A text, number, truth value or nothing.
    Scalar(Scalar),
    /// A list.
    List(Arc<[Node]>),
    /// A map.
    Map(Map),
}

/// A scalar as it is spelled; its type is up to the reader.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The text, after the escapes of a quoted one.
    pub text: SmolStr,
    /// How it was written.
    pub spelling: Spelling,
}

/// How a scalar was written, which says what it may stand for.
#[derive(Clone, Debug)]
pub enum Spelling {
    /// A bare word: text, number, truth value or nothing, as the reader wants.
    Plain,
    /// In quotes or as a block: text.
    Quoted,
    /// Given from outside a document (flag, environment variable): whatever the reader wants.
    /// Holds the list or map that the text is when read as JSON.
    Assigned(Option<Arc<Node>>),
}

impl PartialEq for Spelling {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A map with unique keys, in the order of the document.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Arc<[MapEntry]>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct MapEntry {
    /// The key as text.
    pub key: SmolStr,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A quoted text.
    pub fn text(text: impl Into<SmolStr>, span: Span) -> Self {
        let scalar = Scalar { text: text.into(), spelling: Spelling::Quoted };
        Self { span, kind: Kind::Scalar(scalar) }
    }

    /// A map of `entries`.
    pub fn map(entries: Vec<MapEntry>, span: Span) -> Self {
        Self { span, kind: Kind::Map(Map::from(entries)) }
    }

    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The map, if it is one, or an assigned text that is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.alternative().kind {
            Kind::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The elements, if it is a list or an assigned text that is one.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.alternative().kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// Whether the value is missing: a bare `null`, `~` or nothing.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_null)
    }

    /// A few words for messages: what was found.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
            Kind::Scalar(scalar) if scalar.is_null() => "nothing".to_owned(),
            Kind::Scalar(Scalar { text, spelling: Spelling::Quoted }) => {
                format!("the text {:?}", shortened(text))
            }
            Kind::Scalar(Scalar { text, .. }) => format!("`{}`", shortened(text)),
        }
    }

    fn alternative(&self) -> &Node {
        match &self.kind {
            Kind::Scalar(Scalar { spelling: Spelling::Assigned(Some(node)), .. }) => node,
            _ => self,
        }
    }
}

impl Map {
    /// The entries, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, MapEntry> {
        self.entries.iter()
    }

    /// The entry of `key`.
    pub fn get(&self, key: &str) -> Option<&MapEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The map with `entry` in the place of the one with its key, or at the end.
    #[must_use]
    pub fn with(&self, entry: MapEntry) -> Self {
        let mut entries = self.entries.to_vec();
        match entries.iter_mut().find(|other| other.key == entry.key) {
            Some(other) => *other = entry,
            None => entries.push(entry),
        }
        Self::from(entries)
    }
}

impl From<Vec<MapEntry>> for Map {
    /// The caller answers for keys being unique.
    fn from(entries: Vec<MapEntry>) -> Self {
        Self { entries: entries.into() }
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a MapEntry;
    type IntoIter = std::slice::Iter<'a, MapEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
