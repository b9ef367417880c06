use smol_str::SmolStr;

use crate::document::{Node, Span, Text};
use crate::id::EntryId;

use super::kind::Kind;

/// An entry as its file gives it, before its kind has looked at it.
#[derive(Clone, Debug)]
pub(super) struct RawEntry {
    pub id: EntryId,
    /// The text of `kind`; `None` if it is missing or wrong, which was reported.
    pub kind_text: Option<Text>,
    /// What the text names, if there is such a kind.
    pub kind: Option<Kind>,
    /// A map.
    pub meta: Node,
    /// A map, except for kinds whose data may be anything.
    pub data: Node,
    /// The whole entry in its file.
    pub place: Span,
    /// The name in the file.
    pub name_span: Span,
}

impl RawEntry {
    /// Puts `text` in the place of the kind.
    pub(super) fn set_kind(&mut self, text: SmolStr, span: Span) {
        self.kind = Kind::parse(&text);
        self.kind_text = Some(Text { text, span });
    }
}
