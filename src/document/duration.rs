use std::fmt;
use std::time::Duration;

/// Longest duration that is accepted, in nanoseconds: 2^63 - 1, about 292 years.
const MAX_NANOS: u128 = i64::MAX as u128;

const UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// There is no text.
    #[error("a duration is empty: write one such as 30s, 100ms or 1h30m")]
    Empty,
    /// A number without a unit, other than a lone `0`.
    #[error("{text:?} has no unit: write {text}s for seconds, or {text}ms for milliseconds")]
    NoUnit {
        /// The number that lacks one.
        text: String,
    },
    /// A unit that does not exist.
    #[error("{unit:?} is not a unit of time: use ns, us, ms, s, m or h, as in 30s")]
    UnknownUnit {
        /// What stands where the unit belongs.
        unit: String,
    },
    /// Not a sequence of numbers with units.
    #[error("{text:?} is not a duration: write one such as 30s, 100ms or 1h30m, without blanks")]
    Shape {
        /// The refused text.
        text: String,
    },
    /// Below zero.
    #[error("{text:?} is negative")]
    Negative {
        /// The refused text.
        text: String,
    },
    /// Above 2^63 - 1 nanoseconds.
    #[error("{text:?} is longer than 292 years, the longest duration there is")]
    TooLong {
        /// The refused text.
        text: String,
    },
    /// Not zero, yet less than a nanosecond.
    #[error("{text:?} is shorter than a nanosecond")]
    TooShort {
        /// The refused text.
        text: String,
    },
}

/// Reads a duration: an optional sign, then one or more decimal numbers, each with a unit out of
/// `ns us \u{b5}s ms s m h`, as in `1h30m` or `1.5s`; a lone `0` needs none (registry.md section 7).
///
/// # Errors
/// [`DurationError`] for anything else, for negative values, and beyond 2^63 - 1 ns.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    let mut total_ns = 0u128;
    let mut has_digits_above_zero = false;
    let mut rest = unsigned;
    while !rest.is_empty() || rest.len() == unsigned.len() {
        let (number, after) = split_number(rest).ok_or_else(|| shape(text))?;
        let (unit, after) = split_unit(after);
        let unit_ns = unit_ns(unit, number, text)?;
        let part_ns = scale(number, unit_ns).ok_or_else(|| too_long(text))?;
        total_ns = total_ns.saturating_add(part_ns);
        if total_ns > MAX_NANOS {
            return Err(too_long(text));
        }
        has_digits_above_zero |= number.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
        rest = after;
    }
    match total_ns {
        0 if has_digits_above_zero => Err(DurationError::TooShort { text: text.to_owned() }),
        1.. if text.starts_with('-') => Err(DurationError::Negative { text: text.to_owned() }),
        _ => Ok(Duration::new(
            u64::try_from(total_ns / 1_000_000_000).unwrap_or(u64::MAX),
            (total_ns % 1_000_000_000) as u32,
        )),
    }
}

/// A duration as the grammar of [`parse_duration`] writes it: `1h30m0s`, `5m0s`, `1.5s`, `100ms`,
/// `0s`. Units below a second stand alone; from a minute on all smaller ones are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationText(pub Duration);

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.subsec_nanos();
        let total_s = self.0.as_secs();
        if total_s == 0 {
            return match nanos {
                0 => f.write_str("0s"),
                1..1_000 => write!(f, "{nanos}ns"),
                1_000..1_000_000 => decimal(f, 0, u64::from(nanos), 1_000, "us"),
                _ => decimal(f, 0, u64::from(nanos), 1_000_000, "ms"),
            };
        }
        let (hours, minutes) = (total_s / 3600, total_s / 60 % 60);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if hours > 0 || minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        decimal(f, total_s % 60, u64::from(nanos), 1_000_000_000, "s")
    }
}

/// Writes `whole + parts / per_unit` without trailing zeros.
fn decimal(
    f: &mut fmt::Formatter<'_>,
    whole: u64,
    parts: u64,
    per_unit: u64,
    unit: &str,
) -> fmt::Result {
    let (whole, fraction) = (whole + parts / per_unit, parts % per_unit);
    if fraction == 0 {
        return write!(f, "{whole}{unit}");
    }
    let width = per_unit.ilog10() as usize;
    let digits = format!("{fraction:0width$}");
    write!(f, "{whole}.{}{unit}", digits.trim_end_matches('0'))
}

fn shape(text: &str) -> DurationError {
    DurationError::Shape { text: text.to_owned() }
}

fn too_long(text: &str) -> DurationError {
    DurationError::TooLong { text: text.to_owned() }
}

