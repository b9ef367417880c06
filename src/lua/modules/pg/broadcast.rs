use super::instance::{self, ErrorOr};
use super::turn::{self, Call, Finish};
use super::{argument, fault};
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Stack, copy_out};
use crate::pg::Reach;
use crate::pg::message::MAX_TOPIC_BYTES;
use crate::process::Message;
use crate::scope::{Answer, Operation, Reply};
use crate::value::{ErrorValue, kind};

/// `g:broadcast(group, topic, ...)`
pub(super) fn broadcast(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(host, send::<Everywhere>(host, stack))
}

/// `g:broadcast_local(group, topic, ...)`
pub(super) fn broadcast_local(host: &Host, stack: Stack<'_>) -> Flow {
    turn::begin(host, send::<Here>(host, stack))
}

struct Everywhere;
struct Here;

trait Broadcast: Finish {
    const METHOD: &'static str;
    const CALL: &'static str;
    const REACH: Reach;
}

impl Broadcast for Everywhere {
    const METHOD: &'static str = "broadcast";
    const CALL: &'static str = "pg.broadcast";
    const REACH: Reach = Reach::Cluster;
}

impl Broadcast for Here {
    const METHOD: &'static str = "broadcast_local";
    const CALL: &'static str = "pg.broadcast_local";
    const REACH: Reach = Reach::Node;
}

fn send<B: Broadcast>(host: &Host, stack: Stack<'_>) -> Result<Flow, ErrorOr> {
    let scope = instance::scope(host, stack, B::CALL)?;
    let group = argument::group(host, stack, 2, B::METHOD)?;
    let topic = argument::text(host, stack, 3, B::METHOD, "topic")?;
    check_topic(B::CALL, topic)?;
    instance::require_on_groups(host, &scope, B::CALL, std::slice::from_ref(&group))?;
    let values = copy_out(host, stack, 4)
        .map_err(|error| ErrorValue::new(kind::INVALID, format!("{}: {error}", B::CALL)))?;
    let source = host.process().serial().into();
    let message = Some(Message { source, topic: topic.into(), values });
    let operation = Operation::Broadcast(group.clone(), B::REACH);
    let call = Call { scope, groups: vec![group], message };
    Ok(turn::take::<B>(host, stack, call, operation))
}

fn check_topic(call: &str, topic: &str) -> Result<(), ErrorValue> {
    let invalid = |what: String| Err(ErrorValue::new(kind::INVALID, format!("{call}: {what}")));
    match topic {
        "" => invalid("the topic is empty".to_owned()),
        _ if topic.starts_with('@') => {
            invalid("topics that start with \"@\" are the system's".to_owned())
        }
        _ if topic.len() > MAX_TOPIC_BYTES => {
            let bytes = topic.len();
            invalid(format!("the topic has {bytes} bytes, at most {MAX_TOPIC_BYTES} are allowed"))
        }
        _ => Ok(()),
    }
}

impl Finish for Everywhere {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        deliver::<Self>(host, stack, &call, reply)
    }
}

impl Finish for Here {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        deliver::<Self>(host, stack, &call, reply)
    }
}

fn deliver<B: Broadcast>(host: &Host, stack: Stack<'_>, call: &Call, reply: Reply) -> Flow {
    let addressed = match reply {
        Ok(Answer::Addressed(addressed)) => addressed,
        Ok(_) => return host.fail(ErrorValue::new(kind::INTERNAL, "the scope did something else")),
        Err(error) => return host.fail(fault::of_groups(B::CALL, &call.groups, &error)),
    };
    if let (Some(message), [group]) = (&call.message, call.groups.as_slice()) {
        let sender = host.process().serial();
        call.scope.deliver(&addressed, &*host.worker(), (sender, group), message);
    }
    stack.push_bool(true);
    stack.push_nil();
    stack.push_int(i64::try_from(addressed.slots()).unwrap_or(i64::MAX));
    Flow::Return(3)
}
