use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwapOption;

use super::backend::NodeBackend;
use super::code::{self, PolicyRemark};
use super::services::Services;
use super::supervisor::{BootReport, Graph, GraphError, Limits, ShutdownReport};
use crate::config::Config;
use crate::id::{EntryId, Incarnation, Origin};
use crate::lua::spec::SpecHost;
use crate::lua::{self, Identity, Output, Program, Programs, Seed, VmMemory};
use crate::process::{
    Address, HostLimits, Outcome, Runtime, Signal, SpawnReply, SpawnRequest, StartError, Ties,
    TooManyHosts, Watcher, events,
};
use crate::registry::Registry;
use crate::scope::{Clock, Scopes};
use crate::security::{Guard, Mode, Policies, PoliciesError};
use crate::value::{ErrorValue, Values, kind};

/// The host on which functions run.
pub const FUNCTIONS_HOST: &str = "system:functions";

/// What a node is started with.
pub struct NodeOptions {
    /// Its settings.
    pub config: Config,
    /// What it runs.
    pub registry: Registry,
    /// Where `print` goes.
    pub output: Output,
    /// Worker threads; as many as cores if absent.
    pub workers: Option<usize>,
    /// The spec that it is started for, if it is for one.
    pub spec: Option<Arc<dyn SpecHost>>,
}

/// A running node: everything of it, put together. Two of them can live in one process.
pub struct Node {
    runtime: Runtime,
    lua: Arc<lua::Services>,
    services: Services,
    memory: VmMemory,
}

