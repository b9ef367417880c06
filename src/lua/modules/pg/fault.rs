use crate::id::GroupName;
use crate::scope::ScopeError;
use crate::value::{Encoder, ErrorValue, kind};

/// What scripts are told of an operation on groups that failed: `call` as in `pg.join`.
pub(super) fn of_groups(call: &str, groups: &[GroupName], error: &ScopeError) -> ErrorValue {
    let on = match (error, groups) {
        (ScopeError::TooManyGroups { group, .. } | ScopeError::TooManyMembers { group, .. }, _) => {
            format!("group \"{group}\"")
        }
        (_, [group]) => format!("group \"{group}\""),
        (_, groups) => {
            let names: Vec<String> = groups.iter().map(|group| format!("\"{group}\"")).collect();
            format!("groups {}", names.join(", "))
        }
    };
    let what = match (error, groups.len()) {
        (ScopeError::NotJoined, 2..) => "a member of none of them".to_owned(),
        _ => error.to_string(),
    };
    build(error, format!("{call}: {on}: {what}"))
}

/// What scripts are told of an operation on a whole scope that failed.
pub(super) fn of_scope(call: &str, scope: &str, error: &ScopeError) -> ErrorValue {
    build(error, format!("{call}: scope \"{scope}\": {error}"))
}

fn build(error: &ScopeError, text: String) -> ErrorValue {
    match error {
        ScopeError::Stopped | ScopeError::Full { .. } => {
            ErrorValue::new(kind::UNAVAILABLE, text).retryable()
        }
        ScopeError::NotJoined => ErrorValue::new(kind::INVALID, text),
        ScopeError::CallerGone => ErrorValue::new(kind::CANCELED, text),
        ScopeError::TooManyGroups { limit, .. } => limited(text, "max_groups", *limit),
        ScopeError::TooManyMembers { limit, .. } => limited(text, "max_members_per_group", *limit),
    }
}

fn limited(text: String, limit: &str, value: u64) -> ErrorValue {
    let mut details = Encoder::new();
    let (_, table) = details.begin_table();
    details.str(b"limit");
    details.str(limit.as_bytes());
    details.str(b"value");
    details.int(value as i64);
    details.end_table(table, 0, 2);
    ErrorValue::new(kind::RATE_LIMITED, text).with_details(details.finish())
}
