use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use imbl::OrdMap;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use crate::id::EntryId;
use crate::node::supervisor::{
    BootReport, Graph, Outcome, Run, ShutdownReport, StateRecord, Supervisor,
};

/// The states of all services at one moment. Cloning is a reference count.
pub type States = OrdMap<EntryId, StateRecord>;

/// The services of a node. Cheap to clone; usable from any thread.
#[derive(Clone)]
pub struct Services {
    orders: UnboundedSender<Order>,
    pub(super) shared: Arc<Shared>,
}

/// What the driver is told.
#[derive(Debug)]
pub(super) enum Order {
    Boot,
    Start(EntryId),
    Stop(EntryId),
    Update(Graph, BTreeSet<EntryId>),
    Shutdown,
    Started(EntryId, Run, String),
    Ended(EntryId, Run, Outcome),
}

/// What the driver tells.
pub(super) struct Shared {
    pub(super) states: ArcSwap<States>,
    pub(super) unready: ArcSwap<Vec<(EntryId, String)>>,
    pub(super) booted: watch::Sender<Option<BootReport>>,
    pub(super) down: watch::Sender<Option<ShutdownReport>>,
}

impl Services {
    pub(super) fn new(supervisor: &Supervisor) -> (Self, UnboundedReceiver<Order>) {
        let (orders, inbox) = unbounded_channel();
        let states = supervisor.states().map(|record| (record.id.clone(), record.clone()));
        let shared = Shared {
            states: ArcSwap::from_pointee(states.collect()),
            unready: ArcSwap::from_pointee(supervisor.unready()),
            booted: watch::Sender::new(None),
            down: watch::Sender::new(None),
        };
        (Self { orders, shared: Arc::new(shared) }, inbox)
    }

    pub(super) fn orders(&self) -> UnboundedSender<Order> {
        self.orders.clone()
    }

    /// Starts everything with `auto_start`; ready when every required service is up or will not
    /// come up, or when the time for boot is over.
    pub async fn boot(&self) -> BootReport {
        self.order(Order::Boot);
        told(&self.shared.booted).await
    }

    /// Starts `id` and what it needs, also if it was given up.
    pub fn start(&self, id: EntryId) {
        self.order(Order::Start(id));
    }

    /// Stops `id` and what needs it.
    pub fn stop(&self, id: EntryId) {
        self.order(Order::Stop(id));
    }

    /// Goes over to the services of another registry version; `changed` names those whose entry
    /// differs in a way that the graph does not show.
    pub fn update(&self, graph: Graph, changed: BTreeSet<EntryId>) {
        self.order(Order::Update(graph, changed));
    }

    /// Stops everything, in order; ready when it is down or the time for it is over. May be called
    /// more than once, and then waits for the same end.
    pub async fn shutdown(&self) -> ShutdownReport {
        self.order(Order::Shutdown);
        told(&self.shared.down).await
    }

    /// The states of all services.
    pub fn states(&self) -> Arc<States> {
        self.shared.states.load_full()
    }

    /// Required services that are not up, with what they do instead. Empty means ready.
    pub fn unready(&self) -> Arc<Vec<(EntryId, String)>> {
        self.shared.unready.load_full()
    }

    fn order(&self, order: Order) {
        // The driver is gone only when everything is down: there is nothing left to order.
        let _ = self.orders.send(order);
    }
}

/// What `channel` tells, once it does. If nobody can tell any more there is nothing to report.
async fn told<T: Clone + Default>(channel: &watch::Sender<Option<T>>) -> T {
    let mut heard = channel.subscribe();
    let told = heard.wait_for(Option::is_some).await;
    told.ok().and_then(|told| told.clone()).unwrap_or_default()
}
