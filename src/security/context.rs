use std::sync::Arc;

use serde_json::{Map, Value};

use super::Scope;

/// Who is acting: an id and free metadata. Immutable; cloning is a reference count.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor(Arc<ActorParts>);

#[derive(Debug, PartialEq)]
struct ActorParts {
    id: Box<str>,
    meta: Map<String, Value>,
}

/// Who acts, and within which policies: what every process carries. Either part may be missing;
/// [`Guard`](super::Guard) says what that means.
///
/// A clone is at most one reference count; that is how a child inherits it.
#[derive(Clone, Debug, Default)]
pub struct Context(Option<Arc<ContextParts>>);

#[derive(Debug, Default)]
struct ContextParts {
    actor: Option<Actor>,
    scope: Option<Scope>,
}

impl Actor {
    /// An actor. An empty `id` counts as a missing field in conditions.
    pub fn new(id: &str, meta: Map<String, Value>) -> Self {
        Self(Arc::new(ActorParts { id: id.into(), meta }))
    }

    /// The id, for example `svc:chat-relay`.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What else is known about the actor.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }
}

impl Context {
    /// The context of a process that nobody gave one: neither actor nor scope.
    pub const NONE: Context = Context(None);

    /// A complete context.
    pub fn new(actor: Actor, scope: Scope) -> Self {
        Self::of(Some(actor), Some(scope))
    }

    /// Who acts, if known.
    pub fn actor(&self) -> Option<&Actor> {
        self.0.as_ref()?.actor.as_ref()
    }

    /// The policies that bind the process, if any were chosen.
    pub fn scope(&self) -> Option<&Scope> {
        self.0.as_ref()?.scope.as_ref()
    }

    /// The same context with another actor. Whoever hands the result to a process must have been
    /// allowed `process.security` or `funcs.security`.
    #[must_use]
    pub fn with_actor(&self, actor: Actor) -> Self {
        Self::of(Some(actor), self.scope().cloned())
    }

    /// The same context with another scope; see [`Context::with_actor`] for who may.
    #[must_use]
    pub fn with_scope(&self, scope: Scope) -> Self {
        Self::of(self.actor().cloned(), Some(scope))
    }

    fn of(actor: Option<Actor>, scope: Option<Scope>) -> Self {
        Self(Some(Arc::new(ContextParts { actor, scope })))
    }
}
