use std::collections::BTreeMap;
use std::ffi::CStr;
use std::rc::Rc;
use std::sync::Arc;

use super::send::checked_topic;
use super::spawn::{
    LINKED, LINKED_MONITORED, MONITORED, Order, PLAIN, Variant, check_spawn, copy_arguments,
    entry_and_host, exec_as, start,
};
use crate::lua::Identity;
use crate::lua::host::Host;
use crate::lua::raw::{self, Flow, Kind, Object, Primitive, Stack, copy_out};
use crate::lua::{actor_argument, scope_argument};
use crate::process::{Message, Source};
use crate::security::{Check, Context};
use crate::value::{ErrorValue, Values};

/// `process.with_context(...)`: an immutable description of how to spawn.
#[derive(Clone, Default)]
struct Spawner {
    context: BTreeMap<String, Values>,
    security: Option<Context>,
    name: Option<String>,
    messages: Vec<Message>,
}

impl Object for Spawner {
    const NAME: &'static CStr = c"moonmesh.spawner";
    const LABEL: &'static str = "process.Spawner";
}

pub(super) fn register(host: &Rc<Host>) -> mlua::Result<()> {
    let functions: &[(&str, Primitive)] = &[
        ("with_context", add_context),
        ("with_options", add_options),
        ("with_actor", add_actor),
        ("with_scope", add_scope),
        ("with_name", add_name),
        ("with_message", add_message),
        ("spawn", |host, stack| spawn(host, stack, PLAIN)),
        ("spawn_monitored", |host, stack| spawn(host, stack, MONITORED)),
        ("spawn_linked", |host, stack| spawn(host, stack, LINKED)),
        ("spawn_linked_monitored", |host, stack| spawn(host, stack, LINKED_MONITORED)),
        ("exec", exec),
    ];
    let methods = host.lua.create_table()?;
    for (name, function) in functions {
        methods.raw_set(*name, host.primitive(*function)?)?;
    }
    raw::register_class::<Spawner>(&host.lua, methods, None)
}

/// `process.with_context(values)`
pub fn with_context(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, Spawner::default(), 1, "with_context", |host, stack, spawner| {
        may_set_context(host)?;
        merge_context(host, stack, 1, "with_context", &mut spawner.context)
    })
}

/// `process.with_options(options)`
pub fn with_options(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, Spawner::default(), 1, "with_options", |host, stack, _| {
        may_set_context(host)?;
        check_options(host, stack, 1)
    })
}

/// What a builder function raises.
enum Misuse {
    /// An error object.
    Error(ErrorValue),
    /// A text.
    Text(String),
    /// A wrong argument: its number, and what it should be.
    Type(i32, &'static str),
}

impl From<ErrorValue> for Misuse {
    fn from(error: ErrorValue) -> Self {
        Self::Error(error)
    }
}

/// Pushes a changed spawner, or raises. `offset` is the index of the first argument.
fn build(
    host: &Host,
    stack: Stack<'_>,
    mut spawner: Spawner,
    offset: i32,
    function: &str,
    change: impl FnOnce(&Host, Stack<'_>, &mut Spawner) -> Result<(), Misuse>,
) -> Flow {
    match change(host, stack, &mut spawner) {
        Ok(()) => {
            stack.push_object(spawner);
            Flow::Return(1)
        }
        Err(misuse) => raise(host, stack, function, offset, misuse),
    }
}

fn raise(host: &Host, stack: Stack<'_>, function: &str, offset: i32, misuse: Misuse) -> Flow {
    match misuse {
        Misuse::Error(error) => {
            host.push_error(stack, error);
            Flow::Raise
        }
        Misuse::Text(text) => host.raise(stack, &text),
        Misuse::Type(argument, want) => {
            let got = stack.kind(argument + offset - 1).name();
            host.bad_argument(stack, argument, function, &format!("{want} expected, got {got}"))
        }
    }
}

fn own(stack: Stack<'_>) -> Spawner {
    stack.object::<Spawner>(1).cloned().unwrap_or_default()
}

fn add_context(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_context", |host, stack, spawner| {
        may_set_context(host)?;
        if spawner.security.is_some() {
            may_set_security(host)?;
        }
        merge_context(host, stack, 2, "with_context", &mut spawner.context)
    })
}

fn add_options(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_options", |host, stack, _| {
        may_set_context(host)?;
        check_options(host, stack, 2)
    })
}

fn add_actor(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_actor", |host, stack, spawner| {
        may_set_security(host)?;
        let actor = actor_argument(host, stack, 2).ok_or(Misuse::Type(1, "security.Actor"))?;
        spawner.security = Some(base(host, spawner).with_actor(actor));
        Ok(())
    })
}

fn add_scope(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_scope", |host, stack, spawner| {
        may_set_security(host)?;
        let scope = scope_argument(host, stack, 2).ok_or(Misuse::Type(1, "security.Scope"))?;
        spawner.security = Some(base(host, spawner).with_scope(scope));
        Ok(())
    })
}

