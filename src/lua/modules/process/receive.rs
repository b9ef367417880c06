use std::cell::Cell;
use std::rc::Rc;

use crate::lua::channel::{Channel, Source};
use crate::lua::host::Host;
use crate::lua::modules::channel::{self, ChannelObject};
use crate::lua::raw::{Anchor, Flow, Kind, Stack};
use crate::process::Subscription;
use crate::value::{ErrorValue, kind};

/// `process.inbox()`
pub fn inbox(host: &Host, stack: Stack<'_>) -> Flow {
    subscribe(host, stack, Subscription::Inbox, true)
}

/// `process.events()`
pub fn events(host: &Host, stack: Stack<'_>) -> Flow {
    subscribe(host, stack, Subscription::Events, false)
}

/// `process.listen(topic, {message = true}?)`
pub fn listen(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(topic) = stack.str(1) else { return host.wrong_type(stack, 1, "listen", "string") };
    let invalid = |text: &str| host.fail(ErrorValue::new(kind::INVALID, text));
    let topic = match std::str::from_utf8(topic) {
        Ok("") => return invalid("topic cannot be empty"),
        Ok(topic) if topic.starts_with('@') => return invalid("cannot listen to @ topics"),
        Ok(topic) => topic,
        Err(_) => return invalid("topic is not valid UTF-8"),
    };
    let as_messages = match stack.kind(2) {
        Kind::None | Kind::Nil => false,
        Kind::Table => {
            stack.raw_field(2, "message");
            stack.truth(-1)
        }
        _ => return host.wrong_type(stack, 2, "listen", "table"),
    };
    let subscription = host.process().mailbox().borrow_mut().listen(topic);
    subscribe(host, stack, subscription, as_messages)
}

/// Pushes the channel of a subscription: the same one as long as it lasts.
fn subscribe(host: &Host, stack: Stack<'_>, subscription: Subscription, as_messages: bool) -> Flow {
    let body = host.current();
    let mut subscriptions = body.subscriptions.borrow_mut();
    if let Some((_, channel, anchor)) = subscriptions.iter().find(|(s, ..)| *s == subscription) {
        if let Source::Mailbox { as_messages: present, .. } = channel.source() {
            present.set(present.get() || as_messages);
        }
        anchor.push(stack);
        return Flow::Return(1);
    }
    let as_messages = Cell::new(as_messages);
    let channel = Channel::new(Source::Mailbox { subscription, as_messages });
    channel::push(stack, &channel);
    stack.push_value(-1);
    let anchor = Anchor::take(&host.lua, stack);
    subscriptions.push((subscription, channel, anchor));
    Flow::Return(1)
}

/// `process.unlisten(channel)`
pub fn unlisten(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(object) = stack.object::<ChannelObject>(1) else {
        return host.wrong_type(stack, 1, "unlisten", "channel");
    };
    let channel: Rc<Channel> = object.0.clone();
    let is_subscribed = matches!(channel.source(), Source::Mailbox { .. }) && !channel.is_closed();
    if is_subscribed {
        channel.close(&host.current());
        stack.push_bool(true);
        return Flow::Return(1);
    }
    stack.push_bool(false);
    host.push_error(stack, ErrorValue::new(kind::INVALID, "channel is not subscribed"));
    Flow::Return(2)
}
