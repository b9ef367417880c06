use std::ffi::CStr;
use std::rc::Rc;

use crate::lua::host::Host;
use crate::lua::modules::payload::Payload;
use crate::lua::raw::{self, Flow, Object, Stack};
use crate::process::{Message, Source};
use crate::value::Values;

/// A message as scripts hold it.
struct MessageObject(Message);

impl Object for MessageObject {
    const NAME: &'static CStr = c"moonmesh.message";
    const LABEL: &'static str = "process.Message";
}

pub(super) fn register(host: &Rc<Host>) -> mlua::Result<()> {
    let methods = host.lua.create_table()?;
    methods.raw_set("topic", host.primitive(topic)?)?;
    methods.raw_set("from", host.primitive(from)?)?;
    methods.raw_set("payload", host.primitive(payload)?)?;
    raw::register_class::<MessageObject>(&host.lua, methods, Some(host.primitive(tostring)?))
}

/// Pushes a message object.
pub fn push_message(stack: Stack<'_>, message: Message) {
    stack.push_object(MessageObject(message));
}

/// Pushes the Payload object of one value.
pub fn push_payload_object(host: &Host, stack: Stack<'_>, value: &Values) {
    let object = host.lua.create_any_userdata(Payload::new(value.clone()));
    if object.and_then(|object| stack.push_mlua(&host.lua, object)).is_err() {
        stack.push_nil();
    }
}

fn own<'a>(host: &Host, stack: Stack<'a>) -> Result<&'a Message, Flow> {
    match stack.object::<MessageObject>(1) {
        Some(object) => Ok(&object.0),
        None => Err(host.raise(stack, "calling a message method on a value that is no message")),
    }
}

fn topic(host: &Host, stack: Stack<'_>) -> Flow {
    match own(host, stack) {
        Ok(message) => stack.push_str(message.topic.as_str()),
        Err(flow) => return flow,
    }
    Flow::Return(1)
}

fn from(host: &Host, stack: Stack<'_>) -> Flow {
    match own(host, stack).map(|message| &message.source) {
        Ok(Source::System) => stack.push_str(""),
        Ok(Source::Process(address)) => stack.push_str(host.address_text(address)),
        Err(flow) => return flow,
    }
    Flow::Return(1)
}

fn payload(host: &Host, stack: Stack<'_>) -> Flow {
    let values = match own(host, stack) {
        Ok(message) => message.values.clone(),
        Err(flow) => return flow,
    };
    match values.count() {
        0 => stack.push_nil(),
        1 => push_payload_object(host, stack, &values),
        count => {
            stack.new_table(count, 0);
            for (position, value) in values.split().iter().enumerate() {
                push_payload_object(host, stack, value);
                stack.raw_seti(-2, position as i64 + 1);
            }
        }
    }
    Flow::Return(1)
}

fn tostring(host: &Host, stack: Stack<'_>) -> Flow {
    match own(host, stack) {
        Ok(message) => stack.push_str(format!("process.Message{{topic={}}}", message.topic)),
        Err(flow) => return flow,
    }
    Flow::Return(1)
}