/// Splits a decimal number with at least one digit and at most one point off the front.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let points = number.bytes().filter(|byte| *byte == b'.').count();
    (points <= 1 && number.len() > points).then_some((number, rest))
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(text.len());
    text.split_at(end)
}

fn unit_ns(unit: &str, number: &str, text: &str) -> Result<u128, DurationError> {
    if let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) {
        return Ok(*nanos);
    }
    let is_word = !unit.is_empty() && unit.chars().all(char::is_alphabetic);
    Err(match unit {
        "" if number.len() == text.len() => DurationError::NoUnit { text: number.to_owned() },
        "" if text.strip_prefix('+') == Some(number) => {
            DurationError::NoUnit { text: number.to_owned() }
        }
        "" if text.strip_prefix('-') == Some(number) => {
            DurationError::Negative { text: text.to_owned() }
        }
        _ if is_word => DurationError::UnknownUnit { unit: unit.to_owned() },
        _ => shape(text),
    })
}

/// `number * unit_ns`, with digits below a nanosecond cut off; `None` past 2^63 - 1.
fn scale(number: &str, unit_ns: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut total = 0u128;
    for digit in whole.bytes() {
        total = total * 10 + u128::from(digit - b'0');
        if total > MAX_NANOS {
            return None;
        }
    }
    let mut total = total.checked_mul(unit_ns)?;
    let mut place = unit_ns;
    for digit in fraction.bytes() {
        let tenth = u128::from(digit - b'0') * place;
        total += tenth / 10;
        place /= 10;
        if place == 0 {
            break;
        }
    }
    (total <= MAX_NANOS).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_grammar_is_read() {
        let cases: [(&str, u64); 18] = [
            ("0", 0),
            ("+0", 0),
            ("-0", 0),
            ("0s", 0),
            ("-0s", 0),
            ("30s", 30_000_000_000),
            ("+30s", 30_000_000_000),
            ("100ms", 100_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1h0.5m1s", 3_631_000_000_000),
            ("7ns", 7),
            ("3us", 3_000),
            ("3\u{b5}s", 3_000),
            ("3\u{3bc}s", 3_000),
            ("9223372036854775807ns", i64::MAX as u64),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
        assert_eq!(parse_duration("0.100000000000000000000h"), Ok(Duration::from_secs(360)));
    }

    #[test]
    fn everything_else_is_refused_with_the_reason() {
        use DurationError::{Empty, Negative, NoUnit, Shape, TooLong, TooShort, UnknownUnit};
        let text = |text: &str| text.to_owned();
        assert_eq!(parse_duration(""), Err(Empty));
        for bare in ["30", "1.5", "00", "5000000000"] {
            assert_eq!(parse_duration(bare), Err(NoUnit { text: text(bare) }));
        }
        assert_eq!(parse_duration("+30"), Err(NoUnit { text: text("30") }));
        for negative in ["-5", "-5s", "-1ns"] {
            assert_eq!(parse_duration(negative), Err(Negative { text: text(negative) }));
        }
        for (bad, unit) in [("1d", "d"), ("1S", "S"), ("1sec", "sec"), ("1h2w", "w"), ("1e30", "e")]
        {
            assert_eq!(parse_duration(bad), Err(UnknownUnit { unit: text(unit) }), "{bad}");
        }
        for bad in
            ["5 m", " 5m", "5m ", "s", "-", "+", ".s", "1..5s", "1h30", "--5s", "12:30", "abc"]
        {
            assert!(matches!(parse_duration(bad), Err(Shape { .. })), "{bad}");
        }
        for long in ["9223372036854775808ns", "2562048h", "1000000000000000000000000000h"] {
            assert_eq!(parse_duration(long), Err(TooLong { text: text(long) }));
        }
        assert_eq!(parse_duration("0.5ns"), Err(TooShort { text: text("0.5ns") }));
    }

    #[test]
    fn durations_print_like_the_grammar() {
        for text in [
            "0s",
            "1ns",
            "1.5us",
            "100ms",
            "1.5s",
            "5m0s",
            "5m1s",
            "1h30m0s",
            "2h0m0.25s",
            "59.999s",
        ] {
            assert_eq!(DurationText(parse_duration(text).unwrap()).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(nanos in 0..=i64::MAX as u64) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(parse_duration(&DurationText(duration).to_string()), Ok(duration));
        }

        #[test]
        fn garbage_never_panics(text in "[-+0-9.nuµμmsh :e]{0,30}") {
            let _ = parse_duration(&text);
        }
    }
}
