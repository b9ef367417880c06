//! Copied values as Lua values, through mlua. For the calls that are made now and then; messages
//! take a faster way.

use mlua::{IntoLua, Lua, Table, Value};

use crate::lua::error::Error;
use crate::value::{Reader, Token, ValueError, Values, View};

/// The first of `values` as a new Lua value; nil if there is none.
///
/// # Errors
/// Out of memory.
pub fn to_lua(lua: &Lua, values: &Values) -> mlua::Result<Value> {
    let mut decoder = Decoder { lua, tables: Vec::new() };
    match values.view() {
        View::Inline(token) => decoder.value(token, &mut Reader::new(&[])),
        View::Encoded(reader) if reader.is_empty() => Ok(Value::Nil),
        View::Encoded(mut reader) => decoder.next(&mut reader),
    }
}

struct Decoder<'lua> {
    lua: &'lua Lua,
    /// The tables begun so far, for references to them.
    tables: Vec<Table>,
}

impl Decoder<'_> {
    fn next(&mut self, reader: &mut Reader<'_>) -> mlua::Result<Value> {
        let token = reader.token().map_err(malformed)?;
        self.value(token, reader)
    }

    fn value(&mut self, token: Token<'_>, reader: &mut Reader<'_>) -> mlua::Result<Value> {
        Ok(match token {
            Token::Nil => Value::Nil,
            Token::Bool(value) => Value::Boolean(value),
            Token::Int(value) => Value::Integer(value),
            Token::Float(value) => Value::Number(value),
            Token::Str(text) => Value::String(self.lua.create_string(text)?),
            Token::Error(error) => Error::new(error).into_lua(self.lua)?,
            Token::Reference(number) => {
                let table = self.tables.get(number as usize);
                Value::Table(table.ok_or_else(|| malformed(ValueError::Malformed))?.clone())
            }
            Token::Table { array, pairs, has_metatable } => {
                let table = self.lua.create_table_with_capacity(array as usize, pairs as usize)?;
                self.tables.push(table.clone());
                if has_metatable {
                    self.metatable(&table, reader)?;
                }
                self.fill(&table, array, pairs, reader)?;
                Value::Table(table)
            }
        })
    }

    fn metatable(&mut self, table: &Table, reader: &mut Reader<'_>) -> mlua::Result<()> {
        if let Value::Table(metatable) = self.next(reader)? {
            // A finalizer would run in whatever process happens to trigger the collector.
            metatable.raw_remove("__gc")?;
            table.set_metatable(Some(metatable))?;
        }
        Ok(())
    }

    fn fill(
        &mut self,
        table: &Table,
        array: u32,
        pairs: u32,
        reader: &mut Reader<'_>,
    ) -> mlua::Result<()> {
        for index in 1..=array {
            table.raw_set(index, self.next(reader)?)?;
        }
        for _ in 0..pairs {
            let key = self.next(reader)?;
            table.raw_set(key, self.next(reader)?)?;
        }
        Ok(())
    }
}

fn malformed(error: ValueError) -> mlua::Error {
    mlua::Error::external(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Encoder, ErrorValue, kind};

    fn metatable_with_gc() -> Values {
        let mut encoder = Encoder::new();
        let (_, outer) = encoder.begin_table_with_metatable();
        let (_, metatable) = encoder.begin_table();
        for key in ["__gc", "__name"] {
            encoder.str(key.as_bytes());
            encoder.str(b"x");
        }
        encoder.end_table(metatable, 0, 2);
        encoder.end_table(outer, 0, 0);
        encoder.finish()
    }

    #[test]
    fn scalars_and_shapes_come_back() {
        let lua = Lua::new();
        assert_eq!(to_lua(&lua, &Values::EMPTY).unwrap(), Value::Nil);
        assert_eq!(to_lua(&lua, &Values::int(7)).unwrap(), Value::Integer(7));
        let mut encoder = Encoder::new();
        let (id, mark) = encoder.begin_table();
        encoder.str(b"\xff");
        encoder.error(&ErrorValue::new(kind::CONFLICT, "m"));
        encoder.str(b"self");
        encoder.reference(id);
        encoder.end_table(mark, 2, 1);
        let table = to_lua(&lua, &encoder.finish()).unwrap();
        let table = table.as_table().unwrap();
        assert_eq!(*table.get::<mlua::LuaString>(1).unwrap().as_bytes(), *b"\xff");
        let error: Value = table.get(2).unwrap();
        assert_eq!(&*Error::of(&error).unwrap().value().kind, kind::CONFLICT);
        assert_eq!(&table.get::<Table>("self").unwrap(), table);
    }

    #[test]
    fn no_finalizer_gets_in() {
        let lua = Lua::new();
        let table = to_lua(&lua, &metatable_with_gc()).unwrap();
        let metatable = table.as_table().unwrap().metatable().unwrap();
        assert!(
            !metatable.contains_key("__gc").unwrap() && metatable.contains_key("__name").unwrap()
        );
    }
}
