//! The `channel` module (channel.md) and the methods of channels, timers' channels included.

use std::ffi::CStr;
use std::rc::Rc;

use crate::lua::body::LuaBody;
use crate::lua::channel::{Channel, Form, Item, Received, Sent, Source, Woken};
use crate::lua::host::Host;
use crate::lua::raw::{self, Flow, Kind, Object, Stack};
use crate::process::Ticket;
use crate::value::{ErrorValue, Values, kind};

/// A channel as scripts hold it. Its user value is the table that keeps the values under way.
pub struct ChannelObject(pub Rc<Channel>);

impl Object for ChannelObject {
    const NAME: &'static CStr = c"moonmesh.channel";
    const LABEL: &'static str = "channel";
    const USER_VALUES: i32 = 1;
}

/// One case of a select. Its user values are the channel and the value to be sent.
struct Case {
    is_send: bool,
}

impl Object for Case {
    const NAME: &'static CStr = c"moonmesh.channel.case";
    const LABEL: &'static str = "channel.case";
    const USER_VALUES: i32 = 2;
}

const CLOSED: &str = "send on closed channel";

/// The module's table; registers the types.
///
/// # Errors
/// Out of memory.
pub fn table(host: &Rc<Host>) -> mlua::Result<mlua::Table> {
    let lua = &host.lua;
    let methods = lua.create_table()?;
    methods.raw_set("send", host.primitive(send)?)?;
    methods.raw_set("receive", host.primitive(receive)?)?;
    methods.raw_set("close", host.primitive(close)?)?;
    methods.raw_set("case_send", host.primitive(case_send)?)?;
    methods.raw_set("case_receive", host.primitive(case_receive)?)?;
    raw::register_class::<ChannelObject>(lua, methods, None)?;
    raw::register_class::<Case>(lua, lua.create_table()?, None)?;
    let module = lua.create_table()?;
    module.raw_set("new", host.primitive(new)?)?;
    module.raw_set("select", host.primitive(select)?)?;
    Ok(module)
}

/// Pushes a new channel.
pub fn push(stack: Stack<'_>, channel: &Rc<Channel>) {
    stack.push_object(ChannelObject(channel.clone()));
}

fn new(host: &Host, stack: Stack<'_>) -> Flow {
    let capacity = match stack.kind(1) {
        Kind::None | Kind::Nil => 0,
        Kind::Number => match stack.integer(1) {
            Some(capacity) => usize::try_from(capacity).unwrap_or(0),
            None => {
                let why = "number has no integer representation";
                return host.bad_argument(stack, 1, "new", why);
            }
        },
        _ => return host.wrong_type(stack, 1, "new", "number"),
    };
    push(stack, &Channel::new(Source::Plain(capacity)));
    Flow::Return(1)
}

fn own<'a>(stack: Stack<'a>) -> Option<&'a Rc<Channel>> {
    stack.object::<ChannelObject>(1).map(|object| &object.0)
}

fn no_self(host: &Host, stack: Stack<'_>, method: &str) -> Flow {
    let text = format!("calling '{method}' on a value that is no channel (use ch:{method}())");
    host.raise(stack, &text)
}

// Values under way are kept in the channel's user value.

/// Puts the value at `value` under `key` into the channel at `channel`.
fn put(stack: Stack<'_>, channel: i32, key: i64, value: i32) {
    let (channel, value) = (stack.absolute(channel), stack.absolute(value));
    stack.push_user_value(channel, 1);
    if stack.kind(-1) != Kind::Table {
        stack.pop();
        stack.new_table(0, 1);
        stack.push_value(-1);
        stack.set_user_value(channel, 1);
    }
    stack.push_value(value);
    stack.raw_seti(-2, key);
    stack.pop();
}

/// Pushes the value under `key` of the channel at `channel`, and forgets it there.
fn take(stack: Stack<'_>, channel: i32, key: i64) {
    stack.push_user_value(channel, 1);
    if stack.kind(-1) != Kind::Table {
        return;
    }
    stack.raw_geti(-1, key);
    stack.push_nil();
    stack.raw_seti(-3, key);
    stack.remove(-2);
}

fn send(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(channel) = own(stack) else { return no_self(host, stack, "send") };
    stack.set_top(2);
    match channel.send(&host.current()) {
        Sent::Taken(key) | Sent::Stored(key) => {
            put(stack, 1, key, 2);
            stack.push_bool(true);
            Flow::Return(1)
        }
        Sent::Closed => host.raise(stack, CLOSED),
        Sent::Full => match host.begin_wait(stack) {
            Some(ticket) => {
                let key = channel.wait_to_send(ticket, 0);
                put(stack, 1, key, 2);
                Flow::Wait(sent)
            }
            None => host.cannot_wait(stack, "channel:send"),
        },
    }
}

