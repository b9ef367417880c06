//! A node that has a good certificate and bad manners.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use quinn::{Connection, Endpoint, RecvStream, SendStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::fixture::{Cluster, PATIENCE};
use crate::mesh::certs::{Material, Pem};
use crate::mesh::config::Times;
use crate::mesh::transport::{client, transport};
use crate::wire::{Generation, Hello, HelloHead, Identity, Limits, Refusal};

/// The name sorts behind that of every proper node, so they are the ones who choose.
pub const NAME: &str = "stranger";

pub struct Stranger {
    runtime: Runtime,
    endpoint: Endpoint,
    material: Material,
    pub hello: Hello,
}

/// A connection of the stranger, and its hello's stream once that is open.
pub struct Call {
    pub connection: Connection,
    stream: Option<(SendStream, RecvStream)>,
}

impl Stranger {
    pub fn new(cluster: &Cluster) -> Self {
        let config = cluster.config(NAME, &[]);
        let pem = Pem::read(&config.tls).unwrap();
        let material = Material::from_pem(&pem, &config.origin.node, SystemTime::now()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let endpoint = {
            let _inside = runtime.enter();
            Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap()
        };
        let addr = endpoint.local_addr().unwrap();
        let hello = Hello {
            cluster: config.cluster,
            identity: Identity { origin: config.origin, rejoin: 0, addr },
            features: u64::MAX,
            limits: Limits { max_frame_bytes: 1 << 24 },
            lost: Generation(0),
            proof: None,
        };
        Self { runtime, endpoint, material, hello }
    }

    /// Sends the first packets of a handshake to `addr`, and nothing more.
    pub fn knock(&self, addr: SocketAddr) {
        let _inside = self.runtime.enter();
        let check = self.material.peer_check();
        let times = Times { keep_alive: Duration::from_secs(60), ..Times::default() };
        let config = client(&self.material, check, transport(&times)).unwrap();
        std::mem::forget(self.endpoint.connect_with(config, addr, "moonmesh").unwrap());
    }

    /// Completes a handshake and says nothing.
    pub fn call(&self, addr: SocketAddr) -> Call {
        self.runtime.block_on(async {
            let check = self.material.peer_check();
            let config = client(&self.material, check, transport(&Times::default())).unwrap();
            let connecting = self.endpoint.connect_with(config, addr, "moonmesh").unwrap();
            let connection = timeout(PATIENCE, connecting).await.unwrap().unwrap();
            Call { connection, stream: None }
        })
    }

    /// Opens the hello's stream with these bytes.
    pub fn say(&self, call: &mut Call, bytes: &[u8]) {
        self.runtime.block_on(async {
            let (mut send, recv) = call.connection.open_bi().await.unwrap();
            send.write_all(bytes).await.unwrap();
            call.stream = Some((send, recv));
        });
    }

    /// A proper session, up to the point where the lanes are opened.
    pub fn session(&self, addr: SocketAddr) -> Call {
        let mut call = self.call(addr);
        self.say(&mut call, &self.hello.encode());
        self.runtime.block_on(async {
            let (_, recv) = call.stream.as_mut().unwrap();
            let mut head = [0; HelloHead::BYTES];
            recv.read_exact(&mut head).await.unwrap();
            let mut body = vec![0; HelloHead::decode(head).unwrap().body_bytes];
            recv.read_exact(&mut body).await.unwrap();
        });
        call
    }

    /// Opens a lane with these bytes.
    pub fn lane(&self, call: &Call, bytes: &[u8]) {
        self.runtime.block_on(async {
            let mut lane = call.connection.open_uni().await.unwrap();
            // The other side may have had enough already.
            let _ = lane.write_all(bytes).await;
            std::mem::forget(lane);
        });
    }

    /// Says more on the hello's stream.
    pub fn more(&self, call: &mut Call, bytes: &[u8]) {
        let (send, _) = call.stream.as_mut().unwrap();
        self.runtime.block_on(async { send.write_all(bytes).await.unwrap() });
    }

    /// Waits for the node to close the connection, and says why it did.
    pub fn turned_away(&self, call: &Call) -> Refusal {
        let ended = async { timeout(PATIENCE, call.connection.closed()).await.unwrap() };
        match self.runtime.block_on(ended) {
            quinn::ConnectionError::ApplicationClosed(frame) => {
                Refusal::from_wire(frame.error_code.into_inner(), &frame.reason).unwrap()
            }
            other => panic!("{other}"),
        }
    }
}

/// What a quinn endpoint would send first to a node, caught on the way.
pub fn first_packets(stranger: &Arc<Stranger>, count: usize) -> Vec<Vec<u8>> {
    let trap = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    trap.set_read_timeout(Some(PATIENCE)).unwrap();
    let addr = trap.local_addr().unwrap();
    let mut buffer = [0; 2048];
    (0..count)
        .map(|_| {
            stranger.knock(addr);
            let (size, _) = trap.recv_from(&mut buffer).unwrap();
            buffer[..size].to_vec()
        })
        .collect()
}
