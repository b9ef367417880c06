//! Layer 1: actors, scopes, policies, and the one decision made from them.
//!
//! Source: `spec/security.md`. The shape of it:
//!
//! - [`Policies`] holds every loaded [`Policy`] and can be exchanged as a whole while processes run.
//! - A [`Scope`] is an immutable choice of policies *by name*: it follows the store, so each check
//!   meets the policies in force at that moment.
//! - A [`Context`] (actor and scope, each optional) travels with every process; a clone is at most
//!   one reference count, which is how children inherit it.
//! - A [`Guard`] turns context and [`Check`] into a [`Decision`]. Guarded calls and `security.can`
//!   share that one function, so `can` predicts what the call will do.
//!
//! Evaluation allocates nothing for policies without conditions and takes tens of nanoseconds: a
//! guard stands before every `pg` call. Nothing here knows of YAML, Lua or the clock; the node layer
//! fills in [`PolicySource`] from registry entries.

mod check;
mod comparison;
mod condition;
mod context;
mod guard;
mod operator;
mod pattern;
mod policies;
mod policy;
mod scope;
mod source;

#[cfg(test)]
mod properties;

pub use check::{Attributes, Check};
pub use context::{Actor, Context};
pub use guard::{Decision, Denial, DenialObserver, Denied, Guard, Mode};
pub use pattern::PatternError;
pub use policies::{Policies, PoliciesError};
pub use policy::{Outcome, Policy};
pub use scope::Scope;
pub use source::{
    CompiledPolicy, ConditionSource, Effect, PolicyFault, PolicySource, PolicyWarning, Problem,
};
