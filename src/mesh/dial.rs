use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{Endpoint, TransportConfig};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::greeting::{Greeted, datagrams, greet, link, listen, too_late};
use super::hub::{Arrival, Dialled, Event};
use super::shared::Shared;
use super::transport::{Ending, client};
use crate::id::NodeName;
use crate::wire::{CloseCode, Generation, RetryAdvice};

/// The server name of every handshake. Nodes are told apart by their certificates; this is only what
/// the protocol wants to see.
const SERVER_NAME: &str = "moonmesh";

/// What every dial needs.
#[derive(Clone)]
pub(super) struct Dialler {
    pub(super) shared: Arc<Shared>,
    pub(super) endpoint: Endpoint,
    pub(super) transport: Arc<TransportConfig>,
    pub(super) events: mpsc::Sender<Event>,
}

/// A dial that did not become a session.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// What happened, for the log.
    pub(super) ending: Ending,
    /// Who was reached, if that came out.
    pub(super) found: Option<NodeName>,
}

impl Failure {
    /// When to try again.
    pub(super) fn advice(&self) -> RetryAdvice {
        self.ending.code().map_or(RetryAdvice::Soon, CloseCode::advice)
    }

    fn text(text: impl Into<String>) -> Self {
        Self { ending: Ending::Lost(text.into()), found: None }
    }
}

impl From<Ending> for Failure {
    fn from(ending: Ending) -> Self {
        Self { ending, found: None }
    }
}

impl Dialler {
    /// Dials `addr` and says hello; returns once the connection has become a session, and with
    /// whom, or has not.
    pub(super) async fn dial(
        &self,
        addr: SocketAddr,
        expected: Option<NodeName>,
        lost: Generation,
    ) -> Result<NodeName, Failure> {
        let Greeted { connection, hello, send, recv } = self.greet(addr, expected, lost).await?;
        let id = self.shared.connection_id();
        let name = hello.identity.origin.node.clone();
        let (outcome, result) = oneshot::channel();
        let arrival = Arrival {
            id,
            connection: connection.clone(),
            hello,
            link: link(send),
            dialled: Dialled::Here(outcome),
        };
        if self.events.send(Event::Arrived(Box::new(arrival))).await.is_err() {
            return Err(Failure::text("the mesh has stopped"));
        }
        tokio::spawn(listen(id, connection.clone(), recv, self.events.clone()));
        tokio::spawn(datagrams(id, connection, self.events.clone()));
        match result.await {
            Ok(Ok(())) => Ok(name),
            Ok(Err(ending)) => Err(Failure { ending, found: Some(name) }),
            Err(_) => Err(Failure::text("the mesh has stopped")),
        }
    }

    async fn greet(
        &self,
        addr: SocketAddr,
        expected: Option<NodeName>,
        lost: Generation,
    ) -> Result<Greeted, Failure> {
        let material = self.shared.material.load_full();
        let check = material.peer_check();
        let config = client(&material, check.clone(), self.transport.clone());
        let config = config.map_err(Failure::text)?;
        let connecting = self.endpoint.connect_with(config, addr, SERVER_NAME);
        let connecting = connecting.map_err(|error| Failure::text(error.to_string()))?;
        let deadline = Instant::now() + self.shared.config.times.hello_timeout;
        let connected = timeout_at(deadline, connecting).await;
        let connected = connected.map_err(|_| Failure::text("no answer"))?;
        let connection =
            connected.map_err(|error| Failure::from(Ending::of(&error, Some(&check))))?;
        let greeting = greet(&self.shared, connection.clone(), expected.as_ref(), lost);
        match timeout_at(deadline, greeting).await {
            Ok(greeted) => Ok(greeted?),
            Err(_) => Err(too_late(&connection).into()),
        }
    }
}
