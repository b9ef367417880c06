//! What a service really is: a host, a scope or a process (supervision.md sections 6 and 7).

mod host;
mod process;
mod scope;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::services::{Backend, Reporter};
use super::supervisor::{Desired, Outcome, StateRecord, Status};
use crate::id::EntryId;
use crate::lua;
use crate::process::Runtime;
use crate::registry::{Definition, Registry};

/// Starts and stops the services of a node. Cheap to clone.
#[derive(Clone)]
pub struct NodeBackend(pub(super) Arc<Parts>);

pub(super) struct Parts {
    pub runtime: Runtime,
    pub lua: Arc<lua::Services>,
    pub registry: ArcSwap<Registry>,
    /// The present run of each service.
    runs: Mutex<HashMap<EntryId, Running>>,
}

/// Where the changes of services are logged.
const LOG: &str = "moonmesh::service";

/// A run of a service.
enum Running {
    Host(host::HostRun),
    Process(process::ProcessRun),
    Scope(scope::ScopeRun),
}

impl NodeBackend {
    pub(super) fn new(runtime: Runtime, lua: Arc<lua::Services>, registry: Registry) -> Self {
        let registry = ArcSwap::from_pointee(registry);
        Self(Arc::new(Parts { runtime, lua, registry, runs: Mutex::default() }))
    }

    fn keep(&self, id: &EntryId, run: Running) {
        self.0.runs.lock().insert(id.clone(), run);
    }
}

impl Backend for NodeBackend {
    fn start(&self, id: &EntryId, reporter: Reporter) {
        let registry = self.0.registry.load_full();
        match registry.get(id).map(|entry| entry.definition()) {
            Some(Definition::ProcessHost(host)) => self.start_host(id, host, reporter),
            Some(Definition::ProcessService(service)) => self.start_process(id, service, reporter),
            Some(Definition::PgScope(scope)) => self.start_scope(id, scope, reporter),
            _ => reporter.ended(Outcome::Fatal(format!("{id} is not a service"))),
        }
    }

    fn stop(&self, id: &EntryId, _deadline: Instant) {
        match self.0.runs.lock().get(id) {
            Some(Running::Host(run)) => run.stop(&self.0.runtime),
            Some(Running::Process(run)) => run.stop(&self.0.runtime),
            Some(Running::Scope(run)) => run.stop(),
            None => {}
        }
    }

    fn terminate(&self, id: &EntryId) {
        match self.0.runs.lock().get(id) {
            Some(Running::Host(run)) => run.terminate(&self.0.runtime),
            Some(Running::Process(run)) => run.terminate(&self.0.runtime),
            Some(Running::Scope(run)) => run.stop(),
            None => {}
        }
    }

    fn changed(&self, record: &StateRecord) {
        let (service, status) = (record.id.as_str(), record.status.as_str());
        let details = record.details.as_str();
        match (record.status, record.desired) {
            (Status::Failed, _) => {
                let attempt = record.retry_count;
                tracing::warn!(target: LOG, service, attempt, "{status}: {details}");
            }
            (Status::Running, Desired::Running) | (Status::Stopped, _) => {
                tracing::info!(target: LOG, service, details, "{status}");
            }
            _ => tracing::debug!(target: LOG, service, details, "{status}"),
        }
    }
}
