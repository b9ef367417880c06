use super::copy_arguments;
use crate::lua::body::Upgrade;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Kind, Stack};
use crate::process::Outcome;
use crate::value::{ErrorValue, kind};

/// `process.upgrade(id | nil, ...)`: other code under the same PID (process.md section 10). Never
/// returns if it succeeds.
pub fn upgrade(host: &Host, stack: Stack<'_>) -> Flow {
    let body = host.current();
    let id = match stack.kind(1) {
        Kind::None | Kind::Nil => body.program().id.to_string(),
        _ => match stack.text(1) {
            Some(id) => id.to_owned(),
            None => return host.wrong_type(stack, 1, "upgrade", "string"),
        },
    };
    let arguments = match copy_arguments(host, stack, 2, "process.upgrade") {
        Ok(arguments) => arguments,
        Err(error) => return host.fail(error),
    };
    let Some(ticket) = host.begin_wait(stack) else {
        return host.cannot_wait(stack, "process.upgrade");
    };
    body.give_up_hope(ticket);
    match host.services().programs.get(&id) {
        Some(program) => {
            *body.upgrade.borrow_mut() = Some(Box::new(Upgrade { program, arguments }));
        }
        None => {
            let text = format!("upgrade: create failed: no entry \"{id}\" with code");
            body.fail(Outcome::Failed(ErrorValue::new(kind::NOT_FOUND, text)));
        }
    }
    Flow::Wait(never)
}

fn never(host: &Host, stack: Stack<'_>) -> Flow {
    host.cannot_wait(stack, "process.upgrade")
}
