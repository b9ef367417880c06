use smol_str::SmolStr;

use super::node::{Scalar, Spelling};

/// What a scalar stands for where nothing says which type is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Implied {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite decimal number.
    Float(f64),
    /// Text.
    Text(SmolStr),
}

/// Why a bare word has no safe reading where nothing says which type is wanted: it looks like a
/// number that would print differently, so it may well be a name (report R47).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{spelling}` may be a number or a name: write {advice}")]
pub struct Ambiguity {
    /// The word as written.
    pub spelling: SmolStr,
    /// The ways to say which one is meant.
    pub advice: String,
}

impl Scalar {
    /// Whether the value is missing: a bare `null`, `~` or nothing.
    pub fn is_null(&self) -> bool {
        self.spelling == Spelling::Plain && is_null(&self.text)
    }

    /// What the scalar stands for by itself. A bare word is a truth value, a number or nothing
    /// only if it is written the way that value prints; other bare words are text, and numbers in
    /// another notation (`0123`, `+1`, `0x1f`, `1.10`, `1e5`, `.5`, `.inf`) are refused.
    /// An [assigned](Spelling::Assigned) word follows cli.md section 9: what is not a canonical
    /// number or a truth value is text.
    ///
    /// # Errors
    /// [`Ambiguity`], with the ways out.
    pub fn implied(&self) -> Result<Implied, Ambiguity> {
        match &self.spelling {
            Spelling::Quoted => Ok(self.as_text()),
            Spelling::Assigned(_) => Ok(self.assigned()),
            Spelling::Plain => self.plain(),
        }
    }

    fn as_text(&self) -> Implied {
        Implied::Text(self.text.clone())
    }

    fn assigned(&self) -> Implied {
        let text = self.text.as_str();
        if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
            return Implied::Bool(text.eq_ignore_ascii_case("true"));
        }
        if let Some(value) = canonical_int(text) {
            return Implied::Int(value);
        }
        match finite(text).filter(|_| text.contains(['.', 'e', 'E'])) {
            Some(value) => Implied::Float(value),
            None => self.as_text(),
        }
    }

    fn plain(&self) -> Result<Implied, Ambiguity> {
        let text = self.text.as_str();
        match text {
            _ if is_null(text) => return Ok(Implied::Null),
            "true" | "True" | "TRUE" => return Ok(Implied::Bool(true)),
            "false" | "False" | "FALSE" => return Ok(Implied::Bool(false)),
            _ if !looks_numeric(text) => return Ok(self.as_text()),
            _ => {}
        }
        if let Some(value) = canonical_int(text) {
            return Ok(Implied::Int(value));
        }
        if let Some(value) = canonical_float(text) {
            return Ok(Implied::Float(value));
        }
        let quoted = format!("\"{text}\" for the name");
        let advice = match number_text(text) {
            Some(number) if number != text => format!("{quoted}, {number} for the number"),
            _ => quoted,
        };
        Err(Ambiguity { spelling: self.text.clone(), advice })
    }
}

