use std::time::Duration as StdDuration;

use mlua::{MetaMethod, UserData, UserDataMethods, UserDataRef, Value};

use crate::document::{DurationText, parse_duration};
use crate::lua::error::{bad_argument, type_name};
use crate::value::{ErrorValue, kind};

const NANOS_PER_SECOND: f64 = 1e9;

/// A length of time in nanoseconds, about 292 years at most. Differences of times may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    /// The duration that `value` is, if it is one.
    pub fn of(value: &Value) -> Option<UserDataRef<Self>> {
        value.as_userdata().and_then(|userdata| userdata.borrow::<Self>().ok())
    }
}

/// The duration that a script passed: a text such as `1h30m`, nanoseconds, or a Duration.
///
/// # Errors
/// `E[Invalid]` for anything else and for negative durations.
pub fn duration_from_lua(value: &Value) -> Result<StdDuration, ErrorValue> {
    let nanos = signed(value)?;
    let nanos = u64::try_from(nanos).map_err(|_| {
        invalid(format!("a duration must not be negative, got {}", Duration(nanos)))
    })?;
    Ok(StdDuration::from_nanos(nanos))
}

/// As [`duration_from_lua`], in nanoseconds, for time arithmetic: negative ones count.
///
/// # Errors
/// `E[Invalid]` for what is no duration.
pub(super) fn signed(value: &Value) -> Result<i64, ErrorValue> {
    match value {
        Value::Integer(nanos) => Ok(*nanos),
        // `0.5 * time.SECOND` is a float.
        Value::Number(nanos) if *nanos > i64::MIN as f64 && *nanos < i64::MAX as f64 => {
            Ok(*nanos as i64)
        }
        Value::Number(_) => Err(invalid("a duration must be a finite number of nanoseconds")),
        Value::String(text) => read(&text.to_string_lossy()),
        other => Duration::of(other).map(|duration| duration.0).ok_or_else(|| {
            let got = type_name(other);
            invalid(format!(
                "a duration is a string such as \"1h30m\", nanoseconds or a Duration, got {got}"
            ))
        }),
    }
}

fn read(text: &str) -> Result<i64, ErrorValue> {
    let (unsigned, sign) = match text.strip_prefix('-') {
        Some(rest) if !rest.starts_with(['-', '+']) => (rest, -1),
        _ => (text, 1),
    };
    let duration = parse_duration(unsigned).map_err(|error| invalid(error.to_string()))?;
    i64::try_from(duration.as_nanos())
        .map(|nanos| sign * nanos)
        .map_err(|_| invalid(format!("{text:?} is too long")))
}

fn invalid(message: impl Into<String>) -> ErrorValue {
    ErrorValue::new(kind::INVALID, message.into())
}

impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        DurationText(StdDuration::from_nanos(self.0.unsigned_abs())).fmt(f)
    }
}

impl UserData for Duration {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        for (name, unit_s) in [("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)] {
            methods
                .add_method(name, move |_, this, ()| Ok(this.0 as f64 / NANOS_PER_SECOND / unit_s));
        }
        for (name, unit_ns) in
            [("milliseconds", 1_000_000), ("microseconds", 1_000), ("nanoseconds", 1)]
        {
            methods.add_method(name, move |_, this, ()| Ok(this.0 / unit_ns));
        }
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.to_string()));
        methods.add_meta_function(MetaMethod::Eq, |_, (a, b): (Value, Value)| {
            Ok(matches!((Self::of(&a), Self::of(&b)), (Some(a), Some(b)) if *a == *b))
        });
        methods.add_meta_method(MetaMethod::Lt, |lua, this, other: Value| {
            let other = Self::of(&other).ok_or_else(|| bad_argument(lua, 1, "Duration", &other));
            Ok(*this < *other?)
        });
        methods.add_meta_method(MetaMethod::Le, |lua, this, other: Value| {
            let other = Self::of(&other).ok_or_else(|| bad_argument(lua, 1, "Duration", &other));
            Ok(*this <= *other?)
        });
    }
}
