use super::{ErrorValue, MAX_DEPTH, Values};

pub(super) mod tag {
    pub const NIL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INT: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const STR: u8 = 5;
    pub const TABLE: u8 = 6;
    pub const TABLE_WITH_METATABLE: u8 = 7;
    pub const REFERENCE: u8 = 8;
    pub const ERROR: u8 = 9;
}

/// The start of one value.
#[derive(Debug, Clone, PartialEq)]
pub enum Token<'a> {
    /// A nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(&'a [u8]),
    /// A table: if `has_metatable`, the metatable's value comes next; then `array` values, then
    /// `pairs` times a key and a value.
    Table {
        /// Values at the indexes 1 to `array`.
        array: u32,
        /// Further keys, each followed by its value.
        pairs: u32,
        /// Whether a metatable precedes them.
        has_metatable: bool,
    },
    /// The table with this number, counted from 0 in the order tables begin in this value.
    Reference(u32),
    /// An error object.
    Error(ErrorValue),
}

/// Why bytes are not values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The bytes end inside a value.
    #[error("the values end too early")]
    Truncated,
    /// An unknown tag, a length that cannot be, a nil or NaN key, a reference to nothing.
    #[error("the values are malformed")]
    Malformed,
    /// More than [`MAX_DEPTH`] tables inside each other.
    #[error("the values are nested deeper than {MAX_DEPTH} tables")]
    TooDeep,
    /// Longer than the limit.
    #[error("the values are too large")]
    TooLarge,
}

/// Reads values one token after the other. Never panics, whatever the bytes.
#[derive(Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// How many error objects' details this reader is inside of.
    errors: u8,
}

