use std::collections::HashMap;
use std::sync::Arc;

use serde_saphyr::granit_parser::{self, Event, ScalarStyle, Tag};
use smol_str::SmolStr;

use super::code;
use super::diagnostic::Diagnostic;
use super::limits::{MAX_ANCHORS, MAX_DEPTH, MAX_NODES};
use super::merge;
use super::node::{Kind, MapEntry, Node, Scalar, Spelling};
use super::parse::span;
use super::report::Report;
use super::source::{Source, Span};

type Step = Result<(), Box<Diagnostic>>;

/// Makes a tree out of parser events, counting what aliases would expand to.
pub(super) struct Builder<'s> {
    source: &'s Arc<Source>,
    open: Vec<Frame>,
    anchors: HashMap<usize, Anchored>,
    nodes: usize,
    root: Option<Node>,
    pub(super) problems: Report,
}

/// A list or map whose end has not come yet.
struct Frame {
    start: Span,
    anchor: usize,
    nodes_before: usize,
    /// Levels of nesting inside.
    height: usize,
    shape: Shape,
}

enum Shape {
    List(Vec<Node>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<MapEntry>,
    places: HashMap<SmolStr, usize>,
    key: Option<(SmolStr, Span, KeyUse)>,
    merge: Option<(Span, Node)>,
}

/// What becomes of the value after a key.
#[derive(Clone, Copy, PartialEq)]
enum KeyUse {
    Entry,
    Merge,
    Duplicate,
}

struct Anchored {
    node: Node,
    nodes: usize,
    height: usize,
}

impl<'s> Builder<'s> {
    pub(super) fn new(source: &'s Arc<Source>) -> Self {
        Self {
            source,
            open: Vec::new(),
            anchors: HashMap::new(),
            nodes: 0,
            root: None,
            problems: Report::new(),
        }
    }

    /// Takes the next event; an error ends the building.
    pub(super) fn event(&mut self, event: Event<'_>, at: &granit_parser::Span) -> Step {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let spelling = self.spelling(style, tag.as_deref(), at)?;
                let place = self.scalar_span(at, style, &text);
                // The parser says `~` for a value that is not there at all.
                let is_absent = style == ScalarStyle::Plain && place.text().is_empty();
                let text = if is_absent { SmolStr::default() } else { SmolStr::from(text) };
                let scalar = Scalar { text, spelling };
                let node = Node { span: place, kind: Kind::Scalar(scalar) };
                self.count(1, &node.span)?;
                self.complete(node, anchor, Extent { nodes: 1, height: 0 })
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at)?;
                self.start(anchor, at, Shape::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at)?;
                self.start(anchor, at, Shape::Map(OpenMap::default()))
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::Alias(id) => self.alias(id, at),
            _ => Ok(()),
        }
    }

    /// The tree, once all events were taken.
    pub(super) fn finish(self) -> (Option<Node>, Report) {
        let empty = Scalar { text: SmolStr::default(), spelling: Spelling::Plain };
        let top = Span::top(self.source.clone());
        let root = self.root.unwrap_or(Node { span: top, kind: Kind::Scalar(empty) });
        (Some(root), self.problems)
    }

    fn start(&mut self, anchor: usize, at: &granit_parser::Span, shape: Shape) -> Step {
        let start = span(self.source, at);
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(start).into());
        }
        self.count(1, &start)?;
        if let Some(Frame { shape: Shape::Map(OpenMap { key: None, .. }), .. }) = self.open.last() {
            return Err(bad_key(start, "a key is a plain text here"));
        }
        let nodes_before = self.nodes - 1;
        self.open.push(Frame { start, anchor, nodes_before, height: 1, shape });
        Ok(())
    }

    fn end(&mut self, at: &granit_parser::Span) -> Step {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let place = self.collection_span(&frame.start, at);
        let node = match frame.shape {
            Shape::List(items) => Node { span: place, kind: Kind::List(items.into()) },
            Shape::Map(OpenMap { entries, merge: None, .. }) => Node::map(entries, place),
            Shape::Map(OpenMap { entries, merge: Some((key, value)), .. }) => {
                let entries = merge::apply(entries, &key, value, &mut self.problems);
                Node::map(entries, place)
            }
        };
        let extent = Extent { nodes: self.nodes - frame.nodes_before, height: frame.height };
        self.complete(node, frame.anchor, extent)
    }

    fn alias(&mut self, id: usize, at: &granit_parser::Span) -> Step {
        let place = span(self.source, at);
        let Some(Anchored { node, nodes, height }) = self.anchors.get(&id) else {
            let message = "the alias stands inside the value that it refers to";
            return Err(Diagnostic::error(code::BAD_ALIAS, place, message).into());
        };
        let (node, extent) = (node.clone(), Extent { nodes: *nodes, height: *height });
        if self.open.len() + extent.height > MAX_DEPTH {
            return Err(too_deep(place).into());
        }
        self.count(extent.nodes, &place)?;
        self.complete(node, 0, extent)
    }

    /// Puts a finished value where it belongs: into the innermost open list or map, or at the root.
    fn complete(&mut self, node: Node, anchor: usize, extent: Extent) -> Step {
        if anchor != 0 {
            if self.anchors.len() >= MAX_ANCHORS {
                let message = format!("the document has more than {MAX_ANCHORS} anchors");
                return Err(Diagnostic::error(code::TOO_LARGE, node.span, message).into());
            }
            let Extent { nodes, height } = extent;
            self.anchors.insert(anchor, Anchored { node: node.clone(), nodes, height });
        }
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.height = frame.height.max(extent.height + 1);
        match &mut frame.shape {
            Shape::List(items) => items.push(node),
            Shape::Map(map) => match map.key.take() {
                Some(key) => map.value(key, node),
                None => map.key = Some(map.read_key(node, &mut self.problems)?),
            },
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize, place: &Span) -> Step {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        let message = format!("the document has more than {MAX_NODES} values");
        let note = "an alias counts with all that it stands for";
        Err(Diagnostic::error(code::TOO_LARGE, place.clone(), message).note(note).into())
    }

    fn spelling(
        &self,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: &granit_parser::Span,
    ) -> Result<Spelling, Box<Diagnostic>> {
        let tagged = tag.is_some();
        self.check_tag(tag, "str", at)?;
        Ok(if style == ScalarStyle::Plain && !tagged { Spelling::Plain } else { Spelling::Quoted })
    }

    /// Allows `!`, which says "as it is", and the core tag `allowed`.
    fn check_tag(&self, tag: Option<&Tag>, allowed: &str, at: &granit_parser::Span) -> Step {
        let Some(tag) = tag else { return Ok(()) };
        if tag.core_suffix() == Some(allowed) || tag.original() == "!" {
            return Ok(());
        }
        let place =
            at.tag_span().map_or_else(|| span(self.source, at), |at| span(self.source, &at));
        let message = format!("the tag `{}` is not supported", tag.original());
        Err(Diagnostic::error(code::UNSUPPORTED_TAG, place, message)
            .help("remove it; put the value in quotes if it is meant as text")
            .into())
    }

    /// The span of a scalar. That of a block scalar covers the blank lines that its text begins
    /// with, and not those that follow it.
    fn scalar_span(&self, at: &granit_parser::Span, style: ScalarStyle, text: &str) -> Span {
        let place = span(self.source, at);
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return place;
        }
        let blank_lines = text.bytes().take_while(|byte| *byte == b'\n').count() as u32;
        if blank_lines == 0 || blank_lines as usize == text.len() {
            return trimmed(&place);
        }
        let first = self.source.line_span(place.line().saturating_sub(blank_lines));
        trimmed(&first.to(&place))
    }

    fn collection_span(&self, start: &Span, at: &granit_parser::Span) -> Span {
        trimmed(&start.to(&span(self.source, at)))
    }
}

