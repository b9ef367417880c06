use std::sync::Arc;
use std::time::{Duration, Instant};

use super::result::{Ended, exit_of};
use super::serve::{stop, tell_ready};
use super::signals::Signals;
use super::{start_node, tokio_runtime};
use crate::cli::exit::Exit;
use crate::cli::load::Loaded;
use crate::cli::output;
use crate::cli::problem::Problem;
use crate::id::EntryId;
use crate::lua::Program;
use crate::node::Node;
use crate::process::HostLimits;
use crate::registry::{Kind, Registry};
use crate::value::Values;

/// The host for what has none of its own.
pub(super) const BUILT_IN_HOST: &str = "app:processes";

/// How long a process that was asked to stop may take before it is ended.
const GRACE: Duration = Duration::from_secs(5);

/// Runs a process of a registry to its end, beside the services.
pub(super) fn run(
    loaded: Loaded,
    id: &EntryId,
    host: Option<&str>,
    arguments: &[String],
) -> anyhow::Result<Exit> {
    let host = host_for(&loaded.registry, id, host)?;
    let id = id.clone();
    run_in(loaded, &host, arguments, move |node| {
        let program = node.lua().programs.get(id.as_str());
        program.ok_or_else(|| Problem::failure(format!("{id} has no code")))
    })
}

/// Runs a program on a node with the services of `loaded`.
pub(super) fn run_in(
    loaded: Loaded,
    host: &str,
    arguments: &[String],
    program: impl FnOnce(&Node) -> Result<Arc<Program>, Problem>,
) -> anyhow::Result<Exit> {
    let began = Instant::now();
    tokio_runtime()?.block_on(async {
        let mut signals = Signals::take()?;
        let node = start_node(loaded.config, loaded.registry)?;
        let boot = node.boot().await;
        tell_ready(&node, &boot, began);
        if node.runtime().hosts().find(host).is_none()
            && let Ok(id) = host.parse()
        {
            node.runtime().hosts().open(&id, HostLimits::default())?;
        }
        let program = program(&node)?;
        let arguments: Vec<Values> = arguments.iter().map(Values::str).collect();
        let ended = watch(&node, program, host, &arguments, &mut signals).await;
        let (text, exit) = exit_of(ended);
        output::print(&text.on_stdout)?;
        output::complain(&text.on_stderr);
        Ok(match stop(&node, &mut signals).await {
            Exit::Fine => exit,
            worse => worse,
        })
    })
}

async fn watch(
    node: &Node,
    program: Arc<Program>,
    host: &str,
    arguments: &[Values],
    signals: &mut Signals,
) -> Ended {
    let mut execution = match node.begin(program, host, Values::concat(arguments)) {
        Ok(execution) => execution,
        Err(error) => return Ended { result: Err(error), was_interrupted: false },
    };
    tokio::select! {
        result = execution.finished() => return Ended { result, was_interrupted: false },
        _ = signals.next() => execution.cancel("interrupted"),
    }
    let result = tokio::select! {
        result = execution.finished() => result,
        () = tokio::time::sleep(GRACE) => {
            execution.terminate();
            execution.finished().await
        }
        _ = signals.force() => unreachable!("the program has ended"),
    };
    Ended { result, was_interrupted: true }
}

/// The host that a process runs on: as asked, its own, the only one, or the built-in one.
fn host_for(registry: &Registry, id: &EntryId, asked: Option<&str>) -> Result<String, Problem> {
    let hosts: Vec<&str> =
        registry.of_kind(Kind::ProcessHost).map(|entry| entry.id().as_str()).collect();
    if let Some(asked) = asked {
        return match hosts.contains(&asked) {
            true => Ok(asked.to_owned()),
            false => {
                let problem = Problem::failure(format!("no process.host \"{asked}\""));
                Err(problem.at("--host").valid(hosts))
            }
        };
    }
    let own = registry.get(id).and_then(|entry| entry.default_host());
    Ok(match (own, hosts.as_slice()) {
        (Some(own), _) => own.to_string(),
        (None, [only]) => (*only).to_owned(),
        (None, []) => BUILT_IN_HOST.to_owned(),
        (None, several) => {
            let problem = Problem::failure(format!("{id} does not say on which host it runs"));
            return Err(problem.valid(several).hint("name one of them with --host"));
        }
    })
}