fn sent(host: &Host, stack: Stack<'_>) -> Flow {
    match host.take_woken() {
        Woken::Sent(_) => {
            stack.push_bool(true);
            Flow::Return(1)
        }
        Woken::Closed(_) => host.fail(ErrorValue::new(kind::INVALID, CLOSED)),
        _ => host.cannot_wait(stack, "channel:send"),
    }
}

fn receive(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(channel) = own(stack) else { return no_self(host, stack, "receive") };
    let body = host.current();
    match channel.receive(&body) {
        Received::Key(key) => {
            take(stack, 1, key);
            stack.push_bool(true);
        }
        Received::Item(item) => {
            push_item(host, stack, channel, item);
            stack.push_bool(true);
        }
        Received::Closed => {
            stack.push_nil();
            stack.push_bool(false);
        }
        Received::Empty => {
            return match host.begin_wait(stack) {
                Some(ticket) => {
                    channel.wait_to_receive(&body, ticket, 0);
                    Flow::Wait(received)
                }
                None => host.cannot_wait(stack, "channel:receive"),
            };
        }
    }
    Flow::Return(2)
}

fn received(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(channel) = own(stack) else { return no_self(host, stack, "receive") };
    match host.take_woken() {
        Woken::Key(_, key) => take(stack, 1, key),
        Woken::Item(_, item) => push_item(host, stack, channel, item),
        Woken::Closed(_) => {
            stack.push_nil();
            stack.push_bool(false);
            return Flow::Return(2);
        }
        _ => return host.cannot_wait(stack, "channel:receive"),
    }
    stack.push_bool(true);
    Flow::Return(2)
}

/// Pushes one value from outside, in the form that the channel gives it.
fn push_item(host: &Host, stack: Stack<'_>, channel: &Channel, item: Item) {
    match (item, channel.source()) {
        (Item::Message(message), Source::Mailbox { as_messages, .. }) if as_messages.get() => {
            super::process::push_message(stack, message);
        }
        (Item::Message(message), _) => push_payload(host, stack, &message.values),
        (Item::Values(values), Source::Feed { form: Form::Time, .. }) => {
            super::clock::push_time(host, stack, &values);
        }
        (Item::Values(values), Source::Feed { form: Form::Payload, .. }) => {
            super::process::push_payload_object(host, stack, &values);
        }
        (Item::Values(values), _) => push_payload(host, stack, &values),
    }
}

/// Pushes a message's payload as one value: nil for none, the value for one, else an array.
fn push_payload(host: &Host, stack: Stack<'_>, values: &Values) {
    match values.count() {
        0 => stack.push_nil(),
        1 => {
            raw::push_values(host, stack, values);
        }
        count => {
            stack.new_table(count, 0);
            let array = stack.top();
            raw::push_values(host, stack, values);
            for position in (1..=count).rev() {
                stack.raw_seti(array, position as i64);
            }
        }
    }
}

fn close(host: &Host, stack: Stack<'_>) -> Flow {
    let Some(channel) = own(stack) else { return no_self(host, stack, "close") };
    channel.close(&host.current());
    Flow::Return(0)
}

fn case_send(host: &Host, stack: Stack<'_>) -> Flow {
    if own(stack).is_none() {
        return no_self(host, stack, "case_send");
    }
    stack.set_top(2);
    stack.push_object(Case { is_send: true });
    stack.push_value(1);
    stack.set_user_value(3, 1);
    stack.push_value(2);
    stack.set_user_value(3, 2);
    Flow::Return(1)
}

fn case_receive(host: &Host, stack: Stack<'_>) -> Flow {
    if own(stack).is_none() {
        return no_self(host, stack, "case_receive");
    }
    stack.set_top(1);
    stack.push_object(Case { is_send: false });
    stack.push_value(1);
    stack.set_user_value(2, 1);
    Flow::Return(1)
}

// select: stack is 1 = the cases, 2 = the default flag; above, per case, case and channel.

fn select(host: &Host, stack: Stack<'_>) -> Flow {
    if stack.kind(1) != Kind::Table {
        return host.wrong_type(stack, 1, "select", "table");
    }
    stack.set_top(2);
    let has_default = stack.truth(2) || {
        stack.raw_field(1, "default");
        let flag = stack.truth(-1);
        stack.pop();
        flag
    };
    let body = host.current();
    let count = stack.raw_len(1) as i64;
    for case in 1..=count {
        if try_case(host, &body, stack, case) {
            return Flow::Return(1);
        }
        stack.set_top(2);
    }
    if has_default {
        push_result(stack, true, None);
        return Flow::Return(1);
    }
    let Some(ticket) = host.begin_wait(stack) else {
        return host.cannot_wait(stack, "channel.select");
    };
    let mut is_hopeless = true;
    for case in 1..=count {
        is_hopeless &= !wait_case(&body, stack, case, ticket);
        stack.set_top(2);
    }
    if is_hopeless {
        body.give_up_hope(ticket);
    }
    stack.push_int(i64::from(ticket.coroutine));
    stack.push_int(i64::from(ticket.wait));
    Flow::Wait(selected)
}

