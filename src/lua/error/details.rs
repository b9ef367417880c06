use std::ffi::c_void;

use mlua::{Table, Value};
use rustc_hash::FxHashMap;

use crate::value::{Encoder, MAX_DEPTH, TableId, Values};

/// The details of an error made by a script: a copy of the string keys of `table`; nested tables
/// keep their arrays as well. What cannot be copied is left out, since a mistake in the details must
/// not hide the error that they describe (errors.md section 3).
pub(super) fn from_table(table: &Table) -> mlua::Result<Option<Values>> {
    let mut writer = Writer { encoder: Encoder::new(), seen: FxHashMap::default() };
    writer.table(table, Keys::Strings)?;
    let Writer { mut encoder, .. } = writer;
    Ok((!encoder.is_too_large()).then(|| encoder.finish()))
}

#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Strings,
    All,
}

struct Writer {
    encoder: Encoder,
    seen: FxHashMap<*const c_void, TableId>,
}

impl Writer {
    fn table(&mut self, table: &Table, keys: Keys) -> mlua::Result<()> {
        let (id, mark) = self.encoder.begin_table();
        self.seen.insert(table.to_pointer(), id);
        let array = if keys == Keys::All { table.raw_len() as i64 } else { 0 };
        for index in 1..=array {
            let value: Value = table.raw_get(index)?;
            if self.fits(&value) { self.value(&value)? } else { self.encoder.nil() }
        }
        let mut pairs = 0;
        table.for_each(|key: Value, value: Value| {
            let wanted = match &key {
                Value::String(_) => true,
                Value::Integer(index) => keys == Keys::All && !(1..=array).contains(index),
                Value::Boolean(_) | Value::Number(_) => keys == Keys::All,
                _ => false,
            };
            if wanted && self.fits(&value) {
                self.value(&key)?;
                self.value(&value)?;
                pairs += 1;
            }
            Ok(())
        })?;
        self.encoder.end_table(mark, array as u32, pairs);
        Ok(())
    }

    /// Whether `value` can be part of details.
    fn fits(&self, value: &Value) -> bool {
        match value {
            Value::Nil | Value::Boolean(_) | Value::Integer(_) | Value::Number(_) => true,
            Value::String(_) => !self.encoder.is_too_large(),
            Value::Table(_) => self.encoder.depth() < MAX_DEPTH && !self.encoder.is_too_large(),
            _ => false,
        }
    }

    fn value(&mut self, value: &Value) -> mlua::Result<()> {
        match value {
            Value::Boolean(value) => self.encoder.bool(*value),
            Value::Integer(value) => self.encoder.int(*value),
            Value::Number(value) => self.encoder.float(*value),
            Value::String(text) => self.encoder.str(&text.as_bytes()),
            Value::Table(table) => match self.seen.get(&table.to_pointer()) {
                Some(id) => self.encoder.reference(*id),
                None => self.table(table, Keys::All)?,
            },
            _ => self.encoder.nil(),
        }
        Ok(())
    }
}
