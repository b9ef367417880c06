//! The kinds of entries, and the typed data of each.

mod condition;
mod context;
mod env;
mod host;
mod lifecycle;
mod lua;
mod ordered;
mod pg_scope;
mod policy;
mod service;

pub use condition::{Condition, ConditionField, Operand, Operator};
pub(super) use context::EntryContext;
pub use context::{Reference, Wanted};
pub use env::{EnvStorage, EnvVariable};
pub use host::{HostLimits, ProcessHost};
pub use lifecycle::{Lifecycle, RestartPolicy, ServiceSecurity, Startup};
pub use lua::{FunctionLua, Import, LibraryLua, LuaCode, Pool, PoolType, ProcessLua};
pub use pg_scope::PgScope;
pub use policy::{Effect, SecurityPolicy};
pub use service::ProcessService;

use crate::document::{Decoder, Fields, Node};

/// What an entry is (registry.md section 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `pg.scope`: a namespace of process groups.
    PgScope,
    /// `process.lua`: code that processes run.
    ProcessLua,
    /// `process.service`: a process that is kept running.
    ProcessService,
    /// `process.host`: where processes run.
    ProcessHost,
    /// `function.lua`: code that `funcs.call` runs.
    FunctionLua,
    /// `library.lua`: code for others to import.
    LibraryLua,
    /// `security.policy`: a rule of what is allowed.
    SecurityPolicy,
    /// `registry.entry`: data for scripts.
    RegistryEntry,
    /// `env.storage.memory`: variables that are forgotten at the end.
    EnvStorageMemory,
    /// `env.storage.static`: variables with fixed values.
    EnvStorageStatic,
    /// `env.storage.os`: the variables of the operating system's process.
    EnvStorageOs,
    /// `env.storage.file`: variables in a file.
    EnvStorageFile,
    /// `env.storage.router`: several storages in a row.
    EnvStorageRouter,
    /// `env.variable`: a variable with a public name.
    EnvVariable,
}

/// The data of an entry, as its kind reads it.
#[derive(Debug, Clone)]
pub enum Definition {
    /// Of a `pg.scope`.
    PgScope(PgScope),
    /// Of a `process.lua`.
    ProcessLua(ProcessLua),
    /// Of a `process.service`.
    ProcessService(ProcessService),
    /// Of a `process.host`.
    ProcessHost(ProcessHost),
    /// Of a `function.lua`.
    FunctionLua(FunctionLua),
    /// Of a `library.lua`.
    LibraryLua(LibraryLua),
    /// Of a `security.policy`.
    SecurityPolicy(SecurityPolicy),
    /// Of a `registry.entry`, which has its data as JSON only.
    RegistryEntry,
    /// Of one of the `env.storage` kinds.
    EnvStorage(EnvStorage),
    /// Of an `env.variable`.
    EnvVariable(EnvVariable),
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 14] = [
        Kind::PgScope,
        Kind::ProcessLua,
        Kind::ProcessService,
        Kind::ProcessHost,
        Kind::FunctionLua,
        Kind::LibraryLua,
        Kind::SecurityPolicy,
        Kind::RegistryEntry,
        Kind::EnvStorageMemory,
        Kind::EnvStorageStatic,
        Kind::EnvStorageOs,
        Kind::EnvStorageFile,
        Kind::EnvStorageRouter,
        Kind::EnvVariable,
    ];

    /// The name in entry files.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::PgScope => "pg.scope",
            Kind::ProcessLua => "process.lua",
            Kind::ProcessService => "process.service",
            Kind::ProcessHost => "process.host",
            Kind::FunctionLua => "function.lua",
            Kind::LibraryLua => "library.lua",
            Kind::SecurityPolicy => "security.policy",
            Kind::RegistryEntry => "registry.entry",
            Kind::EnvStorageMemory => "env.storage.memory",
            Kind::EnvStorageStatic => "env.storage.static",
            Kind::EnvStorageOs => "env.storage.os",
            Kind::EnvStorageFile => "env.storage.file",
            Kind::EnvStorageRouter => "env.storage.router",
            Kind::EnvVariable => "env.variable",
        }
    }

    /// The kind that `text` names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether entries of the kind are started, supervised and stopped (supervision.md section 1).
    pub fn is_service(self) -> bool {
        matches!(self, Kind::PgScope | Kind::ProcessService | Kind::ProcessHost)
    }

    /// Whether the data may be anything, rather than a map with the fields of the kind.
    pub fn has_free_data(self) -> bool {
        self == Kind::RegistryEntry
    }

    /// Reads the data of an entry; what is wrong is reported to `decoder`.
    pub(super) fn decode(
        self,
        data: &Node,
        decoder: &Decoder,
        context: &EntryContext<'_>,
    ) -> Option<Definition> {
        if self.has_free_data() {
            data.field(decoder).json();
            return Some(Definition::RegistryEntry);
        }
        data.field(decoder).block(|fields| self.read(fields, context))?
    }

    fn read(self, fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Definition> {
        use Definition as D;
        Some(match self {
            Kind::PgScope => D::PgScope(PgScope::read(fields, context)),
            Kind::ProcessLua => D::ProcessLua(ProcessLua::read(fields, context)?),
            Kind::ProcessService => D::ProcessService(ProcessService::read(fields, context)?),
            Kind::ProcessHost => D::ProcessHost(ProcessHost::read(fields, context)),
            Kind::FunctionLua => D::FunctionLua(FunctionLua::read(fields, context)?),
            Kind::LibraryLua => D::LibraryLua(LibraryLua::read(fields, context)?),
            Kind::SecurityPolicy => D::SecurityPolicy(SecurityPolicy::read(fields, context)?),
            Kind::RegistryEntry => D::RegistryEntry,
            Kind::EnvStorageMemory => D::EnvStorage(EnvStorage::Memory),
            Kind::EnvStorageOs => D::EnvStorage(EnvStorage::Os),
            Kind::EnvStorageStatic => D::EnvStorage(EnvStorage::read_static(fields)),
            Kind::EnvStorageFile => D::EnvStorage(EnvStorage::read_file(fields)?),
            Kind::EnvStorageRouter => D::EnvStorage(EnvStorage::read_router(fields, context)),
            Kind::EnvVariable => D::EnvVariable(EnvVariable::read(fields, context)?),
        })
    }
}

impl Definition {
    /// The Lua code, of the kinds that have some.
    pub fn lua_code(&self) -> Option<&LuaCode> {
        match self {
            Definition::ProcessLua(ProcessLua { code, .. })
            | Definition::FunctionLua(FunctionLua { code, .. })
            | Definition::LibraryLua(LibraryLua { code }) => Some(code),
            _ => None,
        }
    }

    /// How the entry is started and restarted, of the kinds that are services.
    pub fn lifecycle(&self) -> Option<&Lifecycle> {
        match self {
            Definition::PgScope(PgScope { lifecycle, .. })
            | Definition::ProcessService(ProcessService { lifecycle, .. })
            | Definition::ProcessHost(ProcessHost { lifecycle, .. }) => Some(lifecycle),
            _ => None,
        }
    }
}
