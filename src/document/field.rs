use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value as Json;
use smol_str::SmolStr;

use super::code;
use super::decode::{Decoder, Fields};
use super::diagnostic::Diagnostic;
use super::duration::{DurationError, parse_duration};
use super::node::{MapEntry, Node, Scalar, Spelling};
use super::report::Report;
use super::scalar::{canonical_int, finite};
use super::size::parse_size;
use super::source::Span;
use super::suggest::nearest;

/// One value of a document, with the path that messages name it by. The readers answer `None`
/// after having reported what is wrong.
#[derive(Clone)]
pub struct Field<'a> {
    decoder: &'a Decoder,
    path: String,
    node: &'a Node,
    key_span: Span,
}

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// Whether a duration may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// Zero has a meaning of its own, mostly "off".
    Allowed,
    /// Only positive durations make sense.
    Refused,
}

impl<'a> Field<'a> {
    pub(super) fn new(decoder: &'a Decoder, path: String, node: &'a Node, key_span: Span) -> Self {
        Self { decoder, path, node, key_span }
    }

    /// The same value, to be called `path` in messages.
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// The value as it stands in the document.
    pub fn node(&self) -> &'a Node {
        self.node
    }

    /// Path in what is being read, such as `lifecycle.restart.jitter` or `groups[2]`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where the key stands; for an element of a list, the element.
    pub fn key_span(&self) -> &Span {
        &self.key_span
    }

    /// A problem of this value, yet to be [reported](Self::report).
    pub fn problem(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        // An absent value has no place of its own to point to.
        let is_bare = self.node.is_null() && self.node.span.text().is_empty();
        let place = if is_bare { &self.key_span } else { &self.node.span };
        Diagnostic::error(code, place.clone(), message).field(self.path.as_str())
    }

    /// Adds a problem to the report.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.decoder.push(diagnostic);
    }

    /// Reports that this value is wrong because of `message`.
    pub fn refuse<T>(&self, code: &'static str, message: impl Into<String>) -> Option<T> {
        self.report(self.problem(code, message));
        None
    }

    /// A text. A bare word is taken as it is spelled, whatever other type it could have.
    pub fn text(&self) -> Option<Text> {
        match self.node.as_scalar() {
            Some(scalar) if !scalar.is_null() => {
                Some(Text { text: scalar.text.clone(), span: self.node.span.clone() })
            }
            _ => self.mistyped("a text"),
        }
    }

    /// A text with at least one character that is not blank.
    pub fn filled_text(&self) -> Option<Text> {
        let text = self.text()?;
        if text.text.trim().is_empty() {
            return self.refuse(code::INVALID_VALUE, "the text is blank");
        }
        Some(text)
    }

    /// `true` or `false`.
    pub fn flag(&self) -> Option<bool> {
        let text = self.bare().unwrap_or_default();
        match text.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            "yes" | "on" | "y" => self.mistyped_with("true or false", "write true"),
            "no" | "off" | "n" => self.mistyped_with("true or false", "write false"),
            _ => self.mistyped("true or false"),
        }
    }

    /// A whole number in `range`.
    pub fn integer<T>(&self, range: RangeInclusive<T>) -> Option<T>
    where
        T: Copy + Into<i128> + TryFrom<i128>,
    {
        let Some(text) = self.bare() else { return self.mistyped("a whole number") };
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match canonical_int(text) {
            Some(value) => self.in_range(i128::from(value), range),
            None if is_decimal && !digits.starts_with('0') => {
                self.in_range(text.parse().unwrap_or(i128::MAX), range)
            }
            None if is_decimal => self.mistyped_with(
                "a whole number",
                "leave out the zeros in front: they mean base 8 to some programs",
            ),
            None => self.mistyped("a whole number"),
        }
    }

    /// A finite number in `range`.
    pub fn number(&self, range: RangeInclusive<f64>) -> Option<f64> {
        let Some(value) = self.bare().and_then(finite) else { return self.mistyped("a number") };
        if range.contains(&value) {
            return Some(value);
        }
        let (low, high) = range.into_inner();
        let allowed = allowed(low, Some(high).filter(|high| *high < f64::MAX));
        self.refuse(code::OUT_OF_RANGE, format!("must be {allowed}, not {value}"))
    }

    /// A duration (see [`parse_duration`]).
    pub fn duration(&self, zero: Zero) -> Option<Duration> {
        let Some(scalar) = self.node.as_scalar().filter(|scalar| !scalar.is_null()) else {
            return self.mistyped("a duration such as 30s");
        };
        match parse_duration(&scalar.text) {
            Ok(Duration::ZERO) if zero == Zero::Refused => {
                self.refuse(code::OUT_OF_RANGE, "must be longer than 0")
            }
            Ok(duration) => Some(duration),
            Err(error) => {
                let code = match error {
                    DurationError::Negative { .. }
                    | DurationError::TooLong { .. }
                    | DurationError::TooShort { .. } => code::OUT_OF_RANGE,
                    _ => code::BAD_DURATION,
                };
                self.refuse(code, error.to_string())
            }
        }
    }

    /// An amount of memory in bytes (see [`parse_size`]), in `range`.
    pub fn size(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let Some(scalar) = self.node.as_scalar().filter(|scalar| !scalar.is_null()) else {
            return self.mistyped("a size such as 64M");
        };
        match parse_size(&scalar.text) {
            Ok(bytes) => self.in_range(i128::from(bytes), range),
            Err(error) => self.refuse(code::INVALID_VALUE, error.to_string()),
        }
    }

    /// One of the words of `choices`, as what stands beside it.
    pub fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let text = self.text()?.text;
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let message = format!("`{text}` is not one of {}", words.join(", "));
        let problem = self.problem(code::INVALID_VALUE, message);
        self.report(match nearest(&text, words) {
            Some(word) => problem.label(format!("did you mean `{word}`?")),
            None => problem,
        });
        None
    }

    /// The elements of a list.
    pub fn items(&self) -> Option<Vec<Field<'a>>> {
        let Some(items) = self.node.as_list() else { return self.mistyped("a list") };
        let field = |(index, node): (usize, &'a Node)| {
            Field::new(self.decoder, format!("{}[{index}]", self.path), node, node.span.clone())
        };
        Some(items.iter().enumerate().map(field).collect())
    }

    /// A list of texts, none of them blank. Elements that are wrong are reported and left out.
    pub fn texts(&self) -> Option<Vec<Text>> {
        Some(self.items()?.iter().filter_map(Field::filled_text).collect())
    }

    /// The entries of a map whose keys are not fixed.
    pub fn pairs(&self) -> Option<Vec<(&'a MapEntry, Field<'a>)>> {
        let Some(map) = self.node.as_map() else { return self.mistyped("a map") };
        let pair = |entry: &'a MapEntry| {
            let path = format!("{}.{}", self.path, entry.key);
            (entry, Field::new(self.decoder, path, &entry.value, entry.key_span.clone()))
        };
        Some(map.iter().map(pair).collect())
    }

    /// A map with fixed fields.
    pub fn block<T>(&self, read: impl FnOnce(&mut Fields<'a>) -> T) -> Option<T> {
        let Some(map) = self.node.as_map() else { return self.mistyped("a map") };
        let place = self.key_span.clone();
        Some(self.decoder.read_level(self.path.clone(), place, Some(map), read))
    }

    /// Any value (see [`Node::to_json`]).
    pub fn json(&self) -> Json {
        let mut problems = Report::new();
        let json = self.node.to_json(&self.path, &mut problems);
        problems.diagnostics().into_iter().cloned().for_each(|problem| self.report(problem));
        json
    }

    /// The spelling of a scalar that is not in quotes.
    fn bare(&self) -> Option<&'a str> {
        match self.node.as_scalar() {
            Some(Scalar { spelling: Spelling::Quoted, .. }) | None => None,
            Some(scalar) => Some(scalar.text.as_str()),
        }
    }

    fn in_range<T>(&self, value: i128, range: RangeInclusive<T>) -> Option<T>
    where
        T: Copy + Into<i128> + TryFrom<i128>,
    {
        let (low, high): (i128, i128) = ((*range.start()).into(), (*range.end()).into());
        if (low..=high).contains(&value) {
            return T::try_from(value).ok();
        }
        let is_vast = high >= i128::from(u32::MAX) && value < low;
        let allowed = allowed(low, Some(high).filter(|_| !is_vast));
        self.refuse(code::OUT_OF_RANGE, format!("must be {allowed}, not {value}"))
    }

    fn mistyped<T>(&self, wanted: &str) -> Option<T> {
        let is_null = self.node.is_null();
        let quoted = matches!(
            self.node.as_scalar(),
            Some(Scalar { spelling: Spelling::Quoted, text })
                if finite(text).is_some() || matches!(text.as_str(), "true" | "false")
        );
        match (is_null, quoted) {
            (true, _) => self.mistyped_with(
                wanted,
                "give a value, or remove the field; put the word in quotes if it is meant as text",
            ),
            (_, true) => self.mistyped_with(wanted, "leave out the quotes"),
            _ => self.refuse(code::WRONG_TYPE, self.expected(wanted)),
        }
    }

    fn mistyped_with<T>(&self, wanted: &str, help: &str) -> Option<T> {
        self.report(self.problem(code::WRONG_TYPE, self.expected(wanted)).help(help));
        None
    }

    fn expected(&self, wanted: &str) -> String {
        format!("expected {wanted}, found {}", self.node.describe())
    }
}

/// The range in words; without an upper end that is worth naming, only the lower one.
fn allowed<T: Display>(low: T, high: Option<T>) -> String {
    match high {
        Some(high) => format!("{low} to {high}"),
        None => format!("at least {low}"),
    }
}