/// Pushes case number `case` (to 3), its channel (to 4) and, to send, its value (to 5).
fn open_case<'a>(stack: Stack<'a>, case: i64) -> Option<(&'a Case, &'a Rc<Channel>)> {
    stack.raw_geti(1, case);
    let entry = stack.object::<Case>(3)?;
    stack.push_user_value(3, 1);
    let channel = &stack.object::<ChannelObject>(4)?.0;
    if entry.is_send {
        stack.push_user_value(3, 2);
    }
    Some((entry, channel))
}

/// Takes a case that can go ahead at once and pushes the result.
fn try_case(host: &Host, body: &LuaBody, stack: Stack<'_>, case: i64) -> bool {
    let Some((entry, channel)) = open_case(stack, case) else { return false };
    if entry.is_send {
        return match channel.send(body) {
            Sent::Taken(key) | Sent::Stored(key) => {
                put(stack, 4, key, 5);
                stack.push_nil();
                push_result(stack, true, Some(4));
                true
            }
            Sent::Full | Sent::Closed => false,
        };
    }
    let ok = match channel.receive(body) {
        Received::Key(key) => {
            take(stack, 4, key);
            true
        }
        Received::Item(item) => {
            push_item(host, stack, channel, item);
            true
        }
        Received::Closed => {
            stack.push_nil();
            false
        }
        Received::Empty => return false,
    };
    push_result(stack, ok, Some(4));
    true
}

/// Queues the coroutine on a case; whether the case can ever fire.
fn wait_case(body: &LuaBody, stack: Stack<'_>, case: i64, ticket: Ticket) -> bool {
    let Some((entry, channel)) = open_case(stack, case) else { return false };
    if !entry.is_send {
        channel.wait_to_receive(body, ticket, case as u32);
        return true;
    }
    if channel.is_closed() {
        return false;
    }
    let key = channel.wait_to_send(ticket, case as u32);
    put(stack, 4, key, 5);
    true
}

fn selected(host: &Host, stack: Stack<'_>) -> Flow {
    let number = |index| stack.integer(index).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let ticket = Ticket { coroutine: number(3), wait: number(4) };
    stack.set_top(2);
    withdraw_all(stack, ticket);
    let (case, woken) = match host.take_woken() {
        woken @ (Woken::Key(case, _) | Woken::Item(case, _)) => (case, woken),
        woken @ (Woken::Closed(case) | Woken::Sent(case)) => (case, woken),
        _ => return host.cannot_wait(stack, "channel.select"),
    };
    let Some((entry, channel)) = open_case(stack, i64::from(case)) else {
        return host.raise(stack, "the cases were changed while channel.select waited");
    };
    let is_send = entry.is_send;
    let ok = match woken {
        Woken::Key(_, key) => {
            take(stack, 4, key);
            true
        }
        Woken::Item(_, item) => {
            push_item(host, stack, channel, item);
            true
        }
        Woken::Closed(_) if is_send => {
            // A send case whose channel was closed drops out; the others still stand.
            stack.set_top(2);
            return select(host, stack);
        }
        Woken::Sent(_) => {
            stack.push_nil();
            true
        }
        _ => {
            stack.push_nil();
            false
        }
    };
    push_result(stack, ok, Some(4));
    Flow::Return(1)
}

/// Takes the waits of all cases back, with the values that were to be sent.
fn withdraw_all(stack: Stack<'_>, ticket: Ticket) {
    for case in 1..=stack.raw_len(1) as i64 {
        if let Some((_, channel)) = open_case(stack, case)
            && let Some(key) = channel.withdraw(ticket)
        {
            take(stack, 4, key);
        }
        stack.set_top(2);
    }
}

/// Pushes a select result: with a channel's index its value lies on top and is taken, without one
/// it is the default's.
fn push_result(stack: Stack<'_>, ok: bool, channel: Option<i32>) {
    stack.new_table(0, 3);
    match channel {
        Some(channel) => {
            stack.push_value(channel);
            stack.raw_set_field(-2, "channel");
            stack.push_value(-2);
            stack.raw_set_field(-2, "value");
        }
        None => {
            stack.push_bool(true);
            stack.raw_set_field(-2, "default");
        }
    }
    stack.push_bool(ok);
    stack.raw_set_field(-2, "ok");
}
