use std::cell::RefCell;
use std::sync::Arc;

use smol_str::SmolStr;

use super::code;
use super::diagnostic::Diagnostic;
use super::field::Field;
use super::json::child_path;
use super::node::{Map, MapEntry, Node};
use super::report::Report;
use super::source::Span;
use super::suggest::nearest;

/// One reading of a map into a typed value.
///
/// The reading code asks [`Fields`] for what it knows; that alone says which fields exist at which
/// level, so there is no second list to keep. [`conclude`](Self::conclude) then reports what nobody
/// asked for, with the field that was likely meant and the level that it belongs to (report R46).
pub struct Decoder {
    subject: String,
    entry: Option<Arc<str>>,
    report: RefCell<Report>,
    levels: RefCell<Vec<Level>>,
    strays: RefCell<Vec<Stray>>,
}

/// The fields that exist in the map at one path; indexes of lists are left out of it.
struct Level {
    path: String,
    names: Vec<&'static str>,
}

/// A key that nobody asked for.
struct Stray {
    path: String,
    key: SmolStr,
    key_span: Span,
}

/// The fields of one map while it is being read. Every name that is asked for is a known field.
pub struct Fields<'a> {
    decoder: &'a Decoder,
    path: String,
    place: Span,
    /// `None` while the fields of an absent map are only listed.
    map: Option<&'a Map>,
    names: Vec<&'static str>,
}

impl Decoder {
    /// A reading of something that messages call `subject` (such as `pg.scope`), of `entry`.
    pub fn new(subject: impl Into<String>, entry: Option<Arc<str>>) -> Self {
        Self {
            subject: subject.into(),
            entry,
            report: RefCell::default(),
            levels: RefCell::default(),
            strays: RefCell::default(),
        }
    }

    /// Reads the outermost map. `place` is where to point if a field is missing.
    pub fn read<'a, T>(
        &'a self,
        map: &'a Map,
        place: Span,
        read: impl FnOnce(&mut Fields<'a>) -> T,
    ) -> T {
        self.read_level(String::new(), place, Some(map), read)
    }

    /// Everything that was wrong, unknown fields included.
    pub fn conclude(self) -> Report {
        for stray in self.strays.take() {
            self.push(self.unknown(&stray));
        }
        self.report.into_inner()
    }

    pub(super) fn push(&self, mut diagnostic: Diagnostic) {
        diagnostic.entry = diagnostic.entry.or_else(|| self.entry.clone());
        self.report.borrow_mut().push(diagnostic);
    }

    pub(super) fn read_level<'a, T>(
        &'a self,
        path: String,
        place: Span,
        map: Option<&'a Map>,
        read: impl FnOnce(&mut Fields<'a>) -> T,
    ) -> T {
        let mut fields = Fields { decoder: self, path, place, map, names: Vec::new() };
        let value = read(&mut fields);
        fields.finish();
        value
    }

    fn unknown(&self, stray: &Stray) -> Diagnostic {
        let levels = self.levels.borrow();
        let here = level_path(&stray.path);
        let known = levels.iter().find(|level| level.path == here);
        let names = known.map(|level| level.names.as_slice()).unwrap_or_default();
        let field = child_path(&stray.path, &stray.key);
        let message = format!("unknown field `{}`", stray.key);
        let diagnostic =
            Diagnostic::error(code::UNKNOWN_FIELD, stray.key_span.clone(), message).field(field);
        let elsewhere: Vec<&Level> = levels.iter().filter(|level| level.path != here).collect();
        let owner = |name: &str| {
            elsewhere.iter().find(|level| level.names.contains(&name)).map(|level| &level.path)
        };
        let diagnostic = if let Some(path) = owner(&stray.key) {
            diagnostic.label("not at this level").help(self.move_there(&stray.key, &here, path))
        } else if let Some(name) = nearest(&stray.key, names.iter().copied()) {
            diagnostic.label(format!("did you mean `{name}`?"))
        } else {
            let all = elsewhere.iter().flat_map(|level| level.names.iter().copied());
            match nearest(&stray.key, all) {
                Some(name) => {
                    let path = owner(name).map_or(String::new(), |path| child_path(path, name));
                    diagnostic.label(format!("did you mean `{path}`?"))
                }
                None => diagnostic,
            }
        };
        diagnostic.note(format!("{} are {}", self.whose(&here), listed(names)))
    }

    fn move_there(&self, key: &str, here: &str, there: &str) -> String {
        match there {
            "" => format!("`{key}` belongs at the top level of the {}", self.subject),
            _ if here.starts_with(there) => format!("`{key}` belongs one level up, in `{there}`"),
            _ => format!("`{key}` belongs in `{there}`"),
        }
    }

