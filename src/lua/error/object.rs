use std::rc::Rc;
use std::sync::Arc;

use mlua::{AnyUserData, IntoLua, Lua, MetaMethod, UserData, UserDataMethods, UserDataRef, Value};

use super::caught;
use super::raise::{bad_argument, raise_text};
use super::stack::Stack;
use crate::lua::plain;
use crate::value::ErrorValue;

/// The error object of scripts (errors.md section 1): an immutable userdata around an
/// [`ErrorValue`], with the contexts that `errors.wrap` added and, for errors made by Lua code, the
/// stack at creation. Contexts and stack stay in the process.
#[derive(Clone, Debug)]
pub struct Error {
    value: ErrorValue,
    /// Outermost first.
    contexts: Vec<Arc<str>>,
    stack: Option<Rc<Stack>>,
}

impl Error {
    /// An error made by the host, or one that crossed a boundary: without a stack.
    pub fn new(value: ErrorValue) -> Self {
        Self { value, contexts: Vec::new(), stack: None }
    }

    /// An error made by the script that called the running native function.
    pub fn from_script(lua: &Lua, value: ErrorValue) -> Self {
        Self { stack: Some(Rc::new(Stack::capture(lua))), ..Self::new(value) }
    }

    /// The same error inside one more context.
    #[must_use]
    pub fn with_context(&self, context: &str) -> Self {
        let contexts = std::iter::once(context.into()).chain(self.contexts.iter().cloned());
        Self { contexts: contexts.collect(), ..self.clone() }
    }

    /// The error object that `value` is, if it is one.
    pub fn of(value: &Value) -> Option<UserDataRef<Self>> {
        value.as_userdata().and_then(|userdata| userdata.borrow::<Self>().ok())
    }

    /// What crosses to other processes and nodes.
    pub fn value(&self) -> &ErrorValue {
        &self.value
    }

    /// `context: message`, outermost context first: what logs and JSON show.
    pub fn long_text(&self) -> String {
        let mut text = String::new();
        for context in &self.contexts {
            text.push_str(context);
            text.push_str(": ");
        }
        text.push_str(&self.value.message);
        text
    }

    pub(super) fn stack(&self) -> Option<&Stack> {
        self.stack.as_deref()
    }
}

impl UserData for Error {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("kind", |lua, this, ()| lua.create_string(&*this.value.kind));
        methods.add_method("message", |lua, this, ()| lua.create_string(&*this.value.message));
        methods.add_method("retryable", |_, this, ()| Ok(this.value.retryable));
        methods.add_method("details", |lua, this, ()| match &this.value.details {
            Some(values) => plain::to_lua(lua, values),
            None => Ok(Value::Nil),
        });
        methods.add_method("stack", |lua, this, ()| match this.stack() {
            Some(stack) => lua.create_string(stack.to_string()),
            None => lua.create_string(""),
        });
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            lua.create_string(&*this.value.message)
        });
        methods.add_meta_function(MetaMethod::Concat, |lua, (left, right): (Value, Value)| {
            let mut text = operand(lua, &left)?;
            text.extend(operand(lua, &right)?);
            lua.create_string(text)
        });
    }
}

/// One side of `..`, by Lua's rules with error objects standing for their message.
fn operand(lua: &Lua, value: &Value) -> mlua::Result<Vec<u8>> {
    if let Some(error) = Error::of(value) {
        return Ok(error.value.message.as_bytes().to_vec());
    }
    match value {
        Value::String(_) | Value::Integer(_) | Value::Number(_) => {
            let text = lua.coerce_string(value.clone())?;
            Ok(text.map(|text| text.as_bytes().to_vec()).unwrap_or_default())
        }
        other => {
            Err(raise_text(lua, format!("attempt to concatenate a {} value", other.type_name())))
        }
    }
}

/// The error object that a module function got as its argument number `position`; failures of the
/// host that a script caught count as well.
///
/// # Errors
/// Raises `bad argument` for anything else.
pub fn argument(lua: &Lua, position: usize, value: &Value) -> mlua::Result<Error> {
    if let Some(error) = Error::of(value) {
        return Ok(error.clone());
    }
    match value {
        Value::Error(failure) => Ok(Error::new(caught::from_mlua(failure))),
        other => Err(bad_argument(lua, position, "error", other)),
    }
}

/// `error` as a Lua value.
///
/// # Errors
/// Out of memory.
pub fn into_userdata(lua: &Lua, error: Error) -> mlua::Result<AnyUserData> {
    match error.into_lua(lua)? {
        Value::UserData(userdata) => Ok(userdata),
        _ => Err(mlua::Error::UserDataTypeMismatch),
    }
}
