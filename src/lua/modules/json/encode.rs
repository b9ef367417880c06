use std::ffi::c_void;

use mlua::{LuaString, Table, Value};

use super::{MAX_DEPTH, OBJECT, TYPE_FIELD};
use crate::lua::error::{Error, from_mlua, type_name};
use crate::lua::sandbox::content;
use crate::value::{ErrorValue, kind};

/// `value` as JSON text. Keys are sorted, so that equal values give equal text.
///
/// # Errors
/// The outer one is Lua's; the inner one says what has no JSON form, and where: `E[Internal]` for
/// tables that are neither list nor object, `E[Invalid]` for everything else.
pub fn encode(value: &Value) -> mlua::Result<Result<Vec<u8>, ErrorValue>> {
    let mut writer = Writer { out: Vec::new(), open: Vec::new() };
    match writer.value(value) {
        Ok(()) => Ok(Ok(writer.out)),
        Err(Stop::Refused(refused)) => Ok(Err(refused.into_error())),
        Err(Stop::Lua(error)) => Err(error),
    }
}

struct Writer {
    out: Vec<u8>,
    /// The tables that are being written, outermost first.
    open: Vec<*const c_void>,
}

enum Stop {
    Refused(Refused),
    Lua(mlua::Error),
}

struct Refused {
    kind: &'static str,
    what: String,
    /// Innermost step first.
    path: Vec<String>,
}

impl Refused {
    fn into_error(self) -> ErrorValue {
        let mut message = format!("cannot encode {}", self.what);
        if !self.path.is_empty() {
            message.push_str(" at ");
            self.path.iter().rev().for_each(|step| message.push_str(step));
        }
        ErrorValue::new(self.kind, message)
    }
}

impl From<mlua::Error> for Stop {
    fn from(error: mlua::Error) -> Self {
        Self::Lua(error)
    }
}

fn refuse<T>(kind: &'static str, what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(Refused { kind, what: what.into(), path: Vec::new() }))
}

/// The same result, with one more step of the path if it is a refusal.
fn at<T>(result: Result<T, Stop>, step: impl FnOnce() -> String) -> Result<T, Stop> {
    result.map_err(|mut stop| {
        if let Stop::Refused(refused) = &mut stop {
            refused.path.push(step());
        }
        stop
    })
}

/// What the keys of a table make of it.
enum Shape {
    Empty,
    List(i64),
    Object(Vec<LuaString>),
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), Stop> {
        match value {
            Value::Nil => self.out.extend_from_slice(b"null"),
            Value::Boolean(true) => self.out.extend_from_slice(b"true"),
            Value::Boolean(false) => self.out.extend_from_slice(b"false"),
            Value::Integer(number) => self.out.extend_from_slice(number.to_string().as_bytes()),
            Value::Number(number) if number.is_finite() => self.serialize(number)?,
            Value::Number(_) => self.out.extend_from_slice(b"null"),
            Value::String(text) => self.string(text)?,
            Value::Table(table) => self.table(table)?,
            Value::Error(failure) => self.serialize(&*from_mlua(failure).message)?,
            other => match Error::of(other) {
                Some(error) => self.serialize(&error.long_text())?,
                None => return refuse(kind::INVALID, format!("a {}", type_name(other))),
            },
        }
        Ok(())
    }

    fn string(&mut self, text: &LuaString) -> Result<(), Stop> {
        match std::str::from_utf8(&text.as_bytes()) {
            Ok(text) => self.serialize(text),
            Err(_) => refuse(kind::INVALID, "a string that is not UTF-8"),
        }
    }

    fn serialize<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        serde_json::to_writer(&mut self.out, value)
            .or_else(|error| refuse(kind::INVALID, error.to_string()))
    }

    fn table(&mut self, table: &Table) -> Result<(), Stop> {
        let pointer = table.to_pointer();
        if self.open.contains(&pointer) {
            return refuse(kind::INVALID, "a table that contains itself");
        }
        if self.open.len() == MAX_DEPTH {
            return refuse(kind::INVALID, format!("more than {MAX_DEPTH} nested tables"));
        }
        self.open.push(pointer);
        let read_only = content(table)?;
        let table = read_only.as_ref().unwrap_or(table);
        match shape(table)? {
            Shape::Empty if is_object(table)? => self.out.extend_from_slice(b"{}"),
            Shape::Empty => self.out.extend_from_slice(b"[]"),
            Shape::List(count) => self.list(table, count)?,
            Shape::Object(keys) => self.object(table, keys)?,
        }
        self.open.pop();
        Ok(())
    }

    fn list(&mut self, table: &Table, count: i64) -> Result<(), Stop> {
        for index in 1..=count {
            self.out.push(if index == 1 { b'[' } else { b',' });
            let item: Value = table.raw_get(index)?;
            at(self.value(&item), || format!("[{index}]"))?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn object(&mut self, table: &Table, mut keys: Vec<LuaString>) -> Result<(), Stop> {
        keys.sort_by_key(|key| key.as_bytes());
        for (index, key) in keys.iter().enumerate() {
            self.out.push(if index == 0 { b'{' } else { b',' });
            let step = || format!(".{}", key.to_string_lossy());
            at(self.string(key), step)?;
            self.out.push(b':');
            let item: Value = table.raw_get(key)?;
            at(self.value(&item), step)?;
        }
        self.out.push(b'}');
        Ok(())
    }
}

fn shape(table: &Table) -> Result<Shape, Stop> {
    let (mut keys, mut integers, mut highest) = (Vec::new(), 0, 0);
    let mut other = None;
    table.for_each(|key: Value, _: Value| {
        match key {
            Value::String(key) => keys.push(key),
            Value::Integer(index) => {
                integers += 1;
                // Negative indexes count as beyond the end: the list has a hole either way.
                highest = if index < 1 { i64::MAX } else { index.max(highest) };
            }
            key => other = Some(type_name(&key)),
        }
        Ok(())
    })?;
    match (other, integers, keys.is_empty()) {
        (Some(name), ..) => refuse(kind::INVALID, format!("a key that is a {name}")),
        (None, 0, true) => Ok(Shape::Empty),
        (None, 0, false) => Ok(Shape::Object(keys)),
        (None, _, false) => refuse(kind::INTERNAL, "a table with both string and integer keys"),
        (None, _, true) if highest == integers => Ok(Shape::List(integers)),
        (None, _, true) => refuse(kind::INTERNAL, "a list with holes"),
    }
}

/// Whether an empty table came from an empty object.
fn is_object(table: &Table) -> mlua::Result<bool> {
    let Some(metatable) = table.metatable() else { return Ok(false) };
    let kind: Value = metatable.raw_get(TYPE_FIELD)?;
    Ok(kind.as_string().is_some_and(|kind| *kind.as_bytes() == *OBJECT.as_bytes()))
}
