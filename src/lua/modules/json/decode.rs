use std::fmt;

use mlua::{IntoLua, Lua, Table, Value};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{MAX_DEPTH, OBJECT, TYPE_FIELD};
use crate::value::{ErrorValue, kind};

/// The Lua value that the JSON `text` stands for. Integers within 64 bits stay integers, of equal
/// keys the last one counts, `null` is nil.
///
/// # Errors
/// `E[Invalid]` for the empty string; `E[Internal]` with line and column for anything that is not
/// exactly one JSON value.
pub fn decode(lua: &Lua, text: &[u8]) -> Result<Value, ErrorValue> {
    if text.is_empty() {
        return Err(ErrorValue::new(kind::INVALID, "cannot decode an empty string"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    // The depth is counted here, so that what `encode` writes can be read back.
    deserializer.disable_recursion_limit();
    let value = Seed { lua, depth: 0 }.deserialize(&mut deserializer);
    value
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| ErrorValue::new(kind::INTERNAL, format!("invalid JSON: {error}")))
}

/// Builds one Lua value inside `depth` tables.
#[derive(Clone, Copy)]
struct Seed<'lua> {
    lua: &'lua Lua,
    depth: usize,
}

impl Seed<'_> {
    fn inner<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            return Err(E::custom(format_args!("more than {MAX_DEPTH} nested values")));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn empty_object(self) -> mlua::Result<Table> {
        let metatable = self.lua.create_table_with_capacity(0, 1)?;
        metatable.raw_set(TYPE_FIELD, OBJECT)?;
        let table = self.lua.create_table()?;
        table.set_metatable(Some(metatable))?;
        Ok(table)
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Number(value as f64), Value::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.lua.create_string(value).map(Value::String).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let table = self.lua.create_table().map_err(de::Error::custom)?;
        let mut index = 0;
        while let Some(item) = items.next_element_seed(inner)? {
            index += 1;
            table.raw_set(index, item).map_err(de::Error::custom)?;
        }
        Ok(Value::Table(table))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let Some(mut key) = fields.next_key_seed(inner)? else {
            let table = self.empty_object().and_then(|table| table.into_lua(self.lua));
            return table.map_err(de::Error::custom);
        };
        let table = self.lua.create_table().map_err(de::Error::custom)?;
        loop {
            table.raw_set(key, fields.next_value_seed(inner)?).map_err(de::Error::custom)?;
            match fields.next_key_seed(inner)? {
                Some(next) => key = next,
                None => return Ok(Value::Table(table)),
            }
        }
    }
}
