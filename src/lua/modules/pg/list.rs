use std::fmt::Write;
use std::sync::Arc;

use super::instance::{self, ErrorOr};
use super::turn;
use super::{argument, fault};
use crate::id::{EntryId, GroupName, Origin};
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Stack};
use crate::pg::{Member, View};

/// `g:get_members(group)`
pub(super) fn get_members(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(
        host,
        members(host, stack, "get_members", |stack, view, group| {
            push_pids(stack, view.slots(group), view.members(group));
        }),
    )
}

/// `g:get_local_members(group)`
pub(super) fn get_local_members(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(
        host,
        members(host, stack, "get_local_members", |stack, view, group| {
            let slots = view.local(group).map_or(0, |members| members.slots());
            push_pids(stack, slots, view.local_members(group));
        }),
    )
}

/// `g:which_groups()`
pub(super) fn which_groups(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(
        host,
        groups(host, stack, "which_groups", |stack, view| {
            push_names(stack, view.groups());
        }),
    )
}

/// `g:which_local_groups()`
pub(super) fn which_local_groups(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(
        host,
        groups(host, stack, "which_local_groups", |stack, view| {
            push_names(stack, view.local_groups());
        }),
    )
}

fn members(
    host: &Host,
    stack: Stack<'_>,
    method: &str,
    push: fn(Stack<'_>, &View, &str),
) -> Result<Flow, ErrorOr> {
    let call = format!("pg.{method}");
    let scope = instance::scope(host, stack, &call)?;
    let group = argument::group(host, stack, 2, method)?;
    let groups = std::slice::from_ref(&group);
    instance::require_on_groups(host, &scope, &call, groups)?;
    scope
        .read(|view| push(stack, view, group.as_str()))
        .map_err(|error| fault::of_groups(&call, groups, &error))?;
    stack.push_nil();
    Ok(Flow::Return(2))
}

fn groups(
    host: &Host,
    stack: Stack<'_>,
    method: &str,
    push: fn(Stack<'_>, &View),
) -> Result<Flow, ErrorOr> {
    let call = format!("pg.{method}");
    let scope = instance::scope(host, stack, &call)?;
    let id = scope.id().as_str();
    instance::require_on_scope(host, &call, id)?;
    scope.read(|view| push(stack, view)).map_err(|error| fault::of_scope(&call, id, &error))?;
    stack.push_nil();
    Ok(Flow::Return(2))
}

fn push_names<'a>(stack: Stack<'_>, names: impl Iterator<Item = &'a GroupName>) {
    stack.new_table(0, 0);
    for (at, name) in names.enumerate() {
        stack.push_str(name.as_str());
        stack.raw_seti(-2, at as i64 + 1);
    }
}

/// Pushes a list of PIDs, each as often as the member joined. `slots` is how long it will be.
pub(super) fn push_pids<'a>(
    stack: Stack<'_>,
    slots: u64,
    members: impl Iterator<Item = (Member<'a>, u64)>,
) {
    stack.new_table(usize::try_from(slots).unwrap_or_default(), 0);
    let mut text = PidText::default();
    let mut at = 0;
    for (member, times) in members {
        stack.push_str(text.of(member));
        for _ in 1..times {
            at += 1;
            stack.push_value(-1);
            stack.raw_seti(-3, at);
        }
        at += 1;
        stack.raw_seti(-2, at);
    }
}

/// Pushes `{[group] = {pid, ...}}`.
pub(super) fn push_all(stack: Stack<'_>, view: &View) {
    stack.new_table(0, usize::try_from(view.group_count()).unwrap_or_default());
    for group in view.groups() {
        stack.push_str(group.as_str());
        push_pids(stack, view.slots(group.as_str()), view.members(group.as_str()));
        stack.raw_set(-3);
    }
}

/// Writes PIDs, most of which differ from the one before in their serial only.
#[derive(Default)]
struct PidText<'a> {
    of: Option<(&'a Arc<Origin>, &'a EntryId)>,
    prefix_bytes: usize,
    text: String,
}

impl<'a> PidText<'a> {
    fn of(&mut self, member: Member<'a>) -> &str {
        let same = self.of.is_some_and(|(origin, host)| {
            Arc::ptr_eq(origin, member.origin) && host == member.host
        });
        if !same {
            self.of = Some((member.origin, member.host));
            self.text = member.to_pid().to_string();
            self.prefix_bytes = self.text.rfind('.').map_or(0, |dot| dot + 1);
        }
        self.text.truncate(self.prefix_bytes);
        // Writing into a text cannot fail.
        let _ = write!(self.text, "{}}}", member.serial);
        &self.text
    }
}
