use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{Connecting, Incoming};
use tokio::time::{Instant, timeout_at};

use super::dial::Dialler;
use super::greeting::{Greeted, be_greeted, datagrams, link, listen, too_late};
use super::half_open::HalfOpen;
use super::hub::{Arrival, Dialled, Event};
use super::shared::Shared;
use super::transport::{Ending, server};

/// Accepts connections until the endpoint is closed.
pub(super) async fn accept(tools: Dialler) {
    let half_open = HalfOpen::new(tools.shared.config.max_half_open);
    while let Some(incoming) = tools.endpoint.accept().await {
        if half_open.is_crowded() && incoming.may_retry() {
            // Costs nothing here, and shows whether the address is real.
            let _ = incoming.retry();
            continue;
        }
        let place = half_open.place();
        let number = place.number();
        let tools = tools.clone();
        let counters = tools.shared.clone();
        let task = tokio::spawn(async move {
            let from = incoming.remote_address();
            if let Err(ending) = handshake(&tools, incoming).await {
                tools.shared.counters.refused.add(1);
                log(&tools.shared, from, &ending);
            }
            drop(place);
        });
        let evicted = half_open.started(number, task.abort_handle());
        counters.counters.half_open_evicted.add(evicted as u64);
    }
}

/// From the first packet to the hub.
async fn handshake(tools: &Dialler, incoming: Incoming) -> Result<(), Ending> {
    let deadline = Instant::now() + tools.shared.config.times.hello_timeout;
    let material = tools.shared.material.load_full();
    let check = material.peer_check();
    let config = server(&material, check.clone(), tools.transport.clone()).map_err(Ending::Lost)?;
    let ending = |error: quinn::ConnectionError| Ending::of(&error, Some(&check));
    let connecting: Connecting = incoming.accept_with(Arc::new(config)).map_err(ending)?;
    let connected = timeout_at(deadline, connecting).await;
    let connection =
        connected.map_err(|_| Ending::Lost("unfinished handshake".to_owned()))?.map_err(ending)?;
    let greeting = be_greeted(&tools.shared, connection.clone());
    let Greeted { connection, hello, send, recv } =
        timeout_at(deadline, greeting).await.map_err(|_| too_late(&connection))??;
    let id = tools.shared.connection_id();
    let arrival = Arrival {
        id,
        connection: connection.clone(),
        hello,
        link: link(send),
        dialled: Dialled::There,
    };
    if tools.events.send(Event::Arrived(Box::new(arrival))).await.is_ok() {
        tokio::spawn(listen(id, connection.clone(), recv, tools.events.clone()));
        tokio::spawn(datagrams(id, connection, tools.events.clone()));
    }
    Ok(())
}

/// What a stranger does is of interest only if it is an answer of ours; the rest is noise that
/// anybody on the network can make.
fn log(shared: &Shared, from: SocketAddr, ending: &Ending) {
    let about = || format!("connection from {}", from.ip());
    match ending {
        Ending::Refused(_) | Ending::Certificate(_) => {
            let reason = ending.to_string();
            if shared.complaints.note(about(), &reason) {
                tracing::warn!(%from, %reason, "connection refused");
            }
        }
        other => tracing::debug!(%from, reason = %other, "connection did not become a session"),
    }
}
