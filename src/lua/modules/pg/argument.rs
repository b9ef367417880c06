use super::instance::ErrorOr;
use crate::id::{GroupName, GroupNameError};
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Kind, Stack};
use crate::value::{ErrorValue, kind};

/// The plain text argument at `index`: missing is `Invalid`, another type raises.
pub(super) fn text<'a>(
    host: &Host,
    stack: Stack<'a>,
    index: i32,
    function: &str,
    what: &str,
) -> Result<&'a str, ErrorOr> {
    match stack.kind(index) {
        Kind::None | Kind::Nil => {
            let text = format!("pg.{function}: the {what} is missing");
            Err(ErrorValue::new(kind::INVALID, text).into())
        }
        Kind::String => stack.text(index).ok_or_else(|| {
            let text = format!("pg.{function}: the {what} is not valid UTF-8");
            ErrorValue::new(kind::INVALID, text).into()
        }),
        // Arguments are counted as the caller of a method sees them.
        _ if index > 1 => Err(raise_type(host, stack, index, function).into()),
        _ => Err(host.wrong_type(stack, index, function, "string").into()),
    }
}

/// The one group at `index`.
pub(super) fn group(
    host: &Host,
    stack: Stack<'_>,
    index: i32,
    function: &str,
) -> Result<GroupName, ErrorOr> {
    let text = text(host, stack, index, function, "group")?;
    text.parse().map_err(|error| bad_name(function, &error).into())
}

/// The group or list of groups at `index`.
pub(super) fn groups(
    host: &Host,
    stack: Stack<'_>,
    index: i32,
    function: &str,
) -> Result<Vec<GroupName>, ErrorOr> {
    if stack.kind(index) != Kind::Table {
        return group(host, stack, index, function).map(|group| vec![group]);
    }
    let invalid = |what: String| -> ErrorOr {
        ErrorValue::new(kind::INVALID, format!("pg.{function}: {what}")).into()
    };
    let keys = count_keys(stack, index);
    if keys == 0 {
        return Err(invalid("the list of groups is empty".to_owned()));
    }
    let mut groups = Vec::with_capacity(keys);
    for at in 1..=keys {
        let found = stack.raw_geti(index, at as i64);
        let name = match found {
            Kind::String => stack.text(-1).map(str::to_owned),
            Kind::Nil => {
                let what = format!("groups[{at}] is missing: a list of names without holes");
                return Err(invalid(format!("{what} is expected")));
            }
            other => {
                let what = format!("groups[{at}] is a {}, not a string", other.name());
                return Err(invalid(what));
            }
        };
        stack.pop();
        let Some(name) = name else {
            return Err(invalid(format!("groups[{at}] is not valid UTF-8")));
        };
        match name.parse() {
            Ok(group) => groups.push(group),
            Err(error) => return Err(invalid(format!("groups[{at}]: {error}"))),
        }
    }
    Ok(groups)
}

fn count_keys(stack: Stack<'_>, table: i32) -> usize {
    let mut keys = 0;
    stack.push_nil();
    while stack.next(table) {
        keys += 1;
        stack.pop();
    }
    keys
}

fn bad_name(function: &str, error: &GroupNameError) -> ErrorValue {
    ErrorValue::new(kind::INVALID, format!("pg.{function}: {error}"))
}

fn raise_type(host: &Host, stack: Stack<'_>, index: i32, function: &str) -> Flow {
    let got = stack.kind(index).name();
    let text = format!("bad argument #{} to '{function}' (string expected, got {got})", index - 1);
    host.raise(stack, &text)
}
