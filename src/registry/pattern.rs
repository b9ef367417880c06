use regex::{Regex, RegexBuilder};

/// Largest compiled form of a regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Compiles a regular expression that needs linear time and little memory.
///
/// # Errors
/// What is wrong with it, in one line.
pub(super) fn regex(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).build().map_err(|error| {
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_owned()
    })
}