    fn whose(&self, path: &str) -> String {
        match path {
            "" => format!("the fields of {}", self.subject),
            path => format!("the fields of `{path}` in {}", self.subject),
        }
    }
}

impl<'a> Fields<'a> {
    /// The field `name`, if it is given.
    pub fn optional(&mut self, name: &'static str) -> Option<Field<'a>> {
        let entry = self.take(name)?;
        Some(self.field(entry))
    }

    /// The field `name`; its absence is reported.
    pub fn required(&mut self, name: &'static str) -> Option<Field<'a>> {
        let entry = self.take(name);
        if let (None, Some(_)) = (entry, self.map) {
            let message = format!("the field `{name}` is missing");
            let missing = Diagnostic::error(code::MISSING_FIELD, self.place.clone(), message);
            self.report(missing.field(child_path(&self.path, name)));
        }
        entry.map(|entry| self.field(entry))
    }

    /// The map in field `name`, read by `read`. If it is absent, `read` runs too, on a map whose
    /// fields are all absent, and its result is dropped: that tells which fields there could be.
    pub fn block<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> T,
    ) -> Option<T> {
        match self.optional(name) {
            Some(field) => field.block(read),
            None => {
                self.describe(name, read);
                None
            }
        }
    }

    /// The list of maps in field `name`, each read by `read`; else as [`block`](Self::block).
    /// Elements that are no maps are reported and left out.
    pub fn blocks<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Fields<'a>) -> T,
    ) -> Option<Vec<T>> {
        match self.optional(name) {
            Some(field) => {
                let items = field.items()?;
                Some(items.into_iter().filter_map(|item| item.block(&mut read)).collect())
            }
            None => {
                self.describe(name, read);
                None
            }
        }
    }

    /// Whether the field `name` is given; makes it a known field.
    pub fn has(&mut self, name: &'static str) -> bool {
        self.take(name).is_some()
    }

    /// Accepts all fields that were not asked for, and gives them.
    pub fn rest(&mut self) -> Vec<&'a MapEntry> {
        let rest: Vec<&MapEntry> = self.strays().collect();
        self.map = None;
        rest
    }

    /// Where the map stands.
    pub fn place(&self) -> &Span {
        &self.place
    }

    /// Path of the map in what is being read; empty at the top.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Reports a problem of this map as a whole, unless it is absent.
    pub fn report(&self, diagnostic: Diagnostic) {
        if self.map.is_some() {
            self.decoder.push(Diagnostic {
                field: diagnostic
                    .field
                    .or_else(|| Some(self.path.clone()).filter(|p| !p.is_empty())),
                ..diagnostic
            });
        }
    }

    /// Whether the map is there, rather than one whose fields are only being listed.
    pub fn is_present(&self) -> bool {
        self.map.is_some()
    }

    fn take(&mut self, name: &'static str) -> Option<&'a MapEntry> {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        self.map?.get(name)
    }

    fn field(&self, entry: &'a MapEntry) -> Field<'a> {
        let path = child_path(&self.path, &entry.key);
        Field::new(self.decoder, path, &entry.value, entry.key_span.clone())
    }

    fn describe<T>(&self, name: &str, read: impl FnOnce(&mut Fields<'a>) -> T) {
        let path = child_path(&self.path, name);
        self.decoder.read_level(path, self.place.clone(), None, read);
    }

    fn strays(&self) -> impl Iterator<Item = &'a MapEntry> {
        let entries = self.map.into_iter().flat_map(Map::iter);
        entries.filter(|entry| !self.names.iter().any(|name| *name == entry.key))
    }

    fn finish(self) {
        let strays = self.strays().map(|entry| Stray {
            path: self.path.clone(),
            key: entry.key.clone(),
            key_span: entry.key_span.clone(),
        });
        self.decoder.strays.borrow_mut().extend(strays);
        let path = level_path(&self.path);
        let mut levels = self.decoder.levels.borrow_mut();
        if !levels.iter().any(|level| level.path == path) {
            levels.push(Level { path, names: self.names });
        }
    }
}

impl Node {
    /// Reads the node, which has to be a map, as [`Decoder::read`] does.
    pub fn decode<'a, T>(
        &'a self,
        decoder: &'a Decoder,
        read: impl FnOnce(&mut Fields<'a>) -> T,
    ) -> Option<T> {
        Field::new(decoder, String::new(), self, self.span.clone()).block(read)
    }
}

/// The path without the indexes of lists: `a[3].b` becomes `a[].b`.
fn level_path(path: &str) -> String {
    let mut parts = path.split('[');
    let mut level = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        level.push_str("[]");
        level.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
    }
    level
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}
