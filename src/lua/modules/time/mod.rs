//! The values of the `time` module: times, durations, locations, layouts (stdlib.md section 2).
//! What waits (`sleep`, `after`, `timer`, `ticker`) is added by the process side.

mod duration;
mod format;
mod found;
mod instant;
mod layout;
mod location;
mod methods;
mod parse;

use mlua::{IntoLua, Lua, MultiValue, Table, Value};

use crate::lua::error::{integer_argument, nil_err, results, string_argument};
use instant::Parts;
use methods::{in_range, location_argument};

pub use duration::{Duration, duration_from_lua};
pub use instant::Time;
pub use location::Location;

const NANOSECONDS: [(&str, i64); 6] = [
    ("NANOSECOND", 1),
    ("MICROSECOND", 1_000),
    ("MILLISECOND", 1_000_000),
    ("SECOND", 1_000_000_000),
    ("MINUTE", 60_000_000_000),
    ("HOUR", 3_600_000_000_000),
];

const LAYOUTS: [(&str, &str); 15] = [
    ("RFC3339", methods::RFC3339),
    ("RFC3339NANO", "2006-01-02T15:04:05.999999999Z07:00"),
    ("RFC822", "02 Jan 06 15:04 MST"),
    ("RFC822Z", "02 Jan 06 15:04 -0700"),
    ("RFC850", "Monday, 02-Jan-06 15:04:05 MST"),
    ("RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"),
    ("RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"),
    ("DATE_TIME", "2006-01-02 15:04:05"),
    ("DATE_ONLY", "2006-01-02"),
    ("TIME_ONLY", "15:04:05"),
    ("KITCHEN", "3:04PM"),
    ("STAMP", "Jan _2 15:04:05"),
    ("STAMP_MILLI", "Jan _2 15:04:05.000"),
    ("STAMP_MICRO", "Jan _2 15:04:05.000000"),
    ("STAMP_NANO", "Jan _2 15:04:05.000000000"),
];

/// The module's table without the functions that wait.
///
/// # Errors
/// Out of memory.
pub fn table(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    constants(&table)?;
    table.raw_set("utc", Location::utc())?;
    table.raw_set("localtz", Location::local())?;
    table.raw_set("now", lua.create_function(|_, ()| Ok(Time::now()))?)?;
    table.raw_set("unix", lua.create_function(unix)?)?;
    table.raw_set("date", lua.create_function(date)?)?;
    table.raw_set("parse", lua.create_function(parse_time)?)?;
    table.raw_set("parse_duration", lua.create_function(parse_duration)?)?;
    table.raw_set("load_location", lua.create_function(load_location)?)?;
    table.raw_set("fixed_zone", lua.create_function(fixed_zone)?)?;
    Ok(table)
}

fn constants(table: &Table) -> mlua::Result<()> {
    for (name, nanos) in NANOSECONDS {
        table.raw_set(name, nanos)?;
    }
    for (name, layout) in LAYOUTS {
        table.raw_set(name, layout)?;
    }
    for (number, name) in (1..).zip(layout::MONTHS) {
        table.raw_set(name.to_ascii_uppercase(), number)?;
    }
    for (number, name) in (0..).zip(layout::WEEKDAYS) {
        table.raw_set(name.to_ascii_uppercase(), number)?;
    }
    Ok(())
}

fn unix(lua: &Lua, (seconds, nanos): (Value, Value)) -> mlua::Result<MultiValue> {
    let seconds = integer_argument(lua, 1, &seconds)?;
    let nanos = if nanos.is_nil() { 0 } else { integer_argument(lua, 2, &nanos)? };
    let nanos = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    results(lua, in_range(Time::from_unix_nanos(nanos, Location::local())))
}

fn date(lua: &Lua, arguments: MultiValue) -> mlua::Result<MultiValue> {
    let mut numbers = [0; 7];
    for (index, number) in numbers.iter_mut().enumerate() {
        match arguments.get(index).unwrap_or(&Value::Nil) {
            Value::Nil if index > 2 => {}
            value => *number = integer_argument(lua, index + 1, value)?,
        }
    }
    let location = match arguments.get(7).unwrap_or(&Value::Nil) {
        Value::Nil => Location::utc(),
        value => location_argument(lua, 8, value)?,
    };
    let [year, month, day, hour, minute, second, nanosecond] = numbers;
    let parts = Parts { year, month, day, hour, minute, second, nanosecond };
    results(lua, in_range(Time::from_parts(parts, location)))
}

fn parse_time(
    lua: &Lua,
    (layout, text, location): (Value, Value, Value),
) -> mlua::Result<MultiValue> {
    let layout = string_argument(lua, 1, &layout)?.to_string_lossy();
    let text = string_argument(lua, 2, &text)?.to_string_lossy();
    let location = match &location {
        Value::Nil => None,
        value => Some(location_argument(lua, 3, value)?),
    };
    results(lua, parse::parse(&layout, &text, location.as_ref()))
}

fn parse_duration(lua: &Lua, value: Value) -> mlua::Result<MultiValue> {
    match duration_from_lua(&value) {
        Ok(duration) => {
            let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
            results(lua, Duration(nanos).into_lua(lua).map(Ok)?)
        }
        Err(error) => nil_err(lua, error),
    }
}

fn load_location(lua: &Lua, name: Value) -> mlua::Result<MultiValue> {
    let name = string_argument(lua, 1, &name)?;
    results(lua, Location::load(&name.to_string_lossy()))
}

fn fixed_zone(lua: &Lua, (name, seconds): (Value, Value)) -> mlua::Result<MultiValue> {
    let name = string_argument(lua, 1, &name)?;
    let seconds = integer_argument(lua, 2, &seconds)?;
    results(lua, Location::fixed(&name.to_string_lossy(), seconds))
}

#[cfg(test)]
mod tests;
