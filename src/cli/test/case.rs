use crate::cli::load::Loaded;

/// One spec file or test entry, ready to be run.
pub(super) struct Case {
    /// As it appears in reports.
    pub(super) path: String,
    /// The Lua text, or why there is none.
    pub(super) source: Result<String, String>,
    /// For an entry: the name of its test and the function to call.
    pub(super) entry: Option<(String, String)>,
    /// What its node runs, or what is wrong with that.
    pub(super) node: Result<Loaded, String>,
}