/// Why a node did not start.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The machine refused threads or memory.
    #[error(transparent)]
    Machine(#[from] StartError),
    /// The registry's entries wait for each other.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A policy cannot be used.
    #[error("policy {0}: {1}")]
    Policy(EntryId, String),
    /// Two policies contradict.
    #[error(transparent)]
    Policies(#[from] PoliciesError),
    /// Too many hosts.
    #[error(transparent)]
    Hosts(#[from] TooManyHosts),
}

impl Node {
    /// Starts a node without its services: see [`Node::boot`]. Has to be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// [`NodeError`]; nothing is left running.
    pub fn start(options: NodeOptions) -> Result<Self, NodeError> {
        let NodeOptions { config, registry, output, workers, spec } = options;
        let graph = Graph::of(&registry)?;
        let lua = Arc::new(lua::Services {
            guard: Guard::new(if config.strict_security { Mode::Strict } else { Mode::Permissive }),
            policies: Policies::new(checked_policies(&registry)?)?,
            programs: Programs::default(),
            names: ArcSwapOption::empty(),
            scopes: OnceLock::new(),
            spec,
            output,
        });
        lua.programs.replace(code::programs(&registry));
        let origin = Origin { node: config.node_name.clone(), incarnation: incarnation() };
        let workers = workers.unwrap_or_else(cores);
        let (runtime, memory) = lua::start(origin, workers, lua.clone())?;
        if let Ok(functions) = FUNCTIONS_HOST.parse() {
            runtime.hosts().open(&functions, HostLimits::default())?;
        }
        let scopes = lua.scopes.get_or_init(|| Scopes::new(&runtime, Clock::steady()));
        scopes.declare(code::scopes(&registry));
        let limits = Limits { boot: config.boot_timeout, shutdown: config.shutdown_timeout };
        let backend = NodeBackend::new(runtime.clone(), lua.clone(), registry);
        let services = Services::run(graph, limits, backend);
        Ok(Self { runtime, lua, services, memory })
    }

    /// Starts every service with `auto_start`; ready when each required one is up or has failed.
    pub async fn boot(&self) -> BootReport {
        self.services.boot().await
    }

    /// Stops everything in order, at the latest when the time for it is over.
    pub async fn shutdown(&self) -> ShutdownReport {
        let report = self.services.shutdown().await;
        let runtime = self.runtime.clone();
        let _ = tokio::task::spawn_blocking(move || runtime.stop()).await;
        report
    }

    /// The process world.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The services and their states.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// What the Lua side shares.
    pub fn lua(&self) -> &Arc<lua::Services> {
        &self.lua
    }

    /// The process groups.
    pub fn scopes(&self) -> Option<&Scopes> {
        self.lua.scopes.get()
    }

    /// The memory of each Lua VM.
    pub fn memory(&self) -> &VmMemory {
        &self.memory
    }

    /// Runs a program as a process of `host` to its end, beside the services.
    ///
    /// # Errors
    /// What the process failed with, or why it could not be started.
    pub async fn exec(
        &self,
        program: Arc<Program>,
        host: &str,
        arguments: Values,
    ) -> Result<Values, ErrorValue> {
        self.begin(program, host, arguments)?.result().await
    }

    /// Starts a program as a process of `host`.
    ///
    /// # Errors
    /// If there is no such host.
    pub fn begin(
        &self,
        program: Arc<Program>,
        host: &str,
        arguments: Values,
    ) -> Result<Execution, ErrorValue> {
        let host = self.runtime.hosts().find(host).ok_or_else(|| {
            ErrorValue::new(kind::NOT_FOUND, format!("process host {host} is not running"))
        })?;
        let (outcome, ended) = tokio::sync::oneshot::channel();
        let (child, started) = tokio::sync::oneshot::channel();
        let watcher = Watcher::Callback(Box::new(move |_, how| drop(outcome.send(how))));
        let request = SpawnRequest {
            entry: program.id.clone(),
            host,
            seed: Box::new(Seed { program, arguments, identity: Identity::default() }),
            name: None,
            messages: Vec::new(),
            watcher: Some(watcher),
            parent: None,
            ties: Ties::default(),
        };
        let reply = SpawnReply::Callback(Box::new(move |result| {
            drop(child.send(result.map(|child| child.serial())));
        }));
        self.runtime.spawn(request, reply);
        Ok(Execution { runtime: self.runtime.clone(), started, ended, process: None })
    }
}

/// A process that somebody outside waits for.
pub struct Execution {
    runtime: Runtime,
    started: tokio::sync::oneshot::Receiver<Result<crate::id::Serial, ErrorValue>>,
    ended: tokio::sync::oneshot::Receiver<Outcome>,
    process: Option<crate::id::Serial>,
}

impl Execution {
    /// Waits for the end.
    ///
    /// # Errors
    /// What the process failed with, or why it could not be started.
    pub async fn result(mut self) -> Result<Values, ErrorValue> {
        self.finished().await
    }

    /// As [`Execution::result`]; may be dropped and called again.
    ///
    /// # Errors
    /// As [`Execution::result`].
    pub async fn finished(&mut self) -> Result<Values, ErrorValue> {
        let stopped = || ErrorValue::new(kind::UNAVAILABLE, "the node has stopped");
        if self.process.is_none() {
            let started = (&mut self.started).await.map_err(|_| stopped())?;
            self.process = Some(started?);
        }
        (&mut self.ended).await.map_err(|_| stopped())?.result()
    }

    /// Ends the process, whatever it does.
    pub fn terminate(&self) {
        if let Some(process) = self.process {
            let _ = self.runtime.signal(&Address::Local(process), Signal::Terminate);
        }
    }

    /// Asks the process to stop.
    pub fn cancel(&self, reason: &str) {
        if let Some(process) = self.process {
            let signal = Signal::Cancel { from: events::NOBODY.into(), reason: reason.to_owned() };
            let _ = self.runtime.signal(&Address::Local(process), signal);
        }
    }
}

fn checked_policies(registry: &Registry) -> Result<Vec<crate::security::Policy>, NodeError> {
    let (policies, remarks) = code::policies(registry);
    for remark in remarks {
        match remark {
            PolicyRemark::Fault(id, fault) => {
                return Err(NodeError::Policy(id, fault.to_string()));
            }
            PolicyRemark::Warning(id, warning) => {
                tracing::warn!(target: "moonmesh::security", entry = id.as_str(), "{warning}");
            }
        }
    }
    Ok(policies)
}

/// A number that no earlier run of this node had: the time, in microseconds.
fn incarnation() -> Incarnation {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Incarnation(now.as_micros() as u64)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
