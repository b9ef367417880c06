use std::collections::BTreeMap;
use std::sync::Arc;

use super::host::Host;
use super::raw::Stack;
use crate::security::{Actor, Context, Scope};
use crate::value::Values;

/// What a process inherits from whoever started it: on whose behalf it acts, and its context
/// values (security.md section 6, stdlib.md `ctx`). A clone is two reference counts.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Actor and policy scope.
    pub security: Context,
    /// What `ctx.get` finds: one value for each key.
    pub context: Arc<BTreeMap<String, Values>>,
}

/// An actor as scripts hold it (stdlib.md section 7).
pub struct ActorObject(pub Actor);

/// A scope as scripts hold it.
pub struct ScopeObject(pub Scope);

/// The actor at `index`, if it is one.
pub fn actor_argument(host: &Host, stack: Stack<'_>, index: i32) -> Option<Actor> {
    let value = stack.to_mlua(&host.lua, index).ok()?;
    Some(value.as_userdata()?.borrow::<ActorObject>().ok()?.0.clone())
}

/// The scope at `index`, if it is one.
pub fn scope_argument(host: &Host, stack: Stack<'_>, index: i32) -> Option<Scope> {
    let value = stack.to_mlua(&host.lua, index).ok()?;
    Some(value.as_userdata()?.borrow::<ScopeObject>().ok()?.0.clone())
}
