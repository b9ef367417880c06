use tokio::sync::mpsc::UnboundedSender;

use super::handle::Order;
use crate::id::EntryId;
use crate::node::supervisor::{Outcome, Run};

/// The voice of one run of a service. A run always ends: a reporter that is dropped without a word,
/// as by a panic, reports a failure that may be retried.
#[derive(Debug)]
pub struct Reporter {
    id: EntryId,
    run: Run,
    orders: Option<UnboundedSender<Order>>,
}

impl Reporter {
    pub(super) fn new(id: EntryId, run: Run, orders: UnboundedSender<Order>) -> Self {
        Self { id, run, orders: Some(orders) }
    }

    /// The start succeeded; `details` is shown in the state of the service.
    pub fn started(&self, details: impl Into<String>) {
        let (id, run) = (self.id.clone(), self.run);
        self.send(Order::Started(id, run, details.into()));
    }

    /// The run is over, or its start failed.
    pub fn ended(mut self, outcome: Outcome) {
        self.end(outcome);
    }

    fn end(&mut self, outcome: Outcome) {
        self.send(Order::Ended(self.id.clone(), self.run, outcome));
        self.orders = None;
    }

    fn send(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // The driver is gone only when everything is down, and then nobody asks any more.
            let _ = orders.send(order);
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if self.orders.is_some() {
            self.end(Outcome::Retry("the service ended without a word".to_owned()));
        }
    }
}
