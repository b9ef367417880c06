use super::found::{Found, invalid};
use super::instant::Time;
use super::layout::{Element, MONTHS, Names, OffsetStyle, Pad, WEEKDAYS, elements};
use super::location::Location;
use crate::value::ErrorValue;

/// Reads `text` in the form in which `layout` shows the reference time. Without an offset in the
/// text, the time is one of `location`, else of UTC. What the text leaves out is that of
/// January 1 in year 0.
///
/// # Errors
/// `E[Invalid]` with the part that does not fit.
pub(super) fn parse(
    layout: &str,
    text: &str,
    location: Option<&Location>,
) -> Result<Time, ErrorValue> {
    let mut reader = Reader { rest: text, found: Found::default() };
    let mut parts = elements(layout).peekable();
    while let Some((element, form)) = parts.next() {
        let at = reader.rest;
        let next_is_fraction = matches!(
            parts.peek(),
            Some((Element::Fraction { .. } | Element::TrimmedFraction { .. }, _))
        );
        reader.element(element).map_err(|misfit| misfit.into_error(text, layout, at, form))?;
        if matches!(element, Element::Second(_)) && !next_is_fraction {
            reader.optional_fraction();
        }
    }
    if !reader.rest.is_empty() {
        return Err(invalid(text, format!("extra text: {:?}", reader.rest)));
    }
    reader.found.into_time(text, location)
}