fn base(host: &Host, spawner: &Spawner) -> Context {
    spawner.security.clone().unwrap_or_else(|| host.identity().security)
}

fn add_name(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_name", |_, stack, spawner| match stack.text(2) {
        Some("") => Err(Misuse::Text("name cannot be empty".into())),
        Some(name) => {
            spawner.name = Some(name.to_owned());
            Ok(())
        }
        None => Err(Misuse::Type(1, "string")),
    })
}

fn add_message(host: &Host, stack: Stack<'_>) -> Flow {
    build(host, stack, own(stack), 2, "with_message", |host, stack, spawner| {
        let topic = stack.str(2).ok_or(Misuse::Type(1, "string"))?;
        let topic = checked_topic(topic)?.into();
        let values = copy_out(host, stack, 3)
            .map_err(|error| Misuse::Text(format!("with_message: {error}")))?;
        spawner.messages.push(Message { source: Source::System, topic, values });
        Ok(())
    })
}

fn may_set_context(host: &Host) -> Result<(), ErrorValue> {
    host.require(&Check::new("process.context", "context"), || {
        "not allowed to spawn with custom context".into()
    })
}

fn may_set_security(host: &Host) -> Result<(), ErrorValue> {
    host.require(&Check::new("process.security", "security"), || {
        "not allowed to spawn with custom security".into()
    })
}

/// Merges the table at `index` into context values; keys are strings, values are copied.
pub(in crate::lua::modules) fn read_context(
    host: &Host,
    stack: Stack<'_>,
    index: i32,
) -> Result<BTreeMap<String, Values>, String> {
    let mut context = BTreeMap::new();
    stack.push_nil();
    while stack.next(index) {
        let key = match stack.kind(-2) {
            Kind::String => stack.text(-2).map(str::to_owned),
            _ => None,
        };
        let Some(key) = key else { return Err("context keys must be strings".into()) };
        let value_index = stack.absolute(-1);
        let value =
            copy_out(host, stack, value_index).map_err(|error| format!("{key}: {error}"))?;
        context.insert(key, value);
        stack.pop();
    }
    Ok(context)
}

fn merge_context(
    host: &Host,
    stack: Stack<'_>,
    index: i32,
    function: &str,
    context: &mut BTreeMap<String, Values>,
) -> Result<(), Misuse> {
    if stack.kind(index) != Kind::Table {
        return Err(Misuse::Type(1, "table"));
    }
    let read = read_context(host, stack, index)
        .map_err(|text| Misuse::Text(format!("{function}: {text}")))?;
    context.extend(read);
    Ok(())
}

/// Options of the reference runtime's network layer: `network` needs a permission of its own; this
/// host has no other.
fn check_options(host: &Host, stack: Stack<'_>, index: i32) -> Result<(), Misuse> {
    if stack.kind(index) != Kind::Table {
        return Err(Misuse::Type(1, "table"));
    }
    if stack.raw_field(index, "network") == Kind::String {
        let network = stack.text(-1).unwrap_or_default().to_owned();
        host.require(&Check::new("network.select", &network), || {
            format!("not allowed to select network: {network}")
        })?;
    }
    stack.pop();
    Ok(())
}

impl Spawner {
    fn identity(&self, host: &Host) -> Identity {
        let mut identity = host.identity();
        if !self.context.is_empty() {
            Arc::make_mut(&mut identity.context).extend(self.context.clone());
        }
        if let Some(security) = &self.security {
            identity.security = security.clone();
        }
        identity
    }

    /// Rights that were needed to build the spawner are needed again to use it.
    fn check(&self, host: &Host) -> Result<(), ErrorValue> {
        may_set_context(host)?;
        if self.security.is_some() { may_set_security(host) } else { Ok(()) }
    }
}

fn spawn(host: &Host, stack: Stack<'_>, variant: Variant) -> Flow {
    let spawner = own(stack);
    if stack.top() < 3 {
        let text = format!("{} requires at least id and host arguments", variant.name);
        return host.raise(stack, &text);
    }
    let (id, on) = match entry_and_host(host, stack, 2, variant.name) {
        Ok(pair) => pair,
        Err(flow) => return flow,
    };
    if let Err(error) = spawner.check(host).and_then(|()| check_spawn(host, variant, id, on)) {
        return raise(host, stack, variant.name, 2, error.into());
    }
    let order = copy_arguments(host, stack, 4, variant.name)
        .and_then(|arguments| Order::find(host, id, on, arguments, spawner.identity(host)));
    match order {
        Ok(order) => {
            let Spawner { name, messages, .. } = spawner;
            start(host, stack, variant, Order { name, messages, ..order })
        }
        Err(error) => host.fail(error),
    }
}

fn exec(host: &Host, stack: Stack<'_>) -> Flow {
    let spawner = own(stack);
    match spawner.check(host) {
        Ok(()) => exec_as(host, stack, 2, spawner.identity(host)),
        Err(error) => raise(host, stack, "exec", 2, error.into()),
    }
}
