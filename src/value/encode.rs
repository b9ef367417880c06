use super::read::tag;
use super::values::Repr;
use super::{ErrorValue, MAX_VALUES_BYTES, Token, Values, View};

/// Writes values one after the other; [`Encoder::finish`] gives the [`Values`].
///
/// A table is `begin_table`, its array part as plain values, then keys and values in turn, with the
/// counts set by `end_table`. Tables are numbered in the order they begin, so a table met
/// again is written as a reference to its number: cycles and shared parts keep their shape.
#[derive(Default)]
pub struct Encoder {
    bytes: Vec<u8>,
    count: u32,
    depth: u32,
    tables: u32,
    has_references: bool,
}

/// The number of a table within one value, in the order in which tables begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableId(pub u32);

/// Where a table's header stands, to be filled in by [`Encoder::end_table`].
#[derive(Clone, Copy, Debug)]
pub struct TableMark(usize);

impl Encoder {
    /// An empty encoder.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn appending(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    pub(super) fn begin_wire(&mut self) -> usize {
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.len() - 4
    }

    pub(super) fn end_wire(mut self, start: usize) -> Vec<u8> {
        self.bytes[start..start + 4].copy_from_slice(&self.count.to_le_bytes());
        self.bytes
    }

    /// A nil.
    pub fn nil(&mut self) {
        self.scalar(tag::NIL);
    }

    /// A boolean.
    pub fn bool(&mut self, value: bool) {
        self.scalar(if value { tag::TRUE } else { tag::FALSE });
    }

    /// An integer.
    pub fn int(&mut self, value: i64) {
        self.scalar(tag::INT);
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    /// A float.
    pub fn float(&mut self, value: f64) {
        self.scalar(tag::FLOAT);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A string of any bytes.
    pub fn str(&mut self, value: &[u8]) {
        self.scalar(tag::STR);
        self.raw_str(value);
    }

    /// A table met before in the same value.
    pub fn reference(&mut self, table: TableId) {
        self.has_references = true;
        self.scalar(tag::REFERENCE);
        self.varint(u64::from(table.0));
    }

    /// Opens a table and numbers it. Write the array part, then keys and values in turn,
    /// then call [`Encoder::end_table`].
    pub fn begin_table(&mut self) -> (TableId, TableMark) {
        self.open(tag::TABLE)
    }

    /// Opens a table that has a metatable: write the metatable's value first, then as for
    /// [`Encoder::begin_table`].
    pub fn begin_table_with_metatable(&mut self) -> (TableId, TableMark) {
        self.open(tag::TABLE_WITH_METATABLE)
    }

    /// Closes the table opened at `mark`, which has `array` elements and then `pairs` pairs.
    pub fn end_table(&mut self, mark: TableMark, array: u32, pairs: u32) {
        self.bytes[mark.0..mark.0 + 4].copy_from_slice(&array.to_le_bytes());
        self.bytes[mark.0 + 4..mark.0 + 8].copy_from_slice(&pairs.to_le_bytes());
        self.depth -= 1;
        self.top_level_done();
    }

    /// An error object.
    pub fn error(&mut self, error: &ErrorValue) {
        self.scalar(tag::ERROR);
        self.raw_str(error.kind.as_bytes());
        self.raw_str(error.message.as_bytes());
        self.bytes.push(match error.retryable {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        });
        let mut details = Encoder::new();
        if let Some(values) = &error.details {
            details.values(values);
        }
        self.raw_str(&details.bytes);
    }

    /// All of `values`, each as a value of its own at the top level. For a value inside a table
    /// see [`Encoder::embed`].
    pub fn values(&mut self, values: &Values) {
        match &values.0 {
            Repr::Empty => {}
            Repr::Nil => self.nil(),
            Repr::Bool(value) => self.bool(*value),
            Repr::Int(value) => self.int(*value),
            Repr::Float(value) => self.float(*value),
            Repr::Encoded { count, has_references, bytes } => {
                self.has_references |= has_references;
                self.bytes.extend_from_slice(bytes);
                if self.depth == 0 {
                    self.count += count;
                }
            }
        }
    }

    /// The one value of `values` as an element of an open table; its table numbers are shifted.
    pub fn embed(&mut self, values: &Values) {
        match values.view() {
            View::Inline(_) => self.values(values),
            View::Encoded(mut reader) => {
                let base = self.tables;
                while let Ok(token) = reader.token() {
                    self.embed_token(token, base);
                }
                self.top_level_done();
            }
        }
    }

    fn embed_token(&mut self, token: Token<'_>, base: u32) {
        self.depth += 1;
        match token {
            Token::Nil => self.nil(),
            Token::Bool(value) => self.bool(value),
            Token::Int(value) => self.int(value),
            Token::Float(value) => self.float(value),
            Token::Str(value) => self.str(value),
            Token::Error(error) => self.error(&error),
            Token::Reference(number) => self.reference(TableId(number + base)),
            Token::Table { array, pairs, has_metatable } => {
                self.bytes.push(if has_metatable { tag::TABLE_WITH_METATABLE } else { tag::TABLE });
                self.bytes.extend_from_slice(&array.to_le_bytes());
                self.bytes.extend_from_slice(&pairs.to_le_bytes());
                self.tables += 1;
            }
        }
        self.depth -= 1;
    }

    /// How many tables are open.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// Whether the values written so far exceed [`MAX_VALUES_BYTES`].
    pub fn is_too_large(&self) -> bool {
        self.bytes.len() > MAX_VALUES_BYTES
    }

    /// The values written; the encoder is empty again and keeps its buffer.
    pub fn finish(&mut self) -> Values {
        let values = Values::from_parts(self.count, self.has_references, &self.bytes);
        self.clear();
        values
    }

    /// Forgets what was written, keeping the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.count, self.depth, self.tables, self.has_references) = (0, 0, 0, false);
    }

    fn open(&mut self, tag: u8) -> (TableId, TableMark) {
        if self.depth == 0 {
            self.tables = 0;
        }
        self.bytes.push(tag);
        let mark = TableMark(self.bytes.len());
        self.bytes.extend_from_slice(&[0; 8]);
        self.depth += 1;
        self.tables += 1;
        (TableId(self.tables - 1), mark)
    }

    fn scalar(&mut self, tag: u8) {
        self.bytes.push(tag);
        self.top_level_done();
    }

    fn top_level_done(&mut self) {
        if self.depth == 0 {
            self.count += 1;
        }
    }

    fn raw_str(&mut self, value: &[u8]) {
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_embedded_value_keeps_its_own_references() {
        let mut inner = Encoder::new();
        let (own, mark) = inner.begin_table();
        inner.reference(own);
        inner.end_table(mark, 1, 0);
        let cycle = inner.finish();

        let mut outer = Encoder::new();
        let (_, mark) = outer.begin_table();
        outer.embed(&cycle);
        outer.embed(&Values::from_json(&json!({"a": [1, "x"]})));
        outer.embed(&Values::int(3));
        outer.end_table(mark, 3, 0);
        let values = outer.finish();
        assert_eq!(values.count(), 1);

        let View::Encoded(mut reader) = values.view() else { panic!("inline") };
        let tokens: Vec<_> = std::iter::from_fn(|| reader.token().ok()).collect();
        assert_eq!(tokens[2], Token::Reference(1));
        let mut wire = Vec::new();
        values.to_wire(&mut wire);
        assert_eq!(Values::from_wire(&wire).unwrap(), values);
    }
}