impl OpenMap {
    fn read_key(
        &self,
        node: Node,
        problems: &mut Report,
    ) -> Result<(SmolStr, Span, KeyUse), Box<Diagnostic>> {
        let Node { span, kind: Kind::Scalar(Scalar { text, spelling }) } = node else {
            return Err(bad_key(node.span, "a key is a plain text here"));
        };
        if text.is_empty() {
            return Err(bad_key(span, "a key is empty"));
        }
        let is_merge = text == "<<" && spelling == Spelling::Plain;
        let first = match (is_merge, &self.merge, self.places.get(&text)) {
            (true, Some((first, _)), _) => Some(first),
            (false, _, Some(place)) => self.entries.get(*place).map(|entry| &entry.key_span),
            _ => None,
        };
        let Some(first) = first else {
            return Ok((text, span, if is_merge { KeyUse::Merge } else { KeyUse::Entry }));
        };
        let message = format!("the key `{text}` is given twice in one map");
        let duplicate = Diagnostic::error(code::DUPLICATE_KEY, span.clone(), message);
        problems.push(duplicate.related(first.clone(), "it is given here first"));
        Ok((text, span, KeyUse::Duplicate))
    }

    fn value(&mut self, (key, key_span, key_use): (SmolStr, Span, KeyUse), value: Node) {
        match key_use {
            KeyUse::Duplicate => {}
            KeyUse::Merge => self.merge = Some((key_span, value)),
            KeyUse::Entry => {
                self.places.insert(key.clone(), self.entries.len());
                self.entries.push(MapEntry { key, key_span, value });
            }
        }
    }
}

/// What a value takes, aliases followed.
#[derive(Clone, Copy)]
struct Extent {
    nodes: usize,
    height: usize,
}

fn bad_key(place: Span, message: &str) -> Box<Diagnostic> {
    Diagnostic::error(code::BAD_KEY, place, message).into()
}

fn too_deep(place: Span) -> Diagnostic {
    let message = format!("lists and maps are nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error(code::TOO_DEEP, place, message)
}

fn trimmed(place: &Span) -> Span {
    let start = place.range().start;
    let length = place.text().trim_end().len();
    Span::new(place.source().clone(), start..start + length)
}
