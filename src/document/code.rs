//! The stable identifiers of the problems that a document can have. Tools may rely on them.

/// The text is not YAML.
pub const YAML_SYNTAX: &str = "yaml-syntax";
/// A map has the same key twice.
pub const DUPLICATE_KEY: &str = "duplicate-key";
/// A key is not plain text.
pub const BAD_KEY: &str = "bad-key";
/// A file holds more than one document.
pub const MULTIPLE_DOCUMENTS: &str = "multiple-documents";
/// A file is longer than its limit, or has too many values.
pub const TOO_LARGE: &str = "too-large";
/// Lists and maps are nested beyond the limit.
pub const TOO_DEEP: &str = "too-deep";
/// An alias has no anchor, or stands inside what it refers to.
pub const BAD_ALIAS: &str = "bad-alias";
/// A merge key (`<<`) whose value cannot be merged.
pub const BAD_MERGE: &str = "bad-merge";
/// A tag (`!name`) that is not known.
pub const UNSUPPORTED_TAG: &str = "unsupported-tag";
/// A file cannot be read.
pub const UNREADABLE: &str = "unreadable";
/// A file is not UTF-8 text.
pub const NOT_UTF8: &str = "not-utf8";
/// A field that does not exist here.
pub const UNKNOWN_FIELD: &str = "unknown-field";
/// A field that must be given.
pub const MISSING_FIELD: &str = "missing-field";
/// A value of the wrong type.
pub const WRONG_TYPE: &str = "wrong-type";
/// A value that can be read in more than one way: it has to be quoted.
pub const AMBIGUOUS_VALUE: &str = "ambiguous-value";
/// A text that is not a duration.
pub const BAD_DURATION: &str = "bad-duration";
/// A number or duration outside of what the field allows.
pub const OUT_OF_RANGE: &str = "out-of-range";
/// A value that the field does not allow for another reason.
pub const INVALID_VALUE: &str = "invalid-value";
/// An assignment on the command line that is not `key=value`.
pub const BAD_ASSIGNMENT: &str = "bad-assignment";
