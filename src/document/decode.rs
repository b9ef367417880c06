use std::cell::RefCell;
use std::sync::Arc;

use super::code;
use super::diagnostic::Diagnostic;
use super::field::Field;
use super::json::child_path;
use super::node::{Map, MapEntry, Node};
use super::report::Report;
use super::source::Span;
use super::unknown::{self, Level, Stray, level_path};

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

/// The fields of one map while it is being read. Every name that is asked for is a known field.
pub struct Fields<'a> {
    decoder: &'a Decoder,
    path: String,
    place: Span,
    /// `None` while the fields of an absent map are only listed.
    map: Option<&'a Map>,
    names: Vec<&'static str>,
    forbidden: Vec<&'static str>,
    /// Whether all other fields are welcome.
    is_open: bool,
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
            self.push(unknown::field(&self.subject, &self.levels.borrow(), &stray));
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
        let (names, forbidden) = (Vec::new(), Vec::new());
        let mut fields =
            Fields { decoder: self, path, place, map, names, forbidden, is_open: false };
        let value = read(&mut fields);
        fields.finish();
        value
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

    /// The map in field `name`, read by `read`. If it is absent, or wrong and reported, the value is
    /// what `read` makes of a map whose fields are all absent.
    pub fn section<T>(&mut self, name: &'static str, read: impl Fn(&mut Fields<'a>) -> T) -> T {
        let given = self.optional(name).and_then(|field| field.block(&read));
        given.unwrap_or_else(|| self.describe(name, read))
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

    /// Reports the field `name` if it is given, as one that is not known here, with advice.
    pub fn forbid(&mut self, name: &'static str, help: &str) {
        let Some(entry) = self.map.and_then(|map| map.get(name)) else { return };
        self.forbidden.push(name);
        let message = format!("unknown field `{name}`");
        let unknown = Diagnostic::error(code::UNKNOWN_FIELD, entry.key_span.clone(), message);
        self.report(unknown.field(child_path(&self.path, name)).help(help));
    }

    /// The field `name`, if it is given, without making it a known one.
    pub fn peek(&self, name: &str) -> Option<Field<'a>> {
        Some(self.field(self.map?.get(name)?))
    }

    /// Accepts all fields that were not asked for, and gives them.
    pub fn rest(&mut self) -> Vec<&'a MapEntry> {
        let rest = self.strays().collect();
        self.is_open = true;
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

    fn describe<T>(&self, name: &str, read: impl FnOnce(&mut Fields<'a>) -> T) -> T {
        let path = child_path(&self.path, name);
        self.decoder.read_level(path, self.place.clone(), None, read)
    }

    fn strays(&self) -> impl Iterator<Item = &'a MapEntry> {
        let entries = self.map.filter(|_| !self.is_open).into_iter().flat_map(Map::iter);
        let known = self.names.iter().chain(&self.forbidden);
        entries.filter(move |entry| !known.clone().any(|name| *name == entry.key))
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
    /// The node as the outermost value of a reading.
    pub fn field<'a>(&'a self, decoder: &'a Decoder) -> Field<'a> {
        Field::new(decoder, String::new(), self, self.span.clone())
    }
}
