use super::send::undelivered;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Kind, Stack};
use crate::process::{Address, Signal, TieError, Undelivered};
use crate::value::{ErrorValue, kind};

/// `process.terminate(dest)`
pub fn terminate(host: &Host, stack: Stack<'_>) -> Flow {
    act(host, stack, "terminate", |host, target| signal(host, target, Signal::Terminate))
}

/// `process.cancel(dest, reason?)`
pub fn cancel(host: &Host, stack: Stack<'_>) -> Flow {
    let reason = match stack.kind(2) {
        Kind::None | Kind::Nil => String::new(),
        _ => match stack.str(2) {
            Some(reason) => String::from_utf8_lossy(reason).into_owned(),
            None => return host.wrong_type(stack, 2, "cancel", "string"),
        },
    };
    act(host, stack, "cancel", |host, target| {
        let from = host.pid_text(host.process().serial());
        signal(host, target, Signal::Cancel { from, reason })
    })
}

/// `process.monitor(dest)`
pub fn monitor(host: &Host, stack: Stack<'_>) -> Flow {
    act(host, stack, "monitor", |host, target| {
        host.worker().monitor(&host.process(), target).map_err(untied)
    })
}

/// `process.unmonitor(dest)`
pub fn unmonitor(host: &Host, stack: Stack<'_>) -> Flow {
    act(host, stack, "unmonitor", |host, target| {
        host.worker().unmonitor(&host.process(), target);
        Ok(())
    })
}

/// `process.link(dest)`
pub fn link(host: &Host, stack: Stack<'_>) -> Flow {
    act(host, stack, "link", |host, target| {
        host.worker().link_to(&host.process(), target).map_err(untied)
    })
}

/// `process.unlink(dest)`
pub fn unlink(host: &Host, stack: Stack<'_>) -> Flow {
    act(host, stack, "unlink", |host, target| {
        host.worker().unlink(&host.process(), target);
        Ok(())
    })
}

/// Resolves, checks `process.<verb>`, acts.
fn act(
    host: &Host,
    stack: Stack<'_>,
    verb: &str,
    act: impl FnOnce(&Host, &Address) -> Result<(), ErrorValue>,
) -> Flow {
    let Some(destination) = stack.str(1) else { return host.wrong_type(stack, 1, verb, "string") };
    let acted = host.resolve(destination).and_then(|target| {
        host.require_on(&target, &format!("process.{verb}"), || {
            format!("not allowed to {verb}: {}", String::from_utf8_lossy(destination))
        })?;
        act(host, &target)
    });
    match acted {
        Ok(()) => {
            stack.push_bool(true);
            stack.push_nil();
            Flow::Return(2)
        }
        Err(error) => host.fail(error),
    }
}

fn signal(host: &Host, target: &Address, signal: Signal) -> Result<(), ErrorValue> {
    host.worker().send_signal(target, signal).map_err(|why| untied(TieError::Unreachable(why)))
}

/// Failures after the checks carry kind Internal (process.md section 3), except for a node that
/// cannot be reached.
fn untied(why: TieError) -> ErrorValue {
    match why {
        TieError::Unreachable(why @ (Undelivered::Unreachable | Undelivered::Overloaded)) => {
            undelivered(why)
        }
        why => ErrorValue::new(kind::INTERNAL, why.to_string()),
    }
}
