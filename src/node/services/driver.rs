use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep_until;

use super::Backend;
use super::handle::{Order, Services, States};
use super::reporter::Reporter;
use crate::node::supervisor::{Action, BootReport, Supervisor};

/// The task that decides and acts.
pub(super) struct Driver<B> {
    supervisor: Supervisor,
    backend: B,
    services: Services,
    states: States,
}

/// The time that supervision goes by. It is tokio's, which tests can hold still.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl<B: Backend> Driver<B> {
    pub(super) fn new(supervisor: Supervisor, backend: B, services: Services) -> Self {
        let states = services.states().as_ref().clone();
        Self { supervisor, backend, services, states }
    }

    /// Works until everything is down.
    pub(super) async fn drive(mut self, mut inbox: UnboundedReceiver<Order>) {
        while self.services.shared.down.borrow().is_none() {
            let order = match self.supervisor.next_deadline() {
                Some(deadline) => tokio::select! {
                    order = inbox.recv() => order,
                    () = sleep_until(deadline.into()) => {
                        self.supervisor.handle_timeout(now());
                        self.act();
                        continue;
                    }
                },
                None => inbox.recv().await,
            };
            // The driver holds a sender itself, so there is always another order to come.
            let Some(order) = order else { break };
            self.handle(order);
            self.act();
        }
    }

    fn handle(&mut self, order: Order) {
        let now = now();
        let supervisor = &mut self.supervisor;
        match order {
            Order::Boot => supervisor.handle_boot(now),
            Order::Start(id) => supervisor.handle_start(now, &id),
            Order::Stop(id) => supervisor.handle_stop(now, &id),
            Order::Update(graph, changed) => {
                supervisor.handle_update(now, graph, &changed);
            }
            Order::Shutdown => supervisor.handle_shutdown(now),
            Order::Started(id, run, details) => supervisor.handle_started(now, &id, run, details),
            Order::Ended(id, run, outcome) => supervisor.handle_ended(now, &id, run, outcome),
        }
    }

    /// Carries out what the supervisor wants done. States are visible before what follows from
    /// them is done.
    fn act(&mut self) {
        let shared = Arc::clone(&self.services.shared);
        while let Some(action) = self.supervisor.poll_action() {
            match action {
                Action::Start { id, run } => {
                    let reporter = Reporter::new(id.clone(), run, self.services.orders());
                    self.backend.start(&id, reporter);
                }
                Action::Stop { id, deadline, .. } => self.backend.stop(&id, deadline),
                Action::Terminate { id, .. } => self.backend.terminate(&id),
                Action::Publish(record) => {
                    self.states.insert(record.id.clone(), record.clone());
                    self.show();
                    self.backend.changed(&record);
                }
                Action::Gone(id) => {
                    self.states.remove(&id);
                    self.show();
                }
                Action::Booted(report) => drop(shared.booted.send_replace(Some(report))),
                Action::Down(report) => {
                    // Boot that was cut short has nothing more to tell.
                    shared.booted.send_if_modified(|booted| {
                        let untold = booted.is_none();
                        booted.get_or_insert_with(BootReport::default);
                        untold
                    });
                    shared.down.send_replace(Some(report));
                }
            }
        }
    }

    /// Makes the states visible.
    fn show(&self) {
        self.services.shared.states.store(Arc::new(self.states.clone()));
        self.services.shared.unready.store(Arc::new(self.supervisor.unready()));
    }
}