/// Error objects inside the details of error objects, at most.
const MAX_NESTED_ERRORS: u8 = 4;

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, errors: 0 }
    }

    /// Whether everything has been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next token.
    ///
    /// # Errors
    /// [`ValueError::Truncated`] at the end, [`ValueError::Malformed`] on an unknown tag.
    pub fn token(&mut self) -> Result<Token<'a>, ValueError> {
        Ok(match self.byte()? {
            tag::NIL => Token::Nil,
            tag::FALSE => Token::Bool(false),
            tag::TRUE => Token::Bool(true),
            tag::INT => {
                let folded = self.varint()?;
                Token::Int((folded >> 1) as i64 ^ -((folded & 1) as i64))
            }
            tag::FLOAT => {
                let bytes = self.take(8)?;
                Token::Float(f64::from_le_bytes(
                    bytes.try_into().map_err(|_| ValueError::Truncated)?,
                ))
            }
            tag::STR => Token::Str(self.raw_str()?),
            tag @ (tag::TABLE | tag::TABLE_WITH_METATABLE) => Token::Table {
                array: self.u32()?,
                pairs: self.u32()?,
                has_metatable: tag == tag::TABLE_WITH_METATABLE,
            },
            tag::REFERENCE => {
                Token::Reference(u32::try_from(self.varint()?).map_err(|_| ValueError::Malformed)?)
            }
            tag::ERROR => Token::Error(self.error()?),
            _ => return Err(ValueError::Malformed),
        })
    }

    /// The bytes of the next whole value, or `None` at the end.
    pub(super) fn slice_value(&mut self) -> Result<Option<&'a [u8]>, ValueError> {
        if self.is_empty() {
            return Ok(None);
        }
        let before = self.rest;
        self.value(&mut 0, 0, Position::Element)?;
        Ok(Some(&before[..before.len() - self.rest.len()]))
    }

    /// Checks that the rest is exactly `count` well-formed values; whether any refers to a table.
    pub(super) fn validate(&mut self, count: u32) -> Result<bool, ValueError> {
        let mut has_references = false;
        for _ in 0..count {
            has_references |= self.value(&mut 0, 0, Position::Element)?;
        }
        if self.is_empty() { Ok(has_references) } else { Err(ValueError::Malformed) }
    }

    /// Skips one value; whether it refers to a table.
    fn value(&mut self, tables: &mut u32, depth: usize, at: Position) -> Result<bool, ValueError> {
        let token = self.token()?;
        match (&token, at) {
            (Token::Nil, Position::Key) => return Err(ValueError::Malformed),
            (Token::Float(key), Position::Key) if key.is_nan() => {
                return Err(ValueError::Malformed);
            }
            (Token::Table { .. } | Token::Reference(_), _)
            | (_, Position::Key | Position::Element) => {}
            (_, Position::Metatable) => return Err(ValueError::Malformed),
        }
        match token {
            Token::Reference(number) if number >= *tables => Err(ValueError::Malformed),
            Token::Table { array, pairs, has_metatable } => {
                if depth >= MAX_DEPTH {
                    return Err(ValueError::TooDeep);
                }
                // Every element takes at least a byte, so a claimed count beyond that is a lie.
                if array as usize + 2 * pairs as usize > self.rest.len() {
                    return Err(ValueError::Truncated);
                }
                *tables += 1;
                let mut has_references = false;
                if has_metatable {
                    has_references |= self.value(tables, depth + 1, Position::Metatable)?;
                }
                for _ in 0..array {
                    has_references |= self.value(tables, depth + 1, Position::Element)?;
                }
                for _ in 0..pairs {
                    has_references |= self.value(tables, depth + 1, Position::Key)?;
                    has_references |= self.value(tables, depth + 1, Position::Element)?;
                }
                Ok(has_references)
            }
            Token::Reference(_) => Ok(true),
            _ => Ok(false),
        }
    }

    fn error(&mut self) -> Result<ErrorValue, ValueError> {
        let text = |bytes| std::str::from_utf8(bytes).map_err(|_| ValueError::Malformed);
        let kind = text(self.raw_str()?)?.into();
        let message = text(self.raw_str()?)?.into();
        let retryable = match self.byte()? {
            0 => None,
            1 => Some(false),
            2 => Some(true),
            _ => return Err(ValueError::Malformed),
        };
        let details = match self.raw_str()? {
            [] => None,
            bytes => {
                if !matches!(bytes[0], tag::TABLE | tag::TABLE_WITH_METATABLE) {
                    return Err(ValueError::Malformed);
                }
                if self.errors == MAX_NESTED_ERRORS {
                    return Err(ValueError::TooDeep);
                }
                let has_references = Reader { rest: bytes, errors: self.errors + 1 }.validate(1)?;
                Some(Values::from_parts(1, has_references, bytes))
            }
        };
        Ok(ErrorValue { kind, message, retryable, details })
    }

    fn raw_str(&mut self) -> Result<&'a [u8], ValueError> {
        let length = usize::try_from(self.varint()?).map_err(|_| ValueError::Malformed)?;
        self.take(length)
    }

    fn u32(&mut self) -> Result<u32, ValueError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().map_err(|_| ValueError::Truncated)?))
    }

    fn varint(&mut self) -> Result<u64, ValueError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ValueError::Malformed)
    }

    fn byte(&mut self) -> Result<u8, ValueError> {
        let (first, rest) = self.rest.split_first().ok_or(ValueError::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ValueError> {
        if length > self.rest.len() {
            return Err(ValueError::Truncated);
        }
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(taken)
    }
}

#[derive(Clone, Copy)]
enum Position {
    Element,
    Key,
    Metatable,
}

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Values};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn details_of_errors_inside_errors_are_bounded() {
        let mut error = ErrorValue::new("Invalid", "deep");
        for _ in 0..MAX_NESTED_ERRORS {
            let mut encoder = Encoder::new();
            let (_, mark) = encoder.begin_table();
            encoder.error(&error);
            encoder.end_table(mark, 1, 0);
            error = ErrorValue::new("Invalid", "deep").with_details(encoder.finish());
        }
        let mut wire = Vec::new();
        Values::error(&error).to_wire(&mut wire);
        assert_eq!(Values::from_wire(&wire).unwrap(), Values::error(&error));

        let mut encoder = Encoder::new();
        let (_, mark) = encoder.begin_table();
        encoder.error(&error);
        encoder.end_table(mark, 1, 0);
        let deeper = ErrorValue::new("Invalid", "deep").with_details(encoder.finish());
        wire.clear();
        Values::error(&deeper).to_wire(&mut wire);
        assert_eq!(Values::from_wire(&wire), Err(ValueError::TooDeep));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(values) = Values::from_wire(&bytes) {
                let _ = values.split();
                let _ = values.to_json();
            }
        }

        #[test]
        fn garbage_with_plausible_tags_never_panics(
            bytes in proptest::collection::vec(0u8..10, 0..300), count in 0u32..4
        ) {
            let mut wire = count.to_le_bytes().to_vec();
            wire.extend(bytes);
            if let Ok(values) = Values::from_wire(&wire) {
                prop_assert_eq!(values.count(), count as usize);
                let mut again = Vec::new();
                values.to_wire(&mut again);
                prop_assert_eq!(Values::from_wire(&again).unwrap(), values);
            }
        }
    }
}
