//! The stable identifiers of the problems that a registry can have, besides those of any
//! [document](crate::document::code). Tools may rely on them.

/// The registry directory does not exist or has no entry file.
pub const NO_REGISTRY: &str = "no-registry";
/// A symbolic link that leads out of the registry directory.
pub const LINK_LEAVES_ROOT: &str = "link-leaves-root";
/// A file with entries but without a namespace.
pub const NO_NAMESPACE: &str = "no-namespace";
/// A namespace, name or id with characters that are not allowed.
pub const BAD_ID: &str = "bad-id";
/// A file whose `version` is not 1.0.
pub const BAD_VERSION: &str = "bad-version";
/// An entry with both `data` and other fields.
pub const MIXED_DATA: &str = "mixed-data";
/// A kind that does not exist.
pub const UNKNOWN_KIND: &str = "unknown-kind";
/// Two entries with one id.
pub const DUPLICATE_ENTRY: &str = "duplicate-entry";
/// A `file://` value whose file cannot be read.
pub const FILE_MISSING: &str = "file-missing";
/// A `file://` value that leads out of the registry directory.
pub const FILE_ESCAPES: &str = "file-escapes";
/// A reference to an entry that does not exist.
pub const MISSING_REFERENCE: &str = "missing-reference";
/// A reference to an entry of a kind that does not fit.
pub const WRONG_REFERENCE: &str = "wrong-reference";
/// Entries that import each other in a circle.
pub const IMPORT_CYCLE: &str = "import-cycle";
/// Services that require each other in a circle.
pub const REQUIRES_CYCLE: &str = "requires-cycle";
/// An import under the name of a listed module.
pub const ALIAS_CLASH: &str = "alias-clash";
/// A module that does not exist.
pub const UNKNOWN_MODULE: &str = "unknown-module";
/// A module that is listed twice.
pub const DUPLICATE_MODULE: &str = "duplicate-module";
/// An override whose key is not `namespace:name:path`.
pub const BAD_OVERRIDE: &str = "bad-override";
/// An override of an entry that does not exist.
pub const OVERRIDE_TARGET: &str = "override-target";
/// A pattern that cannot match as written.
pub const BAD_PATTERN: &str = "bad-pattern";
/// A condition of a policy that could never be evaluated.
pub const BAD_CONDITION: &str = "bad-condition";
/// A deny rule that matches less than it seems to.
pub const NARROW_DENY: &str = "narrow-deny";
/// Two entries with one command name.
pub const DUPLICATE_COMMAND: &str = "duplicate-command";
/// Two variables with one public name.
pub const DUPLICATE_VARIABLE: &str = "duplicate-variable";
