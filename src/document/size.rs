/// Why a text is not an amount of memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Not a number with an optional unit.
    #[error("{0:?} is not a size: write bytes, or a number with K, M, G or T, such as 64M or 1GiB")]
    Shape(String),
    /// More than 2^63 - 1 bytes.
    #[error("{0:?} is more than 2^63 - 1 bytes")]
    TooLarge(String),
}

/// Reads an amount of memory in bytes: a whole number, optionally followed by `K`, `M`, `G` or `T`
/// (powers of 1024, in either case), which may be followed by `B` or `iB`.
///
/// # Errors
/// [`SizeError`] for anything else and beyond 2^63 - 1.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return Err(SizeError::Shape(text.to_owned()));
    }
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(SizeError::Shape(text.to_owned())),
    };
    let too_large = || SizeError::TooLarge(text.to_owned());
    let number: u64 = number.parse().map_err(|_| too_large())?;
    let bytes = number.checked_mul(1 << shift).ok_or_else(too_large)?;
    if bytes > i64::MAX as u64 { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("512B", 512),
            ("64M", 64 << 20),
            ("64mb", 64 << 20),
            ("1GiB", 1 << 30),
            ("2t", 2 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "-1", "1.5G", "1 G", "1X", "1e3"] {
            assert_eq!(parse_size(bad), Err(SizeError::Shape(bad.to_owned())));
        }
        for large in ["9223372036854775808", "99999999999999999999", "9000000T"] {
            assert_eq!(parse_size(large), Err(SizeError::TooLarge(large.to_owned())));
        }
    }
}