/// The value of `text` if it is a whole number without sign `+`, leading zeros or another base.
pub(super) fn canonical_int(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = match digits.as_bytes() {
        [b'0'] => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    canonical.then(|| text.parse().ok()).flatten()
}

/// The value of a decimal number in any usual notation, if it is finite.
pub(super) fn finite(text: &str) -> Option<f64> {
    let starts_like_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.');
    let digits_first = text.starts_with(starts_like_number) && !text.contains(['i', 'n', 'N']);
    digits_first.then(|| text.parse().ok()).flatten().filter(|value: &f64| value.is_finite())
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A decimal number whose fraction does not end in a zero that printing would drop.
fn canonical_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.')?;
    let plain_whole = canonical_int(whole).is_some() || whole == "-0";
    let plain_fraction = fraction == "0" || !fraction.ends_with('0');
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let plain_exponent = canonical_int(exponent_digits).is_some();
    (plain_whole && plain_fraction && digits && plain_exponent).then(|| finite(text)).flatten()
}

/// Whether YAML 1.1 or 1.2 would make a number of the bare word `text`.
fn looks_numeric(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let based = |prefixes: [&str; 2], radix: u32| {
        prefixes.iter().find_map(|prefix| unsigned.strip_prefix(prefix)).is_some_and(|digits| {
            !digits.is_empty() && digits.chars().all(|c| c == '_' || c.is_digit(radix))
        })
    };
    let special = matches!(unsigned.to_ascii_lowercase().as_str(), ".inf" | ".nan");
    let starts_well = unsigned.starts_with(|c: char| c.is_ascii_digit())
        || unsigned
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let decimal = starts_well && unsigned.replace('_', "").parse::<f64>().is_ok();
    special
        || decimal
        || based(["0x", "0X"], 16)
        || based(["0o", "0O"], 8)
        || based(["0b", "0B"], 2)
}

/// How to write the number that `text` stands for, if that is certain.
fn number_text(text: &str) -> Option<String> {
    let octal_like = text.trim_start_matches(['-', '+']).starts_with('0') && !text.contains('.');
    if octal_like || text.contains('_') {
        return None;
    }
    if let Ok(value) = text.parse::<i64>() {
        return Some(value.to_string());
    }
    let value = finite(text)?;
    let short = format!("{value:?}");
    Some(if short.contains('e') && !short.contains('.') {
        short.replacen('e', ".0e", 1)
    } else {
        short
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Result<Implied, Ambiguity> {
        Scalar { text: text.into(), spelling: Spelling::Plain }.implied()
    }

    #[test]
    fn canonical_spellings_have_a_type() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Ok(Implied::Null), "{text}");
        }
        assert_eq!(plain("true"), Ok(Implied::Bool(true)));
        assert_eq!(plain("FALSE"), Ok(Implied::Bool(false)));
        for (text, value) in [("0", 0), ("-7", -7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(plain(text), Ok(Implied::Int(value)), "{text}");
        }
        for (text, value) in [
            ("1.5", 1.5),
            ("-0.25", -0.25),
            ("-0.5", -0.5),
            ("3.0", 3.0),
            ("1.5e300", 1.5e300),
            ("6.02E-3", 6.02e-3),
        ] {
            assert_eq!(plain(text), Ok(Implied::Float(value)), "{text}");
        }
    }

    #[test]
    fn words_that_other_parsers_bend_stay_text() {
        for text in [
            "no",
            "No",
            "NO",
            "yes",
            "on",
            "off",
            "y",
            "n",
            "12:30",
            "1:30:00",
            "2001-01-01",
            "1.2.3",
            "nullish",
            "inf",
            "nan",
            "infinity",
            "0xzz",
            "1_a",
            "-",
            "+",
            ".",
            "e5",
            "0b12",
        ] {
            assert_eq!(plain(text), Ok(Implied::Text(text.into())), "{text}");
        }
    }

    #[test]
    fn other_notations_of_numbers_are_refused_with_advice() {
        for text in [
            "0123",
            "+0123",
            "0o17",
            "0x1f",
            "0b11",
            "1e5",
            "1.10",
            "+1",
            ".5",
            "1.",
            "1_000",
            "-0123",
            "1.0e007",
            ".inf",
            "-.INF",
            ".nan",
            "1e999",
            "9223372036854775808",
            "00",
        ] {
            let problem = plain(text).unwrap_err();
            assert!(problem.advice.starts_with(&format!("\"{text}\"")), "{problem}");
        }
        let advice = |text| plain(text).unwrap_err().advice;
        assert_eq!(advice("1e5"), "\"1e5\" for the name, 100000.0 for the number");
        assert_eq!(advice("1e99"), "\"1e99\" for the name, 1.0e99 for the number");
        assert_eq!(advice("1.10"), "\"1.10\" for the name, 1.1 for the number");
        assert_eq!(advice("+7"), "\"+7\" for the name, 7 for the number");
        assert_eq!(advice("0123"), "\"0123\" for the name");
    }

    #[test]
    fn assigned_words_follow_the_rules_of_the_command_line() {
        let assigned = |text: &str| {
            Scalar { text: text.into(), spelling: Spelling::Assigned(None) }.implied().unwrap()
        };
        assert_eq!(assigned("TRUE"), Implied::Bool(true));
        assert_eq!(assigned("False"), Implied::Bool(false));
        assert_eq!(assigned("42"), Implied::Int(42));
        assert_eq!(assigned("1e3"), Implied::Float(1000.0));
        assert_eq!(assigned("1.10"), Implied::Float(1.1));
        for text in ["007", "", "null", "~", "no", "0x10", "inf", "nan", ".inf", "1h"] {
            assert_eq!(assigned(text), Implied::Text(text.into()), "{text}");
        }
    }
}
