use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::{NodeBackend, Running};
use crate::id::{EntryId, Serial};
use crate::lua::{Identity, Seed};
use crate::node::services::Reporter;
use crate::node::supervisor::Outcome;
use crate::process::{
    self, Address, Runtime, Signal, SpawnReply, SpawnRequest, Ties, Watcher, events,
};
use crate::registry::kind::{ProcessService, ServiceSecurity};
use crate::security::{Actor, Context};
use crate::value::{ErrorValue, Values, kind};

/// The reason that a service's process is given when it is to stop (process.md section 6).
const STOPPING: &str = "service stopping";

/// A running process service.
pub(super) struct ProcessRun(Arc<Shared>);

struct Shared {
    process: Mutex<Option<Serial>>,
    is_stopping: AtomicBool,
    reporter: Mutex<Option<Reporter>>,
}

impl NodeBackend {
    pub(super) fn start_process(&self, id: &EntryId, service: &ProcessService, reporter: Reporter) {
        let run = Arc::new(Shared {
            process: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            reporter: Mutex::new(Some(reporter)),
        });
        self.keep(id, Running::Process(ProcessRun(run.clone())));
        match self.request(service, &run) {
            Ok(request) => {
                let runtime = self.0.runtime.clone();
                let reply = SpawnReply::Callback(Box::new(move |started| match started {
                    Ok(child) => run.started(&runtime, child.serial()),
                    Err(error) => run.ended(Outcome::Retry(error.message.to_string())),
                }));
                self.0.runtime.spawn(request, reply);
            }
            Err(error) => run.ended(Outcome::Fatal(error.message.to_string())),
        }
    }

    fn request(
        &self,
        service: &ProcessService,
        run: &Arc<Shared>,
    ) -> Result<SpawnRequest, ErrorValue> {
        let missing = |id: &EntryId| ErrorValue::new(kind::NOT_FOUND, format!("no entry {id}"));
        let program = self
            .0
            .lua
            .programs
            .get(service.process.as_str())
            .ok_or_else(|| missing(&service.process))?;
        let host = self.0.runtime.hosts().find(service.host.as_str());
        let identity = Identity {
            security: self.context(service.lifecycle.security.as_ref())?,
            context: Arc::default(),
        };
        let input: Vec<Values> = service.input.iter().map(Values::from_json).collect();
        let watched = run.clone();
        let ended = move |_, outcome| watched.ended(watched.meaning(outcome));
        Ok(SpawnRequest {
            entry: program.id.clone(),
            host: host.ok_or_else(|| missing(&service.host))?,
            seed: Box::new(Seed { program, arguments: Values::concat(&input), identity }),
            name: None,
            messages: Vec::new(),
            watcher: Some(Watcher::Callback(Box::new(ended))),
            parent: None,
            ties: Ties::default(),
        })
    }

    /// Actor and policies of a service: with a block always complete, without one none.
    fn context(&self, security: Option<&ServiceSecurity>) -> Result<Context, ErrorValue> {
        let Some(security) = security else { return Ok(Context::NONE) };
        let groups = security.groups.iter().cloned();
        let scope = self
            .0
            .lua
            .policies
            .scope(groups, security.policies.iter().cloned())
            .map_err(|error| ErrorValue::new(kind::NOT_FOUND, error.to_string()))?;
        Ok(Context::new(Actor::new(&security.actor_id, security.actor_meta.clone()), scope))
    }
}

impl Shared {
    fn started(&self, runtime: &Runtime, process: Serial) {
        *self.process.lock() = Some(process);
        if let Some(reporter) = &*self.reporter.lock() {
            reporter.started(runtime.text(&Address::Local(process)));
        }
        if self.is_stopping.load(Ordering::Relaxed) {
            cancel(runtime, process);
        }
    }

    fn ended(&self, outcome: Outcome) {
        let reporter = self.reporter.lock().take();
        if let Some(reporter) = reporter {
            reporter.ended(outcome);
        }
    }

    /// What the end of the process means for the service (supervision.md section 5). An error that
    /// says itself that retrying is of no use ends it; the host's own conversions do not say so.
    fn meaning(&self, outcome: process::Outcome) -> Outcome {
        match outcome {
            _ if self.is_stopping.load(Ordering::Relaxed) => Outcome::Stopped,
            process::Outcome::Normal(_) => Outcome::Normal,
            process::Outcome::Terminated => Outcome::Retry("process terminated".to_owned()),
            process::Outcome::Failed(error) => {
                let text = format!("process failed: {}", error.message);
                match (error.retryable, &*error.kind) {
                    (Some(false), kind::INTERNAL) | (Some(true) | None, _) => Outcome::Retry(text),
                    (Some(false), _) => Outcome::Fatal(text),
                }
            }
        }
    }
}

impl ProcessRun {
    /// Asks the process to stop, now or as soon as it has started.
    pub(super) fn stop(&self, runtime: &Runtime) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
        if let Some(process) = *self.0.process.lock() {
            cancel(runtime, process);
        }
    }

    /// Kills the process.
    pub(super) fn terminate(&self, runtime: &Runtime) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
        match *self.0.process.lock() {
            Some(process) => {
                let _ = runtime.signal(&Address::Local(process), Signal::Terminate);
            }
            None => self.0.ended(Outcome::Stopped),
        }
    }
}

fn cancel(runtime: &Runtime, process: Serial) {
    let cancel = Signal::Cancel { from: events::NOBODY.into(), reason: STOPPING.to_owned() };
    let _ = runtime.signal(&Address::Local(process), cancel);
}
