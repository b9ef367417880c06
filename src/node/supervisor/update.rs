use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::graph::Graph;
use super::index::Index;
use super::machine::Supervisor;
use super::record::{Action, Desired};
use super::service::Service;
use crate::id::EntryId;

/// A graph that takes over when everything it changes is down.
pub(super) struct Update {
    graph: Graph,
    affected: BTreeSet<EntryId>,
    resume: BTreeSet<EntryId>,
}

impl Supervisor {
    /// A new version of the registry: what is gone or different stops first, with everything that
    /// needs it; then the new graph takes over, what ran before is started again, and new services
    /// with `auto_start` are started (registry.md section 6). `changed` names services whose entry
    /// differs in a way that the graph does not show.
    pub fn handle_update(&mut self, now: Instant, graph: Graph, changed: &BTreeSet<EntryId>) {
        if self.shutdown.is_some() {
            return;
        }
        let differs = |id: &&EntryId| match (self.graph.node(id), graph.node(id)) {
            (Some(old), Some(new)) => {
                old.spec != new.spec || old.requires != new.requires || changed.contains(*id)
            }
            _ => true,
        };
        let mut affected = self.graph.dependents(self.graph.ids().filter(differs));
        let running = |id: &&EntryId| {
            self.services.get(*id).is_some_and(|service| service.record.desired == Desired::Running)
        };
        let mut resume: BTreeSet<_> = affected.iter().filter(running).cloned().collect();
        resume.extend(graph.roots().filter(|id| self.graph.node(id).is_none()).cloned());
        if let Some(earlier) = self.update.take() {
            affected.extend(earlier.affected);
            resume.extend(earlier.resume);
        }
        for id in &affected {
            self.change(now, id, |service, _, actions| service.want_stopped(now, actions));
        }
        self.update = Some(Update { graph, affected, resume });
        self.settle(now);
    }

    /// Lets `id` start after the update that it is part of; false if it is part of none.
    pub(super) fn resume_after_update(&mut self, id: &EntryId) -> bool {
        let update = self.update.as_mut().filter(|update| update.affected.contains(id));
        update.map(|update| update.resume.insert(id.clone())).is_some()
    }

    pub(super) fn finish_update(&mut self, now: Instant) {
        let down = |id: &EntryId| self.services.get(id).is_none_or(Service::is_down);
        let ready = self.update.take_if(|update| update.affected.iter().all(down));
        let Some(Update { graph, resume, .. }) = ready else { return };
        let old = std::mem::replace(&mut self.graph, graph);
        self.adopt_graph(now);
        for id in old.ids().filter(|id| self.graph.node(id).is_none()) {
            self.actions.push_back(Action::Gone(id.clone()));
        }
        let new = self.states().filter(|record| old.node(&record.id).is_none());
        let published: Vec<_> = new.cloned().map(Action::Publish).collect();
        self.actions.extend(published);
        self.want_running(now, &resume);
    }

    /// Makes `services` and the index fit the graph. A run that did not end yet is remembered even
    /// if its service is gone, so that a service of that name would wait for it.
    pub(super) fn adopt_graph(&mut self, now: Instant) {
        let graph = &self.graph;
        self.services.retain(|id, service| graph.node(id).is_some() || service.is_live());
        self.index = Index::default();
        for id in graph.ids() {
            let Some(node) = graph.node(id) else { continue };
            let service = self
                .services
                .entry(id.clone())
                .or_insert_with(|| Service::new(id.clone(), Arc::clone(&node.spec), now));
            service.spec = Arc::clone(&node.spec);
            self.index.insert(node.level, service);
        }
    }
}
