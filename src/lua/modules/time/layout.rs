use std::iter;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// How a number is filled up to its full width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    None,
    Space,
    Zero,
}

/// How long names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Full,
    Short,
}

/// How an offset from UTC is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OffsetStyle {
    /// Whether UTC is written as `Z`.
    pub zulu: bool,
    pub colons: bool,
    /// 1 for hours only, 2 with minutes, 3 with seconds.
    pub fields: u8,
}

/// A part of a layout: what stands for it in the reference time
/// `Mon Jan 2 15:04:05 MST 2006`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element<'a> {
    Literal(&'a str),
    Year,
    YearOfCentury,
    MonthName(Names),
    Month(Pad),
    Weekday(Names),
    Day(Pad),
    DayOfYear(Pad),
    Hour,
    HourOfHalf(Pad),
    Minute(Pad),
    Second(Pad),
    /// `AM` or `PM`.
    Half,
    /// `am` or `pm`.
    LowerHalf,
    /// The zone's short name.
    Zone,
    Offset(OffsetStyle),
    /// So many digits of the second's fraction, after `separator`.
    Fraction {
        separator: char,
        digits: usize,
    },
    /// At most so many digits, without trailing zeros, or nothing at all.
    TrimmedFraction {
        separator: char,
        digits: usize,
    },
}

/// The texts that stand for an element wherever they occur, longer ones before their beginnings.
const FIXED: [(&str, Element<'static>); 33] = [
    ("January", Element::MonthName(Names::Full)),
    ("Monday", Element::Weekday(Names::Full)),
    ("MST", Element::Zone),
    ("2006", Element::Year),
    ("__2", Element::DayOfYear(Pad::Space)),
    ("002", Element::DayOfYear(Pad::Zero)),
    ("01", Element::Month(Pad::Zero)),
    ("02", Element::Day(Pad::Zero)),
    ("03", Element::HourOfHalf(Pad::Zero)),
    ("04", Element::Minute(Pad::Zero)),
    ("05", Element::Second(Pad::Zero)),
    ("06", Element::YearOfCentury),
    ("15", Element::Hour),
    ("1", Element::Month(Pad::None)),
    ("2", Element::Day(Pad::None)),
    ("3", Element::HourOfHalf(Pad::None)),
    ("4", Element::Minute(Pad::None)),
    ("5", Element::Second(Pad::None)),
    ("PM", Element::Half),
    ("pm", Element::LowerHalf),
    ("Z07:00:00", offset(true, true, 3)),
    ("Z070000", offset(true, false, 3)),
    ("Z07:00", offset(true, true, 2)),
    ("Z0700", offset(true, false, 2)),
    ("Z07", offset(true, false, 1)),
    ("-07:00:00", offset(false, true, 3)),
    ("-070000", offset(false, false, 3)),
    ("-07:00", offset(false, true, 2)),
    ("-0700", offset(false, false, 2)),
    ("-07", offset(false, false, 1)),
    ("_2", Element::Day(Pad::Space)),
    ("Jan", Element::MonthName(Names::Short)),
    ("Mon", Element::Weekday(Names::Short)),
];

const fn offset(zulu: bool, colons: bool, fields: u8) -> Element<'static> {
    Element::Offset(OffsetStyle { zulu, colons, fields })
}

/// The elements of `layout` in order, each with its text.
pub(super) fn elements(layout: &str) -> impl Iterator<Item = (Element<'_>, &str)> {
    let mut rest = layout;
    iter::from_fn(move || {
        let literal = rest.char_indices().find(|(at, _)| element(&rest[*at..]).is_some());
        let (element, length) = match literal {
            Some((0, _)) => element(rest)?,
            Some((at, _)) => (Element::Literal(&rest[..at]), at),
            None if rest.is_empty() => return None,
            None => (Element::Literal(rest), rest.len()),
        };
        let (text, after) = rest.split_at(length);
        rest = after;
        Some((element, text))
    })
}

/// The element that `rest` begins with, and its length in bytes.
fn element(rest: &str) -> Option<(Element<'static>, usize)> {
    if let Some(fraction) = fraction(rest) {
        return Some(fraction);
    }
    let (text, element) = FIXED.iter().find(|(text, _)| rest.starts_with(text))?;
    let after = &rest[text.len()..];
    match (*text, *element) {
        // "Janet" and "Money" are words.
        ("Jan" | "Mon", _) if after.starts_with(|c: char| c.is_ascii_lowercase()) => None,
        ("_2", _) if after.starts_with("006") => None,
        (text, element) => Some((element, text.len())),
    }
}

fn fraction(rest: &str) -> Option<(Element<'static>, usize)> {
    let separator = rest.chars().next().filter(|c| matches!(c, '.' | ','))?;
    let run = &rest[1..];
    let digit = run.chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let digits = run.len() - run.trim_start_matches(digit).len();
    if run[digits..].starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let element = match digit {
        '0' => Element::Fraction { separator, digits },
        _ => Element::TrimmedFraction { separator, digits },
    };
    Some((element, digits + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(layout: &str) -> Vec<&str> {
        elements(layout).map(|(_, text)| text).collect()
    }

    #[test]
    fn layouts_fall_apart_into_elements() {
        assert_eq!(
            texts("2006-01-02T15:04:05.999999999Z07:00"),
            ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", ".999999999", "Z07:00"]
        );
        assert_eq!(
            texts("Mon, 2 Jan 06 3PM MST"),
            ["Mon", ", ", "2", " ", "Jan", " ", "06", " ", "3", "PM", " ", "MST"]
        );
        assert_eq!(texts("_2006 __2 _2"), ["_", "2006", " ", "__2", " ", "_2"]);
        assert_eq!(texts(""), [""; 0]);
    }

    #[test]
    fn words_and_numbers_that_only_look_like_elements_stay() {
        assert_eq!(texts("Janet é Money"), ["Janet é Money"]);
        assert_eq!(texts(".0001"), [".00", "01"]);
    }
}
