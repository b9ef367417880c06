use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use mlua::{UserDataRef, Value};
use smol_str::SmolStr;

use super::location::Location;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// The first moment of year 1 in UTC, in seconds: the zero time, from which rounding counts.
const ZERO_S: i64 = -62_135_596_800;

/// A moment, and the location in which it is shown.
#[derive(Clone, Debug)]
pub struct Time {
    at: Timestamp,
    location: Location,
}

/// What calendars and clocks show at a moment in its location.
pub(super) struct Civil {
    pub datetime: DateTime,
    pub offset: Offset,
    /// The zone's short name; may be empty.
    pub abbreviation: SmolStr,
}

/// The numbers that make a moment; any of them may be out of range and carries over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub nanosecond: i64,
}

impl Time {
    /// This moment, in the zone of the machine.
    pub fn now() -> Self {
        Self::new(Timestamp::now(), Location::local())
    }

    pub(super) fn new(at: Timestamp, location: Location) -> Self {
        Self { at, location }
    }

    /// The moment that clocks at `location` show as `parts`; `None` beyond the year 9999. Where the
    /// clocks jump it is a moment that one of both offsets gives.
    pub(super) fn from_parts(parts: Parts, location: Location) -> Option<Self> {
        let naive = parts.to_datetime()?;
        let at = location.zone().to_ambiguous_timestamp(naive).compatible().ok()?;
        Some(Self { at, location })
    }

    /// The moment `nanos` after 1970 began.
    pub(super) fn from_unix_nanos(nanos: i128, location: Location) -> Option<Self> {
        Some(Self { at: Timestamp::from_nanosecond(nanos).ok()?, location })
    }

    /// The moment `nanos` after 1970 began, in the zone of the machine; `None` beyond the year 9999.
    pub fn at_unix_nanos(nanos: i64) -> Option<Self> {
        Self::from_unix_nanos(i128::from(nanos), Location::local())
    }

    /// The time that `value` is, if it is one.
    pub fn of(value: &Value) -> Option<UserDataRef<Self>> {
        value.as_userdata().and_then(|userdata| userdata.borrow::<Self>().ok())
    }

    /// The moment, without its location.
    pub fn timestamp(&self) -> Timestamp {
        self.at
    }

    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    pub(super) fn civil(&self) -> Civil {
        let offsets = self.location.offsets(self.at);
        Civil {
            datetime: offsets.offset.to_datetime(self.at),
            offset: offsets.offset,
            abbreviation: offsets.abbreviation,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.at.as_second() == ZERO_S && self.at.subsec_nanosecond() == 0
    }

    pub(super) fn at_location(&self, location: Location) -> Self {
        Self { at: self.at, location }
    }

    /// `None` beyond the years that there are.
    pub(super) fn add(&self, nanos: i64) -> Option<Self> {
        self.moved_to(self.at.as_nanosecond() + i128::from(nanos))
    }

    /// Nanoseconds from `earlier` to this; the longest there are if it is more.
    pub(super) fn since(&self, earlier: &Self) -> i64 {
        let nanos = self.at.as_nanosecond() - earlier.at.as_nanosecond();
        let most = if nanos < 0 { i64::MIN } else { i64::MAX };
        i64::try_from(nanos).unwrap_or(most)
    }

    /// The same clock time so many years, months and days later.
    pub(super) fn add_date(&self, years: i64, months: i64, days: i64) -> Option<Self> {
        let now = Parts::of(self.civil().datetime);
        let parts = Parts {
            year: now.year.checked_add(years)?,
            month: now.month.checked_add(months)?,
            day: now.day.checked_add(days)?,
            ..now
        };
        Self::from_parts(parts, self.location.clone())
    }

    /// The last multiple of `step` nanoseconds since the zero time that is not later.
    pub(super) fn truncate(&self, step: u64) -> Option<Self> {
        match self.since_zero() {
            (nanos, zero) if step > 0 => {
                self.moved_to(zero + nanos - nanos.rem_euclid(i128::from(step)))
            }
            _ => Some(self.clone()),
        }
    }

    /// The nearest multiple of `step` nanoseconds since the zero time, the later one of two.
    pub(super) fn round(&self, step: u64) -> Option<Self> {
        let (nanos, zero) = self.since_zero();
        let step = i128::from(step);
        match step {
            0 => Some(self.clone()),
            _ => match nanos.rem_euclid(step) {
                rest if 2 * rest < step => self.moved_to(zero + nanos - rest),
                rest => self.moved_to(zero + nanos - rest + step),
            },
        }
    }

    fn since_zero(&self) -> (i128, i128) {
        let zero = i128::from(ZERO_S) * NANOS_PER_SECOND;
        (self.at.as_nanosecond() - zero, zero)
    }

    fn moved_to(&self, nanos: i128) -> Option<Self> {
        Self::from_unix_nanos(nanos, self.location.clone())
    }
}

impl Parts {
    pub(super) fn of(datetime: DateTime) -> Self {
        Self {
            year: datetime.year().into(),
            month: datetime.month().into(),
            day: datetime.day().into(),
            hour: datetime.hour().into(),
            minute: datetime.minute().into(),
            second: datetime.second().into(),
            nanosecond: datetime.subsec_nanosecond().into(),
        }
    }

