use std::ffi::CStr;
use std::sync::Arc;

use super::instance::{self, ErrorOr};
use super::list::{push_all, push_pids};
use super::turn::{self, Call, Finish};
use super::{argument, fault};
use crate::lua::channel::{Channel, Form, Source};
use crate::lua::host::Host;
use crate::lua::modules::channel;
use crate::lua::raw::{Flow, Kind, Object, Stack};
use crate::pg::SubscriptionId;
use crate::process::Feed;
use crate::scope::{Answer, Operation, Reply, Scope, Subscribed};
use crate::value::{ErrorValue, kind};

/// `g:monitor(group)`
pub(super) fn monitor(host: &Host, stack: Stack<'_>) -> Flow {
    begin(host, stack, start_monitor(host, stack))
}

/// `g:events()`
pub(super) fn events(host: &Host, stack: Stack<'_>) -> Flow {
    begin(host, stack, start_events(host, stack))
}

/// What scripts hold. Its user value is the channel.
pub(super) struct SubscriptionObject {
    feed: Arc<Feed>,
    scope: Arc<Scope>,
    id: SubscriptionId,
}

impl Object for SubscriptionObject {
    const NAME: &'static CStr = c"moonmesh.pg.subscription";
    const LABEL: &'static str = "pg.Subscription";
    const USER_VALUES: i32 = 1;
}

/// Ends the subscription when its channel is collected: nobody can receive from it any more.
struct Ender {
    scope: Arc<Scope>,
    id: SubscriptionId,
}

impl Drop for Ender {
    fn drop(&mut self) {
        self.scope.unsubscribe(self.id);
    }
}

fn start_monitor(host: &Host, stack: Stack<'_>) -> Result<Flow, ErrorOr> {
    let scope = instance::scope(host, stack, Monitor::CALL)?;
    let group = argument::group(host, stack, 2, "monitor")?;
    let groups = vec![group.clone()];
    instance::require_on_groups(host, &scope, Monitor::CALL, &groups)?;
    host.process().hook_exit();
    let call = Call { scope, groups, message: None };
    Ok(turn::take::<Monitor>(host, stack, call, Operation::Monitor(group)))
}

fn start_events(host: &Host, stack: Stack<'_>) -> Result<Flow, ErrorOr> {
    let scope = instance::scope(host, stack, Events::CALL)?;
    instance::require_on_scope(host, Events::CALL, scope.id().as_str())?;
    host.process().hook_exit();
    let call = Call { scope, groups: Vec::new(), message: None };
    Ok(turn::take::<Events>(host, stack, call, Operation::Events))
}

/// Errors are the third result here.
fn begin(host: &Host, stack: Stack<'_>, begun: Result<Flow, ErrorOr>) -> Flow {
    match begun {
        Ok(flow) | Err(ErrorOr::Flow(flow)) => flow,
        Err(ErrorOr::Error(error)) => fail(host, stack, error),
    }
}

fn fail(host: &Host, stack: Stack<'_>, error: ErrorValue) -> Flow {
    stack.push_nil();
    stack.push_nil();
    host.push_error(stack, error);
    Flow::Return(3)
}

struct Monitor;
struct Events;

impl Monitor {
    const CALL: &'static str = "pg.monitor";
}

impl Events {
    const CALL: &'static str = "pg.events";
}

impl Finish for Monitor {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        match subscribed(reply, |error| fault::of_groups(Self::CALL, &call.groups, error)) {
            Ok(subscribed) => {
                push(stack, &call.scope, &subscribed);
                let group = call.groups.first().map_or("", |group| group.as_str());
                let view = &subscribed.view;
                push_pids(stack, view.slots(group), view.members(group));
                stack.push_nil();
                Flow::Return(3)
            }
            Err(error) => fail(host, stack, error),
        }
    }
}

impl Finish for Events {
    fn finish(host: &Host, stack: Stack<'_>, call: Call, reply: Reply) -> Flow {
        let id = call.scope.id().as_str();
        match subscribed(reply, |error| fault::of_scope(Self::CALL, id, error)) {
            Ok(subscribed) => {
                push(stack, &call.scope, &subscribed);
                push_all(stack, &subscribed.view);
                stack.push_nil();
                Flow::Return(3)
            }
            Err(error) => fail(host, stack, error),
        }
    }
}

fn subscribed(
    reply: Reply,
    fault: impl FnOnce(&crate::scope::ScopeError) -> ErrorValue,
) -> Result<Subscribed, ErrorValue> {
    match reply {
        Ok(Answer::Subscribed(subscribed)) => Ok(subscribed),
        Ok(_) => Err(ErrorValue::new(kind::INTERNAL, "the scope did something else")),
        Err(error) => Err(fault(&error)),
    }
}

/// Pushes a subscription and makes its channel.
fn push(stack: Stack<'_>, scope: &Arc<Scope>, subscribed: &Subscribed) {
    let (feed, id) = (subscribed.feed.clone(), subscribed.id);
    let object = SubscriptionObject { feed: feed.clone(), scope: scope.clone(), id };
    stack.push_object(object);
    let ender = Ender { scope: scope.clone(), id };
    let source = Source::Feed { feed, form: Form::Value, guard: Some(Box::new(ender)) };
    channel::push(stack, &Channel::new(source));
    stack.set_user_value(-2, 1);
}

fn own<'a>(host: &Host, stack: Stack<'a>, method: &str) -> Result<&'a SubscriptionObject, Flow> {
    stack.object::<SubscriptionObject>(1).ok_or_else(|| {
        let text = format!("calling '{method}' on a value that is no pg subscription");
        host.raise(stack, &text)
    })
}

/// `sub:channel()`
pub(super) fn channel(host: &Host, stack: Stack<'_>) -> Flow {
    if let Err(flow) = own(host, stack, "channel") {
        return flow;
    }
    stack.push_user_value(1, 1);
    Flow::Return(1)
}

/// `sub:dropped()`
pub(super) fn dropped(host: &Host, stack: Stack<'_>) -> Flow {
    match own(host, stack, "dropped") {
        Ok(subscription) => {
            stack.push_int(i64::try_from(subscription.feed.dropped()).unwrap_or(i64::MAX));
            Flow::Return(1)
        }
        Err(flow) => flow,
    }
}

/// `sub:close()`, `sub:close({flush = true})`
pub(super) fn close(host: &Host, stack: Stack<'_>) -> Flow {
    let subscription = match own(host, stack, "close") {
        Ok(subscription) => subscription,
        Err(flow) => return flow,
    };
    let flushes = match stack.kind(2) {
        Kind::None | Kind::Nil => false,
        Kind::Table => {
            stack.raw_field(2, "flush");
            stack.truth(-1)
        }
        _ => return host.wrong_type(stack, 2, "close", "table"),
    };
    subscription.feed.close();
    if flushes {
        subscription.feed.flush();
    }
    subscription.scope.unsubscribe(subscription.id);
    stack.push_bool(true);
    Flow::Return(1)
}
