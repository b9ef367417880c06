use std::cell::Cell;
use std::ffi::CStr;
use std::sync::Arc;

use crate::id::GroupName;
use crate::lua::host::Host;
use crate::lua::raw::{Flow, Object, Stack};
use crate::scope::Scope;
use crate::security::{Attributes, Check};
use crate::value::{ErrorValue, kind};

/// What `pg.open` gives to scripts.
pub(super) struct Instance {
    scope: Arc<Scope>,
    is_released: Cell<bool>,
}

impl Object for Instance {
    const NAME: &'static CStr = c"moonmesh.pg.instance";
    const LABEL: &'static str = "pg.Instance";
}

impl Instance {
    pub(super) fn new(scope: Arc<Scope>) -> Self {
        Self { scope, is_released: Cell::new(false) }
    }
}

/// The scope that a method is called on; `call` as in `pg.join`.
///
/// # Errors
/// Raises where there is no instance; fails if it was released.
pub(super) fn scope(host: &Host, stack: Stack<'_>, call: &str) -> Result<Arc<Scope>, ErrorOr> {
    let Some(instance) = stack.object::<Instance>(1) else {
        let method = call.trim_start_matches("pg.");
        let text = format!(
            "calling '{method}' on a value that is no pg instance (use g:{method}(...) with a \
             colon)"
        );
        return Err(ErrorOr::Flow(host.raise(stack, &text)));
    };
    if instance.is_released.get() {
        let text = format!("{call}: the instance of \"{}\" was released", instance.scope.id());
        return Err(ErrorOr::Error(ErrorValue::new(kind::INVALID, text)));
    }
    Ok(instance.scope.clone())
}

/// Either an error that the script is to be handed in its own way, or what to do at once.
pub(super) enum ErrorOr {
    Error(ErrorValue),
    Flow(Flow),
}

impl From<ErrorValue> for ErrorOr {
    fn from(error: ErrorValue) -> Self {
        Self::Error(error)
    }
}

impl From<Flow> for ErrorOr {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl ErrorOr {
    /// `nil, err`.
    pub(super) fn into_flow(self, host: &Host) -> Flow {
        match self {
            Self::Error(error) => host.fail(error),
            Self::Flow(flow) => flow,
        }
    }
}

/// `g:release()`
pub(super) fn release(host: &Host, stack: Stack<'_>) -> Flow {
    match stack.object::<Instance>(1) {
        Some(instance) => {
            instance.is_released.set(true);
            stack.push_bool(true);
            Flow::Return(1)
        }
        None => host.raise(stack, "calling 'release' on a value that is no pg instance"),
    }
}

/// `tostring(g)`
pub(super) fn text(_: &Host, stack: Stack<'_>) -> Flow {
    match stack.object::<Instance>(1) {
        Some(instance) => {
            let state = if instance.is_released.get() { ", released" } else { "" };
            stack.push_str(format!("pg.Instance({}{state})", instance.scope.id()));
        }
        None => stack.push_str("pg.Instance"),
    }
    Flow::Return(1)
}

/// Checks `call` on every one of `groups` before anything happens.
///
/// # Errors
/// `PermissionDenied` for the first that is refused.
pub(super) fn require_on_groups(
    host: &Host,
    scope: &Scope,
    call: &str,
    groups: &[GroupName],
) -> Result<(), ErrorValue> {
    if host.is_unrestricted() {
        return Ok(());
    }
    groups.iter().try_for_each(|group| {
        let attributes = Attributes::One("scope", scope.id().as_str());
        host.require(&Check::new(call, group.as_str()).with(attributes), || {
            format!("{call}: not allowed on group \"{group}\"")
        })
    })
}

/// Checks `call` on the scope itself.
///
/// # Errors
/// `PermissionDenied`.
pub(super) fn require_on_scope(host: &Host, call: &str, scope: &str) -> Result<(), ErrorValue> {
    let check = Check::new(call, scope).with(Attributes::One("scope", scope));
    host.require(&check, || format!("{call}: not allowed on scope \"{scope}\""))
}
