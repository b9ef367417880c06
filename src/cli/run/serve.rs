use std::time::Instant;

use super::signals::Signals;
use super::{start_node, tokio_runtime};
use crate::cli::exit::Exit;
use crate::cli::load::Loaded;
use crate::node::Node;
use crate::node::supervisor::BootReport;

/// Runs the services of a registry until a signal.
pub(super) fn run(loaded: Loaded, strict_start: bool) -> anyhow::Result<Exit> {
    let began = Instant::now();
    tokio_runtime()?.block_on(async {
        let mut signals = Signals::take()?;
        let node = start_node(loaded.config, loaded.registry)?;
        let boot = tokio::select! {
            report = node.boot() => report,
            signal = signals.next() => {
                tracing::info!(target: "moonmesh::node", "{signal} while starting: stopping");
                return Ok(stop(&node, &mut signals).await);
            }
        };
        tell_ready(&node, &boot, began);
        if strict_start && !boot.is_complete() {
            stop(&node, &mut signals).await;
            return Ok(Exit::Failure);
        }
        let signal = signals.next().await;
        tracing::info!(target: "moonmesh::node", "{signal}: stopping");
        Ok(stop(&node, &mut signals).await)
    })
}

/// Stops everything in order; a further signal ends the program at once.
pub(super) async fn stop(node: &Node, signals: &mut Signals) -> Exit {
    let report = tokio::select! {
        report = node.shutdown() => report,
        _ = signals.force() => unreachable!("the program has ended"),
    };
    for (service, why) in &report.forced {
        tracing::warn!(target: "moonmesh::node", service = service.as_str(), "did not stop by itself: {why}");
    }
    match report.left.is_empty() {
        true => {
            tracing::info!(target: "moonmesh::node", "stopped");
            Exit::Fine
        }
        false => {
            let left: Vec<&str> = report.left.iter().map(|id| id.as_str()).collect();
            tracing::error!(target: "moonmesh::node", "the time to stop is over: {} were killed", left.join(", "));
            Exit::Failure
        }
    }
}

/// Logs how the start went.
pub(super) fn tell_ready(node: &Node, boot: &BootReport, began: Instant) {
    for (service, why) in &boot.failed {
        tracing::error!(target: "moonmesh::node", service = service.as_str(), "did not start: {why}");
    }
    for (service, why) in &boot.late {
        tracing::warn!(target: "moonmesh::node", service = service.as_str(), "is not up yet: {why}");
    }
    let states = node.services().states();
    let running = states.values().filter(|state| state.status.as_str() == "running").count();
    let ms = began.elapsed().as_millis() as u64;
    let name = node.runtime().origin().node.as_str();
    tracing::info!(target: "moonmesh::node", node = name, services = running, ms, "ready");
}