    /// The same with every number in its range; `None` beyond the years that there are.
    pub(super) fn to_datetime(self) -> Option<DateTime> {
        let months = self.month.checked_sub(1)?;
        let year = self.year.checked_add(months.div_euclid(12))?;
        let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
        let first = Date::new(i16::try_from(year).ok()?, month, 1).ok()?;
        let first =
            Offset::UTC.to_timestamp(first.to_datetime(jiff::civil::Time::midnight())).ok()?;
        let hours = i128::from(self.day.checked_sub(1)?) * 24 + i128::from(self.hour);
        let seconds = (hours * 60 + i128::from(self.minute)) * 60 + i128::from(self.second);
        let nanos = seconds * NANOS_PER_SECOND + i128::from(self.nanosecond);
        let at = Timestamp::from_nanosecond(first.as_nanosecond() + nanos).ok()?;
        Some(Offset::UTC.to_datetime(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_YEAR: Parts =
        Parts { year: 2024, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };

    #[test]
    fn parts_out_of_range_carry_over() {
        let text = |parts: Parts| parts.to_datetime().unwrap().to_string();
        assert_eq!(text(Parts { month: 14, day: 0, ..NEW_YEAR }), "2025-01-31T00:00:00");
        assert_eq!(text(Parts { month: -1, hour: -1, ..NEW_YEAR }), "2023-10-31T23:00:00");
        assert_eq!(text(Parts { month: 2, day: 30, ..NEW_YEAR }), "2024-03-01T00:00:00");
        assert_eq!(text(Parts { nanosecond: -1, ..NEW_YEAR }), "2023-12-31T23:59:59.999999999");
        for parts in [
            Parts { year: 10_000, ..NEW_YEAR },
            Parts { year: i64::MAX, month: i64::MAX, ..NEW_YEAR },
            Parts { month: i64::MIN, ..NEW_YEAR },
            Parts { day: i64::MIN, hour: i64::MIN, second: i64::MIN, ..NEW_YEAR },
        ] {
            assert_eq!(parts.to_datetime(), None);
        }
    }

    #[test]
    fn rounding_counts_from_the_zero_time() {
        let time = Time::from_parts(Parts { hour: 13, minute: 30, ..NEW_YEAR }, Location::utc());
        let hour = 3_600 * 1_000_000_000;
        let show = |time: Option<Time>| time.unwrap().timestamp().to_string();
        assert_eq!(show(time.as_ref().unwrap().truncate(hour)), "2024-01-01T13:00:00Z");
        assert_eq!(show(time.as_ref().unwrap().round(hour)), "2024-01-01T14:00:00Z");
        // 2024-01-01 was a Monday, as was the first day of year 1.
        assert_eq!(show(time.as_ref().unwrap().truncate(7 * 24 * hour)), "2024-01-01T00:00:00Z");
        assert_eq!(show(time.as_ref().unwrap().round(0)), "2024-01-01T13:30:00Z");
    }
}
