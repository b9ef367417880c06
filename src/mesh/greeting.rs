//! The first exchange on a connection, and the stream that it leaves behind.

use quinn::{Connection, RecvStream, SendStream, VarInt};
use rustls::pki_types::CertificateDer;
use tokio::sync::mpsc;

use super::certs::Details;
use super::hub::Event;
use super::shared::{ConnectionId, Shared};
use super::transport::Ending;
use crate::id::NodeName;
use crate::wire::{
    CloseCode, Generation, Hello, HelloHead, Limits, LinkMessage, MAX_LINK_BYTES, Refusal,
};

/// Messages that may wait for a peer on the hello's stream; it never falls this far behind unless
/// the peer reads nothing at all.
const LINK_QUEUE: usize = 64;

/// A connection whose peer has said hello, and said nothing wrong.
pub(super) struct Greeted {
    pub(super) connection: Connection,
    pub(super) hello: Hello,
    pub(super) send: SendStream,
    pub(super) recv: RecvStream,
}

/// Which side of the handshake this node is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Dialler,
    Acceptor,
}

impl End {
    fn other(self) -> Self {
        match self {
            End::Dialler => End::Acceptor,
            End::Acceptor => End::Dialler,
        }
    }

    fn label(self) -> &'static [u8] {
        match self {
            End::Dialler => b"EXPORTER-moonmesh-dialler",
            End::Acceptor => b"EXPORTER-moonmesh-acceptor",
        }
    }
}

/// This node's hello on `connection`.
pub(super) fn own_hello(
    shared: &Shared,
    connection: &Connection,
    end: End,
    lost: Generation,
) -> Hello {
    let proof = shared.config.secret.as_deref().and_then(|secret| proof(connection, end, secret));
    Hello {
        cluster: shared.config.cluster.clone(),
        identity: (**shared.own.load()).clone(),
        features: 0,
        limits: Limits { max_frame_bytes: shared.config.max_frame_bytes },
        lost,
        proof,
    }
}

/// Says hello and hears the answer.
pub(super) async fn greet(
    shared: &Shared,
    connection: Connection,
    expected: Option<&NodeName>,
    lost: Generation,
) -> Result<Greeted, Ending> {
    let ending = |error: &quinn::ConnectionError| Ending::of(error, None);
    let (mut send, mut recv) = connection.open_bi().await.map_err(|e| ending(&e))?;
    let own = own_hello(shared, &connection, End::Dialler, lost);
    send.write_all(&own.encode()).await.map_err(|error| failed(&connection, &error))?;
    let hello = read_hello(&connection, &mut recv).await?;
    check(shared, &connection, End::Dialler, &own, &hello, expected)?;
    Ok(Greeted { connection, hello, send, recv })
}

/// Hears the dialler's hello; the answer is left to the hub.
pub(super) async fn be_greeted(shared: &Shared, connection: Connection) -> Result<Greeted, Ending> {
    let accepted = connection.accept_bi().await;
    let (send, mut recv) = accepted.map_err(|error| Ending::of(&error, None))?;
    let hello = read_hello(&connection, &mut recv).await?;
    let own = own_hello(shared, &connection, End::Acceptor, Generation(0));
    check(shared, &connection, End::Acceptor, &own, &hello, None)?;
    Ok(Greeted { connection, hello, send, recv })
}

/// Closes a connection with a coded reason.
pub(super) fn refuse(connection: &Connection, refusal: &Refusal) {
    connection.close(VarInt::from_u32(refusal.code.number()), refusal.reason_bytes());
}

/// Turns away a peer that has not said hello in time.
pub(super) fn too_late(connection: &Connection) -> Ending {
    turn_away(connection, Refusal::new(CloseCode::HelloTimeout, "no hello in time"))
}

async fn read_hello(connection: &Connection, recv: &mut RecvStream) -> Result<Hello, Ending> {
    let mut head = [0; HelloHead::BYTES];
    recv.read_exact(&mut head).await.map_err(|error| failed(connection, &error))?;
    let body_bytes = match HelloHead::decode(head) {
        Ok(head) => head.body_bytes,
        Err(error) => return Err(turn_away(connection, error.into())),
    };
    let mut body = vec![0; body_bytes];
    recv.read_exact(&mut body).await.map_err(|error| failed(connection, &error))?;
    Hello::decode_body(&body).map_err(|error| turn_away(connection, error.into()))
}

