use std::fmt;
use std::sync::Arc;

use super::{Encoder, ErrorValue, Reader, Token, ValueError};

/// Deepest nesting of tables in one value.
pub const MAX_DEPTH: usize = 1000;

/// Largest encoded size of one [`Values`], in bytes.
pub const MAX_VALUES_BYTES: usize = 16 * 1024 * 1024;

/// A sequence of values, copied and immutable. Cloning is at most a reference count.
///
/// The values that fit a register are kept inline, so the commonest messages never allocate.
#[derive(Clone, PartialEq)]
pub struct Values(pub(super) Repr);

#[derive(Clone, PartialEq)]
pub(super) enum Repr {
    Empty,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Encoded { count: u32, has_references: bool, bytes: Arc<[u8]> },
}

impl Values {
    /// No value at all.
    pub const EMPTY: Values = Values(Repr::Empty);
    /// One nil.
    pub const NIL: Values = Values(Repr::Nil);

    /// One boolean.
    pub fn bool(value: bool) -> Self {
        Self(Repr::Bool(value))
    }

    /// One integer.
    pub fn int(value: i64) -> Self {
        Self(Repr::Int(value))
    }

    /// One float.
    pub fn float(value: f64) -> Self {
        Self(Repr::Float(value))
    }

    /// One string, any bytes.
    pub fn str(value: impl AsRef<[u8]>) -> Self {
        let mut encoder = Encoder::new();
        encoder.str(value.as_ref());
        encoder.finish()
    }

    /// One error object.
    pub fn error(value: &ErrorValue) -> Self {
        let mut encoder = Encoder::new();
        encoder.error(value);
        encoder.finish()
    }

    /// How many values there are.
    pub fn count(&self) -> usize {
        match &self.0 {
            Repr::Empty => 0,
            Repr::Encoded { count, .. } => *count as usize,
            _ => 1,
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Bytes that the values occupy: what mailbox and queue limits count.
    pub fn size_bytes(&self) -> usize {
        match &self.0 {
            Repr::Encoded { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }

    /// Whether a table occurs in more than one place, or inside itself.
    pub fn has_references(&self) -> bool {
        matches!(self.0, Repr::Encoded { has_references: true, .. })
    }

    /// The first value's content if it is a string.
    pub fn as_str(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Encoded { bytes, .. } => match Reader::new(bytes).token() {
                Ok(Token::Str(text)) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Each value as a sequence of its own, in order.
    pub fn split(&self) -> Vec<Values> {
        match &self.0 {
            Repr::Encoded { count: 2.., bytes, has_references } => {
                let mut reader = Reader::new(bytes);
                let mut parts = Vec::with_capacity(self.count());
                while let Ok(Some(one)) = reader.slice_value() {
                    parts.push(Self::from_one(one, *has_references));
                }
                parts
            }
            Repr::Empty => Vec::new(),
            _ => vec![self.clone()],
        }
    }

    /// All values of `parts`, one after the other.
    pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Values>) -> Self {
        let mut encoder = Encoder::new();
        for part in parts {
            encoder.values(part);
        }
        encoder.finish()
    }

    /// The encoded form: the count as four bytes (little endian), then the values. What
    /// [`Values::from_wire`] reads back.
    pub fn to_wire(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder::appending(std::mem::take(out));
        let start = encoder.begin_wire();
        encoder.values(self);
        *out = encoder.end_wire(start);
    }

    /// Checks and takes over values that came from another node.
    ///
    /// # Errors
    /// [`ValueError`] if the bytes are not exactly one well-formed sequence within the limits.
    pub fn from_wire(wire: &[u8]) -> Result<Self, ValueError> {
        let (count, body) = wire.split_first_chunk::<4>().ok_or(ValueError::Truncated)?;
        let count = u32::from_le_bytes(*count);
        if body.len() > MAX_VALUES_BYTES {
            return Err(ValueError::TooLarge);
        }
        let has_references = Reader::new(body).validate(count)?;
        Ok(Self::from_parts(count, has_references, body))
    }

    pub(super) fn from_parts(count: u32, has_references: bool, bytes: &[u8]) -> Self {
        match count {
            0 => Self::EMPTY,
            1 => Self::from_one(bytes, has_references),
            _ => Self(Repr::Encoded { count, has_references, bytes: bytes.into() }),
        }
    }

    fn from_one(bytes: &[u8], has_references: bool) -> Self {
        Self(match Reader::new(bytes).token() {
            Ok(Token::Nil) => Repr::Nil,
            Ok(Token::Bool(value)) => Repr::Bool(value),
            Ok(Token::Int(value)) => Repr::Int(value),
            Ok(Token::Float(value)) => Repr::Float(value),
            _ => Repr::Encoded { count: 1, has_references, bytes: bytes.into() },
        })
    }

    /// The encoded bytes, or the token of the one inline value.
    pub fn view(&self) -> View<'_> {
        match &self.0 {
            Repr::Empty => View::Encoded(Reader::new(&[])),
            Repr::Nil => View::Inline(Token::Nil),
            Repr::Bool(value) => View::Inline(Token::Bool(*value)),
            Repr::Int(value) => View::Inline(Token::Int(*value)),
            Repr::Float(value) => View::Inline(Token::Float(*value)),
            Repr::Encoded { bytes, .. } => View::Encoded(Reader::new(bytes)),
        }
    }
}

/// How to read a [`Values`]: an inline scalar, or a [`Reader`] over all of them.
pub enum View<'a> {
    /// The only value.
    Inline(Token<'a>),
    /// Zero or more values, in order.
    Encoded(Reader<'a>),
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_json() {
            Ok(values) => write!(f, "Values{values:?}"),
            Err(_) => write!(f, "Values({} values, {} bytes)", self.count(), self.size_bytes()),
        }
    }
}
