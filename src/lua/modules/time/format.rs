use std::fmt::Write as _;

use jiff::tz::Offset;

use super::instant::Civil;
use super::layout::{Element, MONTHS, Names, OffsetStyle, Pad, WEEKDAYS, elements};

/// `civil` in the form in which `layout` shows the reference time.
pub(super) fn format(civil: &Civil, layout: &str) -> String {
    let mut out = String::with_capacity(layout.len() + 8);
    for (element, _) in elements(layout) {
        // Writing to a string does not fail.
        let _ = write(&mut out, civil, element);
    }
    out
}

fn write(out: &mut String, civil: &Civil, element: Element<'_>) -> std::fmt::Result {
    let time = civil.datetime;
    let hour = i64::from(time.hour());
    match element {
        Element::Literal(text) => out.write_str(text),
        Element::Year if time.year() < 0 => write!(out, "-{:04}", -i32::from(time.year())),
        Element::Year => write!(out, "{:04}", time.year()),
        Element::YearOfCentury => write!(out, "{:02}", time.year().rem_euclid(100)),
        Element::MonthName(names) => out.write_str(name(&MONTHS, time.month() - 1, names)),
        Element::Month(pad) => number(out, time.month().into(), pad, 2),
        Element::Weekday(names) => {
            out.write_str(name(&WEEKDAYS, time.weekday().to_sunday_zero_offset(), names))
        }
        Element::Day(pad) => number(out, time.day().into(), pad, 2),
        Element::DayOfYear(pad) => number(out, time.day_of_year().into(), pad, 3),
        Element::Hour => number(out, hour, Pad::Zero, 2),
        Element::HourOfHalf(pad) => number(out, (hour + 11) % 12 + 1, pad, 2),
        Element::Minute(pad) => number(out, time.minute().into(), pad, 2),
        Element::Second(pad) => number(out, time.second().into(), pad, 2),
        Element::Half => out.write_str(if hour < 12 { "AM" } else { "PM" }),
        Element::LowerHalf => out.write_str(if hour < 12 { "am" } else { "pm" }),
        Element::Zone => zone(out, civil),
        Element::Offset(style) => offset(out, civil.offset, style),
        Element::Fraction { separator, digits } => {
            out.write_char(separator)?;
            out.write_str(&fraction(time.subsec_nanosecond(), digits))
        }
        Element::TrimmedFraction { separator, digits } => {
            let text = fraction(time.subsec_nanosecond(), digits);
            match text.trim_end_matches('0') {
                "" => Ok(()),
                text => write!(out, "{separator}{text}"),
            }
        }
    }
}

fn name(names: &[&'static str], index: i8, length: Names) -> &'static str {
    let name = usize::try_from(index).ok().and_then(|index| names.get(index)).copied();
    match (name.unwrap_or("?"), length) {
        (name, Names::Full) => name,
        (name, Names::Short) => name.get(..3).unwrap_or(name),
    }
}

fn number(out: &mut String, number: i64, pad: Pad, width: usize) -> std::fmt::Result {
    match pad {
        Pad::None => write!(out, "{number}"),
        Pad::Space => write!(out, "{number:width$}"),
        Pad::Zero => write!(out, "{number:0width$}"),
    }
}

/// The first `digits` digits of a second's fraction; digits beyond the ninth are zeros.
fn fraction(nanosecond: i32, digits: usize) -> String {
    let mut text = format!("{nanosecond:09}");
    while text.len() < digits {
        text.push('0');
    }
    text.truncate(digits);
    text
}

fn zone(out: &mut String, civil: &Civil) -> std::fmt::Result {
    if !civil.abbreviation.is_empty() {
        return out.write_str(&civil.abbreviation);
    }
    let fields = if civil.offset.seconds() % 3600 == 0 { 1 } else { 2 };
    offset(out, civil.offset, OffsetStyle { zulu: false, colons: false, fields })
}

fn offset(out: &mut String, offset: Offset, style: OffsetStyle) -> std::fmt::Result {
    let seconds = offset.seconds();
    if style.zulu && seconds == 0 {
        return out.write_char('Z');
    }
    let (sign, seconds) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    write!(out, "{sign}{:02}", seconds / 3600)?;
    let colon = if style.colons { ":" } else { "" };
    if style.fields > 1 {
        write!(out, "{colon}{:02}", seconds / 60 % 60)?;
    }
    if style.fields > 2 {
        write!(out, "{colon}{:02}", seconds % 60)?;
    }
    Ok(())
}
