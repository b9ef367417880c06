use mlua::{Lua, MetaMethod, MultiValue, UserData, UserDataMethods, UserDataRef, Value};

use super::duration::{Duration, duration_from_lua, signed};
use super::format::format;
use super::instant::Time;
use super::location::Location;
use crate::lua::error::{bad_argument, integer_argument, raise_text, results, string_argument};
use crate::value::{ErrorValue, kind};

/// How `tostring` shows a time.
const TEXT: &str = "2006-01-02 15:04:05.999999999 -0700 MST";

pub(super) const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

impl UserData for Time {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        arithmetic(methods);
        comparison(methods);
        views(methods);
        fields(methods);
    }
}

fn arithmetic<M: UserDataMethods<Time>>(methods: &mut M) {
    methods.add_method("add", |lua, this, duration: Value| {
        results(lua, signed(&duration).and_then(|nanos| in_range(this.add(nanos))))
    });
    methods.add_method("sub", |lua, this, earlier: Value| {
        Ok(Duration(this.since(&*time_argument(lua, &earlier)?)))
    });
    methods.add_method("add_date", |lua, this, (y, m, d): (Value, Value, Value)| {
        let (y, m) = (integer_argument(lua, 1, &y)?, integer_argument(lua, 2, &m)?);
        let d = integer_argument(lua, 3, &d)?;
        results(lua, in_range(this.add_date(y, m, d)))
    });
    methods.add_method("round", |lua, this, step: Value| to_step(lua, &step, |s| this.round(s)));
    methods.add_method("truncate", |lua, this, step: Value| {
        to_step(lua, &step, |step| this.truncate(step))
    });
}

fn comparison<M: UserDataMethods<Time>>(methods: &mut M) {
    methods.add_method("before", |lua, this, other: Value| {
        Ok(this.timestamp() < time_argument(lua, &other)?.timestamp())
    });
    methods.add_method("after", |lua, this, other: Value| {
        Ok(this.timestamp() > time_argument(lua, &other)?.timestamp())
    });
    methods.add_method("equal", |lua, this, other: Value| {
        Ok(this.timestamp() == time_argument(lua, &other)?.timestamp())
    });
    methods.add_method("is_zero", |_, this, ()| Ok(this.is_zero()));
    methods.add_meta_function(MetaMethod::Eq, |_, (a, b): (Value, Value)| {
        let at = |value| Time::of(value).map(|time| time.timestamp());
        Ok(at(&a).is_some() && at(&a) == at(&b))
    });
    methods.add_meta_method(MetaMethod::Lt, |lua, this, other: Value| {
        Ok(this.timestamp() < time_argument(lua, &other)?.timestamp())
    });
    methods.add_meta_method(MetaMethod::Le, |lua, this, other: Value| {
        Ok(this.timestamp() <= time_argument(lua, &other)?.timestamp())
    });
}

fn views<M: UserDataMethods<Time>>(methods: &mut M) {
    methods.add_method("format", |lua, this, layout: Value| {
        let layout = string_argument(lua, 1, &layout)?;
        Ok(format(&this.civil(), &layout.to_string_lossy()))
    });
    methods.add_method("format_rfc3339", |_, this, ()| Ok(format(&this.civil(), RFC3339)));
    methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(format(&this.civil(), TEXT)));
    methods.add_method("unix", |_, this, ()| {
        // Rounds down, as the number of whole seconds that have passed.
        Ok(this.timestamp().as_nanosecond().div_euclid(1_000_000_000) as i64)
    });
    methods.add_method("unix_nano", |lua, this, ()| {
        i64::try_from(this.timestamp().as_nanosecond())
            .map_err(|_| raise_text(lua, "time is out of the range of unix_nano"))
    });
    methods.add_method("utc", |_, this, ()| Ok(this.at_location(Location::utc())));
    methods.add_method("in_local", |_, this, ()| Ok(this.at_location(Location::local())));
    methods.add_method("in_location", |lua, this, location: Value| {
        Ok(this.at_location(location_argument(lua, 1, &location)?))
    });
    methods.add_method("location", |_, this, ()| Ok(this.location().clone()));
}

fn fields<M: UserDataMethods<Time>>(methods: &mut M) {
    methods.add_method("date", |_, this, ()| {
        let civil = this.civil().datetime;
        Ok((civil.year(), civil.month(), civil.day()))
    });
    methods.add_method("clock", |_, this, ()| {
        let civil = this.civil().datetime;
        Ok((civil.hour(), civil.minute(), civil.second()))
    });
    methods.add_method("year", |_, this, ()| Ok(this.civil().datetime.year()));
    methods.add_method("month", |_, this, ()| Ok(this.civil().datetime.month()));
    methods.add_method("day", |_, this, ()| Ok(this.civil().datetime.day()));
    methods.add_method("hour", |_, this, ()| Ok(this.civil().datetime.hour()));
    methods.add_method("minute", |_, this, ()| Ok(this.civil().datetime.minute()));
    methods.add_method("second", |_, this, ()| Ok(this.civil().datetime.second()));
    methods.add_method("nanosecond", |_, this, ()| Ok(this.civil().datetime.subsec_nanosecond()));
    methods.add_method("weekday", |_, this, ()| {
        Ok(this.civil().datetime.weekday().to_sunday_zero_offset())
    });
    methods.add_method("year_day", |_, this, ()| Ok(this.civil().datetime.day_of_year()));
}

/// The time itself, or the complaint that there is none so far away.
pub(super) fn in_range(time: Option<Time>) -> Result<Time, ErrorValue> {
    time.ok_or_else(|| ErrorValue::new(kind::INVALID, "time is out of range"))
}

/// A Location argument.
pub(super) fn location_argument(
    lua: &Lua,
    argument: usize,
    value: &Value,
) -> mlua::Result<Location> {
    match Location::of(value) {
        Some(location) => Ok(location.clone()),
        None => Err(bad_argument(lua, argument, "Location", value)),
    }
}

fn time_argument(lua: &Lua, value: &Value) -> mlua::Result<UserDataRef<Time>> {
    Time::of(value).ok_or_else(|| bad_argument(lua, 1, "Time", value))
}

fn to_step(
    lua: &Lua,
    step: &Value,
    change: impl FnOnce(u64) -> Option<Time>,
) -> mlua::Result<MultiValue> {
    let step =
        duration_from_lua(step).map(|step| u64::try_from(step.as_nanos()).unwrap_or(u64::MAX));
    results(lua, step.and_then(|step| in_range(change(step))))
}
