use std::time::Duration;

use crate::document::{DurationText, Field, Fields, Zero, code};

/// Two positive durations of which the second may not be shorter; each a field's name and default.
pub(super) fn delays(
    fields: &mut Fields<'_>,
    (low_name, low_default): (&'static str, Duration),
    (high_name, high_default): (&'static str, Duration),
) -> (Duration, Duration) {
    let low = fields.optional(low_name);
    let high = fields.optional(high_name);
    let read = |field: &Option<Field<'_>>, default| match field {
        Some(field) => field.duration(Zero::Refused),
        None => Some(default),
    };
    let (low_value, high_value) = (read(&low, low_default), read(&high, high_default));
    if let (Some(low_value), Some(high_value)) = (low_value, high_value)
        && low_value > high_value
        && let Some(field) = high.as_ref().or(low.as_ref())
    {
        let text = |name: &str, value, given: &Option<Field<'_>>| match given {
            Some(_) => format!("`{name}` ({})", DurationText(value)),
            None => format!("`{name}` ({}, the default)", DurationText(value)),
        };
        refuse(field, &text(low_name, low_value, &low), &text(high_name, high_value, &high));
    }
    (low_value.unwrap_or(low_default), high_value.unwrap_or(high_default))
}

/// Two positive counts of which the second may not be smaller. If only one is given, the other
/// gives way: it is its default, or the given one where that would be out of order.
pub(super) fn counts(
    fields: &mut Fields<'_>,
    (low_name, low_default): (&'static str, u32),
    (high_name, high_default): (&'static str, u32),
) -> (u32, u32) {
    let low = fields.optional(low_name);
    let high = fields.optional(high_name);
    let read = |field: &Option<Field<'_>>| field.as_ref().map(|f| f.integer(1..=u32::MAX));
    match (read(&low), read(&high)) {
        (None, None) => (low_default, high_default),
        (Some(Some(low)), None) => (low, high_default.max(low)),
        (None, Some(Some(high))) => (low_default.min(high), high),
        (Some(Some(low_value)), Some(Some(high_value))) if low_value > high_value => {
            let text = |name, value| format!("`{name}` ({value})");
            if let Some(field) = high {
                refuse(&field, &text(low_name, low_value), &text(high_name, high_value));
            }
            (low_default, high_default)
        }
        (Some(Some(low)), Some(Some(high))) => (low, high),
        _ => (low_default, high_default),
    }
}

fn refuse(field: &Field<'_>, low: &str, high: &str) {
    field.refuse::<()>(code::OUT_OF_RANGE, format!("{low} is more than {high}"));
}
