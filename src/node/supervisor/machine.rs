use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::boot::Boot;
use super::graph::{Graph, Node};
use super::index::Index;
use super::policy::Outcome;
use super::record::{Action, Run, StateRecord};
use super::service::Service;
use super::shutdown::Shutdown;
use super::update::Update;
use crate::id::EntryId;

/// Limits on the whole.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long boot waits for required services (`boot.timeout`).
    pub boot: Duration,
    /// How long the stop of everything may take (`shutdown.timeout`).
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { boot: Duration::from_secs(60), shutdown: Duration::from_secs(30) }
    }
}

/// Decides what every service does next. It holds no task, clock or source of chance: events and
/// the time come in through `handle_*`, what to do goes out through [`Supervisor::poll_action`].
///
/// After each `handle_*` call drain the actions, and call [`Supervisor::handle_timeout`] when
/// [`Supervisor::next_deadline`] is reached. Times never go backwards.
pub struct Supervisor {
    pub(super) limits: Limits,
    pub(super) graph: Graph,
    pub(super) services: BTreeMap<EntryId, Service>,
    pub(super) index: Index,
    pub(super) actions: VecDeque<Action>,
    pub(super) boot: Option<Boot>,
    pub(super) update: Option<Update>,
    pub(super) shutdown: Option<Shutdown>,
    chance: Box<dyn FnMut() -> f64 + Send>,
    last_run: u64,
}

impl Supervisor {
    /// A supervisor of everything in `graph`, nothing of it started. `chance` gives numbers spread
    /// evenly between -1 and 1, for the jitter of retries.
    pub fn new(
        graph: Graph,
        limits: Limits,
        chance: impl FnMut() -> f64 + Send + 'static,
        now: Instant,
    ) -> Self {
        let mut supervisor = Self {
            limits,
            graph,
            services: BTreeMap::new(),
            index: Index::default(),
            actions: VecDeque::new(),
            boot: None,
            update: None,
            shutdown: None,
            chance: Box::new(chance),
            last_run: 0,
        };
        supervisor.adopt_graph(now);
        supervisor
    }

    /// The start of `run` succeeded; `details` is shown in its state (the PID of the child).
    pub fn handle_started(&mut self, now: Instant, id: &EntryId, run: Run, details: String) {
        self.change(now, id, |service, _, _| service.started(run, details, now));
        self.settle(now);
    }

    /// `run` is gone, or its start failed.
    pub fn handle_ended(&mut self, now: Instant, id: &EntryId, run: Run, outcome: Outcome) {
        self.change(now, id, |service, chance, _| service.ended(run, outcome, now, chance));
        self.settle(now);
    }

    /// `id` is wanted, and with it everything that it needs. A service that was given up or has
    /// finished is tried anew. Ignored for unknown ids and once everything is to stop.
    pub fn handle_start(&mut self, now: Instant, id: &EntryId) {
        if self.shutdown.is_some() || self.resume_after_update(id) {
            return;
        }
        self.want_running(now, [id]);
        self.settle(now);
    }

    /// `id` is not wanted, and so is nothing that needs it; dependents stop first.
    pub fn handle_stop(&mut self, now: Instant, id: &EntryId) {
        for id in self.graph.dependents([id]) {
            self.change(now, &id, |service, _, actions| service.want_stopped(now, actions));
        }
        self.settle(now);
    }

    /// [`Supervisor::next_deadline`] was reached. Harmless if it was not.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.boot_timeout(now);
        self.shutdown_timeout(now);
        while let Some((_, id)) = self.index.timers.first().filter(|(at, _)| *at <= now).cloned() {
            self.change(now, &id, |service, chance, actions| service.timeout(now, chance, actions));
        }
        self.settle(now);
    }

    /// What to do next, in order.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// When [`Supervisor::handle_timeout`] has to be called next.
    pub fn next_deadline(&self) -> Option<Instant> {
        let service = self.index.timers.first().map(|(at, _)| *at);
        let boot = self.boot.as_ref().map(|boot| boot.deadline);
        let shutdown = self.shutdown.as_ref().and_then(Shutdown::deadline);
        [service, boot, shutdown].into_iter().flatten().min()
    }

    /// The state of one service.
    pub fn state(&self, id: &EntryId) -> Option<&StateRecord> {
        self.graph.node(id)?;
        self.services.get(id).map(|service| &service.record)
    }

    /// The states of all services, by id.
    pub fn states(&self) -> impl Iterator<Item = &StateRecord> {
        self.graph.ids().filter_map(|id| self.state(id))
    }

    /// Applies `change` to one service; publishes its record if that changed, then queues what
    /// follows.
    pub(super) fn change(
        &mut self,
        now: Instant,
        id: &EntryId,
        change: impl FnOnce(&mut Service, &mut dyn FnMut() -> f64, &mut VecDeque<Action>),
    ) {
        let Some(service) = self.services.get_mut(id) else { return };
        let level = self.graph.node(id).map_or(0, |node| node.level);
        let before = service.record.clone();
        let mut actions = VecDeque::new();
        self.index.remove(level, service);
        change(service, &mut self.chance, &mut actions);
        self.index.insert(level, service);
        if service.record != before {
            service.record.last_update = now;
            self.actions.push_back(Action::Publish(service.record.clone()));
            self.note_for_boot(id);
        }
        self.actions.append(&mut actions);
    }

    /// Wants `ids` and what they need; of the latter, what has finished its work stays finished.
    pub(super) fn want_running<'a>(
        &mut self,
        now: Instant,
        ids: impl IntoIterator<Item = &'a EntryId>,
    ) {
        let asked: BTreeSet<&EntryId> = ids.into_iter().collect();
        for id in self.graph.closure(asked.iter().copied()) {
            let asked = asked.contains(&id);
            self.change(now, &id, |service, _, _| {
                if asked || !service.is_up() {
                    service.want_running();
                }
            });
        }
    }

    /// Does everything that has become possible.
    pub(super) fn settle(&mut self, now: Instant) {
        self.finish_update(now);
        for (_, id) in self.index.to_begin.clone() {
            match self.missing(&id) {
                Some(needed) => {
                    let reason = format!("waiting for {needed}");
                    self.change(now, &id, |service, _, _| service.wait_to_begin(reason));
                }
                None => {
                    self.last_run += 1;
                    let run = Run(self.last_run);
                    self.change(now, &id, |service, _, actions| service.begin(run, now, actions));
                }
            }
        }
        let latest = self.shutdown.as_ref().and_then(Shutdown::deadline);
        for id in self.index.to_stop.clone() {
            if !self.is_needed(&id) {
                self.change(now, &id, |service, _, actions| service.stop(now, latest, actions));
            }
        }
        self.finish_boot();
        self.finish_shutdown();
    }

    /// A service that has to be up before `id` begins and is not.
    fn missing(&self, id: &EntryId) -> Option<EntryId> {
        let node = self.graph.node(id)?;
        let up = |id: &&EntryId| self.services.get(*id).is_some_and(Service::is_up);
        node.requires.iter().find(|id| !up(id)).cloned()
    }

    /// Whether something has to be down before `id` is told to stop.
    fn is_needed(&self, id: &EntryId) -> bool {
        let down = |id: &EntryId| self.services.get(id).is_none_or(Service::is_down);
        if self.shutdown.is_some() {
            let level = self.graph.node(id).map_or(0, |node: &Node| node.level);
            return self.index.alive.last().is_some_and(|(highest, _)| *highest > level);
        }
        self.graph.dependents([id]).iter().any(|dependent| dependent != id && !down(dependent))
    }
}
