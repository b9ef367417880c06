use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::SystemTime;

use bytes::Bytes;
use parking_lot::Mutex;
use quinn::{Endpoint, EndpointConfig, TokioRuntime};
use tokio::sync::mpsc;

use super::accept::accept;
use super::address::{advertised, bind};
use super::certs::{Details, Material, Pem};
use super::complaints::Complaint;
use super::config::MeshConfig;
use super::counters::Counts;
use super::dial::Dialler;
use super::error::{SendError, StartError};
use super::handler::MeshHandler;
use super::hub::{Command, Hub};
use super::reload::watch_certificates;
use super::shared::{PeerStatus, Shared, View};
use super::transport::{server, transport};
use crate::id::{NodeName, Origin};
use crate::wire::{Identity, Lane};

/// Events that may wait for the hub before whoever sends them has to wait too.
const EVENT_QUEUE: usize = 1024;

/// A node's part in the mesh: its connections to the other nodes of its cluster, and its knowledge
/// of who they are. Runs on one thread of its own until it is stopped or dropped.
pub struct Mesh {
    shared: Arc<Shared>,
    commands: mpsc::UnboundedSender<Command>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Mesh {
    /// Binds the port, reads the certificates and starts. The seeds are dialled in the background;
    /// there may be none.
    pub fn start(config: MeshConfig, handler: Arc<dyn MeshHandler>) -> Result<Self, StartError> {
        config.check()?;
        let pem = Pem::read(&config.tls)?;
        let material = Material::from_pem(&pem, &config.origin.node, SystemTime::now())?;
        let (socket, bound) = bind(&config)?;
        let addr = advertised(&config, bound)?;
        let own = Identity { origin: config.origin.clone(), rejoin: 0, addr };
        let shared = Arc::new(Shared::new(config, handler, material, own.clone(), bound));
        let (commands, receiver) = mpsc::unbounded_channel();
        let (ready, started) = std::sync::mpsc::channel();
        let tools = shared.clone();
        let body = move || run(tools, own, socket, pem, receiver, &ready);
        let thread = std::thread::Builder::new().name("mesh".to_owned()).spawn(body);
        let thread = thread.map_err(StartError::Thread)?;
        let outcome = started.recv().unwrap_or_else(|_| {
            Err(StartError::Thread(std::io::Error::other("the thread ended at once")))
        });
        outcome.map(|()| Self { shared, commands, thread: Mutex::new(Some(thread)) })
    }

    /// This node in its present run.
    pub fn origin(&self) -> &Origin {
        &self.shared.config.origin
    }

    /// What the node listens on.
    pub fn bound_addr(&self) -> SocketAddr {
        self.shared.bound
    }

    /// What the other nodes are told.
    pub fn advertised_addr(&self) -> SocketAddr {
        self.shared.own.load().addr
    }

    /// Queues a frame for a peer. Callable from any thread; never blocks. Success means that the
    /// frame is queued: it arrives at most once, after all earlier ones of the lane, unless the
    /// session ends first.
    pub fn send(&self, peer: &NodeName, lane: Lane, payload: Bytes) -> Result<(), SendError> {
        self.shared.send(peer, lane, &payload)
    }

    /// The members as this node sees them at the moment.
    pub fn view(&self) -> Arc<View> {
        self.shared.view.load_full()
    }

    /// The sessions at the moment, in no particular order.
    pub fn sessions(&self) -> Vec<PeerStatus> {
        self.shared.directory.load().values().flatten().map(|route| route.status()).collect()
    }

    /// Everything that has been counted so far.
    pub fn counts(&self) -> Counts {
        self.shared.counters.read()
    }

    /// What does not work at the moment: seeds and members that cannot be reached, connections that
    /// were refused, each with the reason.
    pub fn complaints(&self) -> Vec<Complaint> {
        self.shared.complaints.all()
    }

    /// The certificate that is shown in new handshakes.
    pub fn certificate(&self) -> Details {
        self.shared.material.load().details().clone()
    }

    /// Tells the cluster another address of this node, as after a change of network.
    pub fn set_advertised_addr(&self, addr: SocketAddr) {
        let _ = self.commands.send(Command::Moved(addr));
    }

    /// Leaves the cluster: flushes for at most a second, tells every peer, and ends the thread. The
    /// handler is not called any more once this returns. Blocks; harmless when repeated.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let _ = self.commands.send(Command::Stop);
        // A handler that drops the last handle is on the mesh's own thread, which ends by itself.
        let handle = self.thread.lock().take();
        let own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = handle.filter(|thread| !own(thread))
            && thread.join().is_err()
        {
            tracing::error!("the mesh thread has failed");
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The body of the mesh's thread.
fn run(
    shared: Arc<Shared>,
    own: Identity,
    socket: std::net::UdpSocket,
    pem: Pem,
    commands: mpsc::UnboundedReceiver<Command>,
    ready: &std::sync::mpsc::Sender<Result<(), StartError>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = ready.send(Err(StartError::Thread(error)));
            return;
        }
    };
    runtime.block_on(async {
        let (events, receiver) = mpsc::channel(EVENT_QUEUE);
        let transport = transport(&shared.config.times);
        let endpoint = match endpoint(&shared, socket, transport.clone()) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let dialler = Dialler { shared: shared.clone(), endpoint, transport, events };
        let hub = Hub::new(dialler.clone(), own);
        tokio::spawn(accept(dialler));
        tokio::spawn(watch_certificates(shared, pem));
        let _ = ready.send(Ok(()));
        hub.run(receiver, commands).await;
    });
    runtime.shutdown_background();
}

fn endpoint(
    shared: &Shared,
    socket: std::net::UdpSocket,
    transport: Arc<quinn::TransportConfig>,
) -> Result<Endpoint, StartError> {
    let material = shared.material.load_full();
    let config = server(&material, material.peer_check(), transport);
    let config = config.map_err(|text| StartError::Config(format!("TLS: {text}")))?;
    let quic = EndpointConfig::default();
    Endpoint::new(quic, Some(config), socket, Arc::new(TokioRuntime)).map_err(StartError::Thread)
}