enum Misfit {
    /// The text does not have the form of the element.
    Form,
    /// It has, but there is no such hour, day and so on.
    Range(&'static str),
}

impl Misfit {
    fn into_error(self, text: &str, layout: &str, at: &str, form: &str) -> ErrorValue {
        match self {
            Self::Form => {
                let place = format!("cannot parse {at:?} as {form:?} of {layout:?}");
                invalid(text, place)
            }
            Self::Range(what) => invalid(text, format!("{what} out of range")),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    found: Found<'a>,
}

impl<'a> Reader<'a> {
    fn element(&mut self, element: Element<'_>) -> Result<(), Misfit> {
        match element {
            Element::Literal(text) => self.literal(text)?,
            Element::Year => self.found.year = self.digits(4, 4)?,
            Element::YearOfCentury => {
                let year = self.digits(2, 2)?;
                self.found.year = if year >= 69 { 1900 + year } else { 2000 + year };
            }
            Element::MonthName(names) => self.found.month = Some(self.name(&MONTHS, names)? + 1),
            Element::Month(pad) => {
                self.found.month = Some(self.number(pad, 2, 1..=12, "month")?);
            }
            Element::Weekday(names) => {
                self.name(&WEEKDAYS, names)?;
            }
            Element::Day(pad) => self.found.day = Some(self.number(pad, 2, 1..=31, "day")?),
            Element::DayOfYear(pad) => {
                self.found.day_of_year = Some(self.number(pad, 3, 1..=366, "day of year")?);
            }
            Element::Hour => self.found.hour = self.number(Pad::None, 2, 0..=23, "hour")?,
            Element::HourOfHalf(pad) => self.found.hour = self.number(pad, 2, 0..=12, "hour")?,
            Element::Minute(pad) => self.found.minute = self.number(pad, 2, 0..=59, "minute")?,
            Element::Second(pad) => self.found.second = self.number(pad, 2, 0..=59, "second")?,
            Element::Half => self.half("AM", "PM")?,
            Element::LowerHalf => self.half("am", "pm")?,
            Element::Zone => self.zone()?,
            Element::Offset(style) => self.offset(style)?,
            Element::Fraction { digits, .. } => self.fraction(digits)?,
            Element::TrimmedFraction { .. } => self.optional_fraction(),
        }
        Ok(())
    }

    /// A run of blanks in the layout stands for any number of them.
    fn literal(&mut self, mut text: &str) -> Result<(), Misfit> {
        while let Some(c) = text.chars().next() {
            if c == ' ' {
                if !self.rest.is_empty() && !self.rest.starts_with(' ') {
                    return Err(Misfit::Form);
                }
                text = text.trim_start_matches(' ');
                self.rest = self.rest.trim_start_matches(' ');
            } else {
                self.rest = self.rest.strip_prefix(c).ok_or(Misfit::Form)?;
                text = &text[c.len_utf8()..];
            }
        }
        Ok(())
    }

    fn name(&mut self, names: &[&str], length: Names) -> Result<i64, Misfit> {
        for (index, name) in (0..).zip(names) {
            let name = match length {
                Names::Full => name,
                Names::Short => name.get(..3).unwrap_or(name),
            };
            let head = self.rest.get(..name.len());
            if head.is_some_and(|head| head.eq_ignore_ascii_case(name)) {
                self.rest = &self.rest[name.len()..];
                return Ok(index);
            }
        }
        Err(Misfit::Form)
    }

    fn number(
        &mut self,
        pad: Pad,
        width: usize,
        range: std::ops::RangeInclusive<i64>,
        what: &'static str,
    ) -> Result<i64, Misfit> {
        if pad == Pad::Space {
            self.rest = self.rest.trim_start_matches(' ');
        }
        let least = if pad == Pad::Zero { width } else { 1 };
        let number = self.digits(least, width)?;
        if range.contains(&number) { Ok(number) } else { Err(Misfit::Range(what)) }
    }

    /// At least `least` and at most `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Result<i64, Misfit> {
        let count = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if count < least {
            return Err(Misfit::Form);
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits.parse().map_err(|_| Misfit::Form)
    }

    fn half(&mut self, morning: &str, afternoon: &str) -> Result<(), Misfit> {
        let afternoon = self.rest.strip_prefix(afternoon).map(|rest| (rest, true));
        let found = afternoon.or_else(|| Some((self.rest.strip_prefix(morning)?, false)));
        let (rest, is_afternoon) = found.ok_or(Misfit::Form)?;
        self.rest = rest;
        self.found.is_afternoon = Some(is_afternoon);
        Ok(())
    }

    fn optional_fraction(&mut self) {
        let Some(digits) = self.rest.strip_prefix(['.', ',']) else { return };
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count > 0 {
            self.set_fraction(&digits[..count]);
            self.rest = &digits[count..];
        }
    }

    fn fraction(&mut self, count: usize) -> Result<(), Misfit> {
        let digits = self.rest.strip_prefix(['.', ',']).ok_or(Misfit::Form)?;
        let found = digits.bytes().take_while(u8::is_ascii_digit).count();
        if found < count {
            return Err(Misfit::Form);
        }
        self.set_fraction(&digits[..count]);
        self.rest = &digits[count..];
        Ok(())
    }

    /// Digits beyond the ninth are below a nanosecond.
    fn set_fraction(&mut self, digits: &str) {
        let digits = digits.bytes().chain(std::iter::repeat(b'0')).take(9);
        self.found.nanosecond = digits.fold(0, |nanos, digit| nanos * 10 + i64::from(digit - b'0'));
    }

    fn offset(&mut self, style: OffsetStyle) -> Result<(), Misfit> {
        if style.zulu
            && let Some(rest) = self.rest.strip_prefix('Z')
        {
            self.rest = rest;
            self.found.offset = Some(0);
            self.found.zone = Some("UTC");
            return Ok(());
        }
        let rest = self.rest.strip_prefix(['+', '-']).ok_or(Misfit::Form)?;
        let is_west = self.rest.starts_with('-');
        self.rest = rest;
        let mut seconds = self.number(Pad::Zero, 2, 0..=24, "time zone offset hour")? * 3600;
        for (field, unit_s) in (1..style.fields).zip([60, 1]) {
            if style.colons {
                self.rest = self.rest.strip_prefix(':').ok_or(Misfit::Form)?;
            }
            let what =
                if field == 1 { "time zone offset minute" } else { "time zone offset second" };
            seconds += self.number(Pad::Zero, 2, 0..=59, what)? * unit_s;
        }
        let seconds = i32::try_from(seconds).map_err(|_| Misfit::Form)?;
        self.found.offset = Some(if is_west { -seconds } else { seconds });
        Ok(())
    }

    fn zone(&mut self) -> Result<(), Misfit> {
        let length = zone_length(self.rest).ok_or(Misfit::Form)?;
        let (zone, rest) = self.rest.split_at(length);
        self.found.zone = Some(zone);
        self.rest = rest;
        Ok(())
    }
}

/// The length of the short name of a zone at the start of `text`: three to five capitals, or a
/// signed number of hours with or without `GMT` before it.
fn zone_length(text: &str) -> Option<usize> {
    let signed = |text: &str| {
        let digits = text.strip_prefix(['+', '-'])?;
        match digits.bytes().take(2).take_while(u8::is_ascii_digit).count() {
            0 => None,
            count => Some(count + 1),
        }
    };
    if let Some(rest) = text.strip_prefix("GMT") {
        return Some(3 + signed(rest).unwrap_or(0));
    }
    if text.starts_with("ChST") || text.starts_with("MeST") {
        return Some(4);
    }
    match text.bytes().take(6).take_while(u8::is_ascii_uppercase).count() {
        0 => signed(text),
        count @ 3..=5 => Some(count),
        _ => None,
    }
}
