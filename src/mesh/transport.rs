use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, ConnectionError, ServerConfig, TransportConfig, VarInt};

use super::certs::{Material, PeerCheck};
use super::config::Times;
use crate::wire::{CloseCode, Lane, Refusal};

/// How much of one lane may be on its way unread. Every lane may have its share at once, so a lane
/// that is not read never takes the room of another.
const STREAM_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = STREAM_WINDOW_BYTES * (Lane::ALL.len() as u32 + 1);

/// The largest UDP payload that is searched for: a jumbo frame less its headers.
const MAX_MTU_BYTES: u16 = 8_932;

/// What connections of strangers may make this node hold before a handshake has begun.
const INCOMING_BYTES: u64 = 64 * 1024;
const INCOMING_TOTAL_BYTES: u64 = 16 * 1024 * 1024;
const MAX_INCOMING: usize = 1024;

/// The settings of every connection.
pub(super) fn transport(times: &Times) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    let idle = times.idle_timeout.min(Duration::from_secs(600));
    config
        .keep_alive_interval(Some(times.keep_alive))
        .max_idle_timeout(idle.try_into().ok())
        .max_concurrent_uni_streams(VarInt::from_u32(Lane::ALL.len() as u32))
        .max_concurrent_bidi_streams(VarInt::from_u32(1))
        .stream_receive_window(VarInt::from_u32(STREAM_WINDOW_BYTES))
        .receive_window(VarInt::from_u32(CONNECTION_WINDOW_BYTES))
        .send_window(u64::from(CONNECTION_WINDOW_BYTES))
        .send_fairness(true);
    let mut discovery = quinn::MtuDiscoveryConfig::default();
    discovery.upper_bound(MAX_MTU_BYTES);
    config.mtu_discovery_config(Some(discovery));
    Arc::new(config)
}

/// The settings of one dial, which checks the peer with `check`.
pub(super) fn client(
    material: &Material,
    check: Arc<PeerCheck>,
    transport: Arc<TransportConfig>,
) -> Result<ClientConfig, String> {
    let tls = material.client(check).map_err(|e| e.to_string())?;
    let quic = QuicClientConfig::try_from(tls).map_err(|e| e.to_string())?;
    let mut config = ClientConfig::new(Arc::new(quic));
    config.transport_config(transport);
    Ok(config)
}

/// The settings of one accepted connection, which checks the peer with `check`.
pub(super) fn server(
    material: &Material,
    check: Arc<PeerCheck>,
    transport: Arc<TransportConfig>,
) -> Result<ServerConfig, String> {
    let tls = material.server(check).map_err(|e| e.to_string())?;
    let quic = QuicServerConfig::try_from(tls).map_err(|e| e.to_string())?;
    let mut config = ServerConfig::with_crypto(Arc::new(quic));
    config
        .transport_config(transport)
        .max_incoming(MAX_INCOMING)
        .incoming_buffer_size(INCOMING_BYTES)
        .incoming_buffer_size_total(INCOMING_TOTAL_BYTES);
    Ok(config)
}

/// How a connection came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The peer closed it with one of our codes.
    Peer(Refusal),
    /// This node turned the peer away.
    Refused(Refusal),
    /// The peer's certificate was not believed.
    Certificate(String),
    /// This node closed it.
    Here,
    /// Anything else, in words.
    Lost(String),
}

impl Ending {
    /// The words for it, and what the peer's certificate check has to say.
    pub(super) fn of(error: &ConnectionError, check: Option<&PeerCheck>) -> Self {
        match error {
            ConnectionError::ApplicationClosed(frame) => {
                match Refusal::from_wire(frame.error_code.into_inner(), &frame.reason) {
                    Some(refusal) => Ending::Peer(refusal),
                    None => Ending::Lost(format!("closed with unknown code {}", frame.error_code)),
                }
            }
            ConnectionError::LocallyClosed => match check.and_then(PeerCheck::refusal) {
                Some(text) => Ending::Certificate(text),
                None => Ending::Here,
            },
            ConnectionError::ConnectionClosed(frame) => {
                let text = alert(frame.error_code.into()).map_or_else(
                    || error.to_string(),
                    |alert| format!("the peer refused this node's certificate: {alert}"),
                );
                Ending::Lost(text)
            }
            ConnectionError::TimedOut => Ending::Lost("no answer".to_owned()),
            other => match check.and_then(PeerCheck::refusal) {
                Some(text) => Ending::Certificate(text),
                None => Ending::Lost(other.to_string()),
            },
        }
    }

    /// The close code, if there is one.
    pub(super) fn code(&self) -> Option<CloseCode> {
        match self {
            Ending::Peer(refusal) | Ending::Refused(refusal) => Some(refusal.code),
            Ending::Certificate(_) | Ending::Here | Ending::Lost(_) => None,
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Peer(refusal) => write!(f, "closed by the peer: {refusal}"),
            Ending::Refused(refusal) => write!(f, "refused: {refusal}"),
            Ending::Here => f.write_str("closed by this node"),
            Ending::Certificate(text) | Ending::Lost(text) => f.write_str(text),
        }
    }
}

/// The TLS alert in a QUIC error code (RFC 9001 section 4.8), as far as it is about certificates.
fn alert(code: u64) -> Option<&'static str> {
    match code.checked_sub(0x100)? {
        42 => Some("it cannot be read"),
        43 => Some("its kind is not supported"),
        44 => Some("it was revoked"),
        45 => Some("it is expired, or not yet valid by the peer's clock"),
        46 => Some("it is not accepted"),
        48 => Some("it is not signed by the peer's authority"),
        49 => Some("access denied"),
        116 => Some("it is missing"),
        _ => None,
    }
}
