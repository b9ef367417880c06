use std::ffi::c_void;

use mlua::{IntoLua, Lua, Table, Value};
use rustc_hash::FxHashMap;

use super::object::Error;
use crate::value::{Encoder, MAX_DEPTH, Reader, TableId, Token, ValueError, Values, View};

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

/// A new Lua table with the content of `details`.
pub(super) fn to_lua(lua: &Lua, details: &Values) -> mlua::Result<Value> {
    let View::Encoded(mut reader) = details.view() else { return Ok(Value::Nil) };
    decode(lua, &mut reader, &mut Vec::new())
}

fn decode(lua: &Lua, reader: &mut Reader<'_>, tables: &mut Vec<Table>) -> mlua::Result<Value> {
    Ok(match reader.token().map_err(malformed)? {
        Token::Nil => Value::Nil,
        Token::Bool(value) => Value::Boolean(value),
        Token::Int(value) => Value::Integer(value),
        Token::Float(value) => Value::Number(value),
        Token::Str(text) => Value::String(lua.create_string(text)?),
        Token::Error(error) => Error::new(error).into_lua(lua)?,
        Token::Reference(number) => {
            let table = tables.get(number as usize).ok_or_else(|| malformed(ValueError::Malformed));
            Value::Table(table?.clone())
        }
        Token::Table { array, pairs, has_metatable } => {
            let table = lua.create_table_with_capacity(array as usize, pairs as usize)?;
            tables.push(table.clone());
            if has_metatable {
                decode(lua, reader, tables)?;
            }
            for index in 1..=array {
                table.raw_set(index, decode(lua, reader, tables)?)?;
            }
            for _ in 0..pairs {
                let key = decode(lua, reader, tables)?;
                table.raw_set(key, decode(lua, reader, tables)?)?;
            }
            Value::Table(table)
        }
    })
}

fn malformed(error: ValueError) -> mlua::Error {
    mlua::Error::external(error)
}