fn check(
    shared: &Shared,
    connection: &Connection,
    end: End,
    own: &Hello,
    hello: &Hello,
    expected: Option<&NodeName>,
) -> Result<(), Ending> {
    let certified = certified_names(connection);
    let known = hello.check(own, &certified, expected).and_then(|()| {
        let secret = shared.config.secret.as_deref();
        check_secret(hello, secret.map(|secret| proof(connection, end.other(), secret)))
    });
    known.map_err(|refusal| turn_away(connection, refusal))
}

/// `wanted` is the proof that the peer has to bring: none, if this node has no secret.
fn check_secret(hello: &Hello, wanted: Option<Option<[u8; 32]>>) -> Result<(), Refusal> {
    let node = &hello.identity.origin.node;
    let text = match (hello.proof, wanted) {
        (None, None) => return Ok(()),
        (Some(found), Some(Some(wanted))) if same(&found, &wanted) => return Ok(()),
        (None, Some(_)) => format!("node {node} has no cluster secret, this cluster has one"),
        (Some(_), None) => {
            format!("node {node} has a cluster secret, the node it reached has none")
        }
        (Some(_), Some(_)) => format!("node {node} has another cluster secret"),
    };
    Err(Refusal::new(CloseCode::Secret, text))
}

/// Compares without telling by its time where the difference is.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// Only the two ends of this very connection who also know the secret can compute this.
fn proof(connection: &Connection, end: End, secret: &[u8]) -> Option<[u8; 32]> {
    let mut proof = [0; 32];
    connection.export_keying_material(&mut proof, end.label(), secret).ok()?;
    Some(proof)
}

fn certified_names(connection: &Connection) -> Vec<String> {
    let chain =
        connection.peer_identity().and_then(|any| any.downcast::<Vec<CertificateDer>>().ok());
    let leaf = chain.and_then(|chain| chain.first().and_then(|der| Details::from_der(der)));
    leaf.map(|details| details.names).unwrap_or_default()
}

fn turn_away(connection: &Connection, refusal: Refusal) -> Ending {
    refuse(connection, &refusal);
    Ending::Refused(refusal)
}

/// The connection's own reason tells more than the stream's error.
fn failed(connection: &Connection, error: &dyn std::fmt::Display) -> Ending {
    match connection.close_reason() {
        Some(reason) => Ending::of(&reason, None),
        None => Ending::Lost(error.to_string()),
    }
}

/// The writing half of the hello's stream. Never blocks.
#[derive(Clone, Debug)]
pub(super) struct Link(mpsc::Sender<Vec<u8>>);

impl Link {
    pub(super) fn hello(&self, hello: &Hello) -> bool {
        self.0.try_send(hello.encode()).is_ok()
    }

    pub(super) fn say(&self, message: LinkMessage) -> bool {
        self.0.try_send(message.encode()).is_ok()
    }
}

/// Starts the task that writes what the hub has to say on the hello's stream.
pub(super) fn link(mut send: SendStream) -> Link {
    let (link, mut queue) = mpsc::channel::<Vec<u8>>(LINK_QUEUE);
    tokio::spawn(async move {
        while let Some(bytes) = queue.recv().await {
            if send.write_all(&bytes).await.is_err() {
                return;
            }
        }
        // The stream stays open for as long as the connection does; it has no end of its own.
        let _ = send.stopped().await;
    });
    Link(link)
}

/// Reads the hello's stream until the connection ends, then says how it ended.
pub(super) async fn listen(
    id: ConnectionId,
    connection: Connection,
    mut recv: RecvStream,
    events: mpsc::Sender<Event>,
) {
    let mut head = [0; 2];
    let mut body = [0; MAX_LINK_BYTES];
    while recv.read_exact(&mut head).await.is_ok() {
        let size = usize::from(u16::from_be_bytes(head));
        let Some(body) = body.get_mut(..size) else {
            let text = format!("link message of {size} bytes");
            refuse(&connection, &Refusal::new(CloseCode::Protocol, text));
            break;
        };
        if recv.read_exact(body).await.is_err() {
            break;
        }
        match LinkMessage::decode(body) {
            Some(message) => {
                if events.send(Event::Link(id, message)).await.is_err() {
                    return;
                }
            }
            None => tracing::debug!(?id, "skipped a link message of a later version"),
        }
    }
    let error = connection.closed().await;
    let _ = events.send(Event::Closed(id, Ending::of(&error, None))).await;
}

/// Passes membership datagrams on until the connection ends.
pub(super) async fn datagrams(
    id: ConnectionId,
    connection: Connection,
    events: mpsc::Sender<Event>,
) {
    while let Ok(data) = connection.read_datagram().await {
        if events.send(Event::Datagram(id, data)).await.is_err() {
            return;
        }
    }
}
