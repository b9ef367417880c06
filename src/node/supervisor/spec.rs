use crate::registry::kind::{Definition, Lifecycle};

/// What a service is for the order of stopping: process services go first, then hosts, then scopes
/// (supervision.md section 8). Starts are issued the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A `pg.scope` and other things that processes use.
    Scope,
    /// A `process.host`.
    Host,
    /// A `process.service`.
    Service,
}

/// The part of a service entry that supervision needs. A service whose spec changes is restarted.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceSpec {
    /// Its place in the order of stopping.
    pub tier: Tier,
    /// How it is started, restarted and stopped.
    pub lifecycle: Lifecycle,
}

impl ServiceSpec {
    /// That of an entry, if its kind is a service.
    pub fn of(definition: &Definition) -> Option<Self> {
        let tier = match definition {
            Definition::PgScope(_) => Tier::Scope,
            Definition::ProcessHost(_) => Tier::Host,
            Definition::ProcessService(_) => Tier::Service,
            _ => return None,
        };
        Some(Self { tier, lifecycle: definition.lifecycle()?.clone() })
    }
}
