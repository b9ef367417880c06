use std::cell::RefCell;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value as Json;

use crate::document::{
    Diagnostic, DurationText, Field, Fields, Medium, Span, Text, Zero, child_path,
};

use super::address::Address;
use super::code;
use super::setting::{Origin, Setting};

/// What the reading of a section needs to know, and the settings that it comes across.
pub(super) struct Reading {
    /// Directory that relative paths in files start from.
    pub base: PathBuf,
    pub settings: RefCell<Vec<Setting>>,
}

/// A map of the configuration while it is being read. Every setting that is asked for is recorded
/// with its value and its origin, also where the map is absent.
pub(super) struct Section<'s, 'a> {
    fields: &'s mut Fields<'a>,
    reading: &'s Reading,
}

impl<'s, 'a> Section<'s, 'a> {
    pub(super) fn new(fields: &'s mut Fields<'a>, reading: &'s Reading) -> Self {
        Self { fields, reading }
    }

    /// The section `name` of this one; a section that is absent has the defaults.
    pub(super) fn section<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&mut Section<'_, 'a>) -> T,
    ) -> T {
        let reading = self.reading;
        self.fields.section(name, |fields| read(&mut Section::new(fields, reading)))
    }

    /// Everything else in the section, as it is.
    pub(super) fn fields(&mut self) -> &mut Fields<'a> {
        self.fields
    }

    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(Field::flag).unwrap_or(default);
        self.record(name, Json::from(value), field.as_ref());
        value
    }

    pub(super) fn integer<T>(
        &mut self,
        name: &'static str,
        range: RangeInclusive<T>,
        default: T,
    ) -> T
    where
        T: Copy + Into<i128> + TryFrom<i128> + Into<Json>,
    {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.integer(range)).unwrap_or(default);
        self.record(name, value.into(), field.as_ref());
        value
    }

    pub(super) fn duration(&mut self, name: &'static str, default: Duration) -> Duration {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.duration(Zero::Refused));
        let value = value.unwrap_or(default);
        self.record(name, DurationText(value).to_string().into(), field.as_ref());
        value
    }

    pub(super) fn optional_duration(&mut self, name: &'static str) -> Option<Duration> {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.duration(Zero::Refused));
        let text = value.map(|value| DurationText(value).to_string());
        self.record(name, text.into(), field.as_ref());
        value
    }

    /// A positive amount of memory, in bytes.
    pub(super) fn size(&mut self, name: &'static str, default: u64) -> u64 {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.size(1..=i64::MAX as u64));
        let value = value.unwrap_or(default);
        self.record(name, value.into(), field.as_ref());
        value
    }

    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &'static str,
        choices: &[(&'static str, T)],
        default: T,
    ) -> T {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.choice(choices)).unwrap_or(default);
        let word = choices.iter().find(|(_, choice)| *choice == value).map(|(word, _)| *word);
        self.record(name, word.into(), field.as_ref());
        value
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<Text> {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(Field::filled_text);
        self.record(name, value.as_ref().map(|text| text.text.to_string()).into(), field.as_ref());
        value
    }

    /// A path; a relative one in a file starts at the directory of the first file.
    pub(super) fn path(&mut self, name: &'static str) -> Option<PathBuf> {
        let text = self.text(name)?;
        Some(match text.span.source().medium() {
            Medium::File => self.reading.base.join(text.text.as_str()),
            _ => Path::new(text.text.as_str()).to_owned(),
        })
    }

    /// `host` or `host:port`.
    pub(super) fn address(&mut self, name: &'static str) -> Option<Address> {
        let text = self.text(name)?;
        self.parsed_address(name, &text)
    }

    /// Addresses: a list, or one text with commas.
    pub(super) fn addresses(&mut self, name: &'static str) -> Vec<Address> {
        let texts = self.texts(name);
        texts.iter().filter_map(|text| self.parsed_address(name, text)).collect()
    }

    /// An IP address of this machine.
    pub(super) fn ip(&mut self, name: &'static str, default: IpAddr) -> IpAddr {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| {
            let text = field.filled_text()?.text;
            let message = format!("{:?} is no IP address", text.as_str());
            text.parse().ok().or_else(|| field.refuse(code::BAD_ADDRESS, message))
        });
        let value = value.unwrap_or(default);
        self.record(name, value.to_string().into(), field.as_ref());
        value
    }

    /// A port that is not 0.
    pub(super) fn optional_port(&mut self, name: &'static str) -> Option<u16> {
        let field = self.fields.optional(name);
        let value = field.as_ref().and_then(|field| field.integer(1..=u16::MAX));
        self.record(name, value.into(), field.as_ref());
        value
    }

    /// Texts: a list, or one text with commas.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<Text> {
        let field = self.fields.optional(name);
        let values = field.as_ref().map(texts).unwrap_or_default();
        let json = values.iter().map(|text| Json::from(text.text.as_str())).collect();
        self.record(name, json, field.as_ref());
        values
    }

    /// Accepts the setting `name` without using it, which is told with the reason.
    pub(super) fn without_effect(&mut self, name: &'static str, reason: &str) {
        let Some(field) = self.fields.optional(name) else { return };
        let message = format!("`{name}` has no effect: {reason}");
        let place = field.key_span().clone();
        field.report(Diagnostic::warning(code::NO_EFFECT, place, message).field(field.path()));
    }

    /// Accepts all other settings without using them, which is told with the reason.
    pub(super) fn ignore_rest(&mut self, reason: &str) {
        for entry in self.fields.rest() {
            let message = format!("`{}` has no effect: {reason}", entry.key);
            let warning = Diagnostic::warning(code::NO_EFFECT, entry.key_span.clone(), message);
            self.fields.report(warning.field(child_path(self.fields.path(), &entry.key)));
        }
    }

    /// Whether somebody gave the setting `name`.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.fields.peek(name).is_some()
    }

    /// Reports that the setting `name` is wrong because of `message`, at its place if it is given.
    pub(super) fn refuse(&self, name: &str, code: &'static str, message: impl Into<String>) {
        let given = self.fields.peek(name);
        let place = given.map_or_else(|| self.fields.place().clone(), |f| f.node().span.clone());
        self.refuse_at(place, name, code, message);
    }

    /// Reports that the setting `name` is wrong at `place` because of `message`.
    pub(super) fn refuse_at(
        &self,
        place: Span,
        name: &str,
        code: &'static str,
        message: impl Into<String>,
    ) {
        let path = child_path(self.fields.path(), name);
        self.fields.report(Diagnostic::error(code, place, message).field(path));
    }

    fn parsed_address(&self, name: &str, text: &Text) -> Option<Address> {
        match text.text.parse::<Address>() {
            Ok(address) => Some(address),
            Err(error) => {
                let place = text.span.clone();
                self.refuse_at(place, name, code::BAD_ADDRESS, error.to_string());
                None
            }
        }
    }

    fn record(&self, name: &str, value: Json, field: Option<&Field<'_>>) {
        let origin = match field {
            Some(field) => Origin::Given(field.node().span.clone()),
            None => Origin::Default,
        };
        let path = child_path(self.fields.path(), name);
        self.reading.settings.borrow_mut().push(Setting { path, value, origin });
    }
}

/// The texts of a list, or the parts between the commas of one text.
pub(super) fn texts(field: &Field<'_>) -> Vec<Text> {
    if field.node().as_list().is_some() {
        return field.texts().unwrap_or_default();
    }
    let Some(text) = field.text() else { return Vec::new() };
    let part = |part: &str| Text { text: part.trim().into(), span: text.span.clone() };
    text.text.split(',').map(part).filter(|part| !part.text.is_empty()).collect()
}
