use super::instance::{self, ErrorOr};
use super::turn::{self, Call, Finish};
use super::{argument, fault};
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Stack};
use crate::scope::{Operation, Reply};

/// `g:join(group or {groups})`
pub(super) fn join(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(host, change::<Join>(host, stack, "join"))
}

/// `g:leave(group or {groups})`
pub(super) fn leave(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(host, change::<Leave>(host, stack, "leave"))
}

struct Join;
struct Leave;

trait Change: Finish {
    const CALL: &'static str;
    fn operation(groups: Vec<crate::id::GroupName>) -> Operation;
}

impl Change for Join {
    const CALL: &'static str = "pg.join";
    fn operation(groups: Vec<crate::id::GroupName>) -> Operation {
        Operation::Join(groups)
    }
}

impl Change for Leave {
    const CALL: &'static str = "pg.leave";
    fn operation(groups: Vec<crate::id::GroupName>) -> Operation {
        Operation::Leave(groups)
    }
}

fn change<C: Change>(host: &Host, stack: Stack<'_>, method: &str) -> Result<Flow, ErrorOr> {
    let scope = instance::scope(host, stack, C::CALL)?;
    let groups = argument::groups(host, stack, 2, method)?;
    instance::require_on_groups(host, &scope, C::CALL, &groups)?;
    host.process().hook_exit();
    let operation = C::operation(groups.clone());
    Ok(turn::take::<C>(host, stack, Call { scope, groups, message: None }, operation))
}

impl Finish for Join {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        changed::<Self>(host, stack, &call, reply)
    }
}

impl Finish for Leave {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        changed::<Self>(host, stack, &call, reply)
    }
}

fn changed<C: Change>(host: &Host, stack: Stack<'_>, call: &Call, reply: Reply) -> Flow {
    match reply {
        Ok(_) => {
            stack.push_bool(true);
            stack.push_nil();
            Flow::Return(2)
        }
        Err(error) => host.fail(fault::of_groups(C::CALL, &call.groups, &error)),
    }
}
