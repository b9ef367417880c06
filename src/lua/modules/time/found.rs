use jiff::tz::Offset;

use super::instant::{Parts, Time};
use super::location::Location;
use crate::value::{ErrorValue, kind};

/// What the elements of a layout said that were read so far.
#[derive(Default)]
pub(super) struct Found<'a> {
    pub year: i64,
    pub month: Option<i64>,
    pub day: Option<i64>,
    pub day_of_year: Option<i64>,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub nanosecond: i64,
    pub is_afternoon: Option<bool>,
    pub offset: Option<i32>,
    pub zone: Option<&'a str>,
}

/// The complaint that `text` is no time.
pub(super) fn invalid(text: &str, why: String) -> ErrorValue {
    ErrorValue::new(kind::INVALID, format!("parsing time {text:?}: {why}"))
}

impl Found<'_> {
    /// The time that the elements describe; `text` is what they were read from.
    pub(super) fn into_time(
        self,
        text: &str,
        location: Option<&Location>,
    ) -> Result<Time, ErrorValue> {
        let range = |what: &str| invalid(text, format!("{what} out of range"));
        let mut parts = self.parts();
        let naive = parts.to_datetime().ok_or_else(|| range("year"))?;
        let day_fits = self.day_of_year.is_some() || i64::from(naive.day()) == parts.day;
        if !day_fits || i64::from(naive.year()) != parts.year {
            return Err(range("day"));
        }
        if self.day_of_year.is_some() {
            parts = Parts::of(naive);
            let differs = |said: Option<i64>, is: i64| said.is_some_and(|said| said != is);
            if differs(self.month, parts.month) || differs(self.day, parts.day) {
                return Err(invalid(text, "day of year does not match the date".to_owned()));
            }
        }
        let home = location.cloned().unwrap_or_else(Location::local);
        let time = match (self.offset, self.zone) {
            (Some(0), Some("UTC")) | (None, Some("UTC")) => {
                Time::from_parts(parts, Location::utc())
            }
            (Some(seconds), zone) => at_offset(parts, seconds, zone.unwrap_or(""), home),
            (None, Some(zone)) => in_zone(parts, zone, home),
            (None, None) => {
                Time::from_parts(parts, location.cloned().unwrap_or_else(Location::utc))
            }
        };
        time.ok_or_else(|| range("time"))
    }

    fn parts(&self) -> Parts {
        let hour = match self.is_afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let (month, day) = match self.day_of_year {
            Some(day) => (1, day),
            None => (self.month.unwrap_or(1), self.day.unwrap_or(1)),
        };
        Parts {
            year: self.year,
            month,
            day,
            hour,
            minute: self.minute,
            second: self.second,
            nanosecond: self.nanosecond,
        }
    }
}

/// The moment with clocks `seconds` ahead of UTC; in `home` if clocks there are that far ahead, too.
fn at_offset(parts: Parts, seconds: i32, zone: &str, home: Location) -> Option<Time> {
    let offset = Offset::from_seconds(seconds).ok()?;
    let at = offset.to_timestamp(parts.to_datetime()?).ok()?;
    let there = home.offsets(at);
    let is_home = there.offset == offset && (zone.is_empty() || there.abbreviation == zone);
    Some(Time::new(at, if is_home { home } else { Location::at_offset(zone, offset) }))
}

/// The moment in a zone given by its short name: one of `home` if it has that name at times, else
/// `GMT` and hours, else a zone of that name at UTC since nothing more is known.
fn in_zone(parts: Parts, zone: &str, home: Location) -> Option<Time> {
    let naive = parts.to_datetime()?;
    let ambiguous = home.zone().to_ambiguous_timestamp(naive);
    for at in [ambiguous.earlier().ok()?, ambiguous.later().ok()?] {
        if home.offsets(at).abbreviation == zone {
            return Some(Time::new(at, home));
        }
    }
    let near = home.zone().to_ambiguous_timestamp(naive).compatible().ok()?;
    let other = home.zone().preceding(near).take(3).chain(home.zone().following(near).take(3));
    let mut other = other.filter(|change| change.abbreviation() == zone);
    if let Some(offset) = other.next().map(|change| change.offset()) {
        return Some(Time::new(offset.to_timestamp(naive).ok()?, home.clone()));
    }
    let hours = zone.strip_prefix("GMT").unwrap_or(zone).parse::<i32>().unwrap_or(0);
    at_offset(parts, hours * 3600, zone, home)
}
