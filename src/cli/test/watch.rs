use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Plan;
use super::case::Case;
use crate::cli::specs::{Event, Failure, Order, Suite};
use crate::id::EntryId;
use crate::lua::spec::{MAIN, SPAWNED, SpecHost, SpecSettings};
use crate::lua::{Modules, Output, Program, Role};
use crate::node::{Node, NodeOptions};
use crate::process::HostLimits;
use crate::value::{ErrorValue, Values};

/// The host that the process of a spec runs on.
const HOST: &str = "app:processes";

/// How much longer than its limit a test may take before its whole file is given up: a test that
/// does not even let the library end it.
const GRACE: Duration = Duration::from_secs(60);

/// Runs one case on a node of its own to its end.
pub(super) async fn run(case: Case, plan: Arc<Plan>) -> Suite {
    let path = case.path.clone();
    match start(case, plan).await {
        Ok(suite) => suite,
        Err(message) => {
            let mut suite = Suite::new(path);
            let failure = Failure { message, ..Failure::default() };
            suite.break_off(failure, Duration::ZERO);
            suite
        }
    }
}

async fn start(case: Case, plan: Arc<Plan>) -> Result<Suite, String> {
    let Case { path, source, entry, node } = case;
    let loaded = node?;
    let settings = plan.settings(path.clone(), source?, entry);
    let test_timeout = plan.test_timeout;
    let watcher = Arc::new(Watcher {
        order: Mutex::new(plan.choice.order(&path)),
        suite: Mutex::new(Suite::new(path)),
        has_failed: AtomicBool::new(false),
        began: Mutex::new(Instant::now()),
        settings,
        plan,
    });
    let log = watcher.clone();
    let note = move |line: &[u8]| {
        log.suite.lock().note_log(String::from_utf8_lossy(line).into_owned());
    };
    let node = Node::start(NodeOptions {
        config: loaded.config,
        registry: loaded.registry,
        output: Output::Lines(Arc::new(note)),
        workers: Some(2),
        spec: Some(watcher.clone()),
    });
    let node = node.map_err(|error| error.to_string())?;
    let boot = node.boot().await;
    for (service, why) in boot.failed.iter().chain(&boot.late) {
        let failure = Failure { message: format!("{service}: {why}"), ..Failure::default() };
        watcher.suite.lock().break_off(failure, Duration::ZERO);
    }
    let result = execute(&node, &watcher, test_timeout).await;
    if let Err(error) = result {
        let elapsed = watcher.began.lock().elapsed();
        let kind = (!error.kind.is_empty()).then(|| error.kind.to_string());
        let failure = Failure { message: error.message.to_string(), kind, ..Failure::default() };
        watcher.suite.lock().break_off(failure, elapsed);
    }
    node.shutdown().await;
    let suite = watcher.suite.lock().clone();
    Ok(suite)
}

/// Runs the process of the spec; gives up if a test takes much longer than it may.
async fn execute(node: &Node, watcher: &Watcher, limit: Duration) -> Result<Values, ErrorValue> {
    let internal = |text: String| ErrorValue::new(crate::value::kind::INTERNAL, text);
    let main = program("app:spec", MAIN).map_err(&internal)?;
    node.lua().programs.insert(program("app:spec_process", SPAWNED).map_err(&internal)?);
    node.lua().programs.insert(main.clone());
    if node.runtime().hosts().find(HOST).is_none()
        && let Ok(id) = HOST.parse()
    {
        let opened = node.runtime().hosts().open(&id, HostLimits::default());
        opened.map_err(|error| internal(error.to_string()))?;
    }
    let mut execution = node.begin(Arc::new(main), HOST, Values::EMPTY)?;
    loop {
        tokio::select! {
            result = execution.finished() => return result,
            () = tokio::time::sleep(Duration::from_millis(200)) => {
                let running = watcher.suite.lock().running().is_some();
                if running && watcher.began.lock().elapsed() > limit + GRACE {
                    execution.terminate();
                    let text = "the test went on long after its time and was ended";
                    return Err(ErrorValue::new(crate::value::kind::TIMEOUT, text));
                }
            }
        }
    }
}

fn program(id: &str, source: &str) -> Result<Program, String> {
    let id: EntryId = id.parse().map_err(|error| format!("{id}: {error}"))?;
    Ok(Program {
        chunk_name: format!("[spec:{}]", id.name()),
        id,
        role: Role::Script,
        source: source.into(),
        method: String::new(),
        modules: Modules::All,
        imports: BTreeMap::new(),
        default_host: None,
    })
}

/// Follows one case.
struct Watcher {
    settings: SpecSettings,
    plan: Arc<Plan>,
    order: Mutex<Option<Order>>,
    suite: Mutex<Suite>,
    has_failed: AtomicBool,
    /// When the present test began.
    began: Mutex<Instant>,
}

impl SpecHost for Watcher {
    fn settings(&self) -> &SpecSettings {
        &self.settings
    }

    fn report(&self, event: serde_json::Value) {
        let event = match serde_json::from_value::<Event>(event) {
            Ok(event) => event,
            Err(error) => {
                let message = format!("the spec library said what nobody understands: {error}");
                let failure = Failure { message, ..Failure::default() };
                self.suite.lock().break_off(failure, Duration::ZERO);
                return;
            }
        };
        match event {
            Event::TestStart(_) => *self.began.lock() = Instant::now(),
            Event::TestFail { .. } | Event::Error(_) => {
                self.has_failed.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
        self.suite.lock().note(event);
    }

    fn accepts(&self, full_name: &str, tags: &[String]) -> bool {
        self.plan.choice.accepts(full_name, tags)
    }

    fn order(&self, count: usize) -> Vec<usize> {
        match &mut *self.order.lock() {
            Some(order) => order.next(count),
            None => (1..=count).collect(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.plan.fail_fast && self.has_failed.load(Ordering::Relaxed)
    }
}
