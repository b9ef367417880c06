//! A network that can be cut: each node is reached through a port of the relay, which knows who
//! sends and who is to receive, and drops, delays or cuts as it is told.

use std::collections::{HashMap, HashSet};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::fixture::{Cluster, Node};
use crate::mesh::MeshConfig;

/// How long a relay thread sleeps in a read before it looks whether it should end.
const LOOK: Duration = Duration::from_millis(20);

/// The network of one test.
pub struct Relay {
    net: Arc<Net>,
    threads: Vec<JoinHandle<()>>,
}

struct Net {
    rules: Mutex<Rules>,
    ended: AtomicBool,
}

struct Rules {
    /// Ordered pairs of node names between which nothing passes.
    cut: HashSet<(String, String)>,
    loss: f64,
    delay: Duration,
    random: SmallRng,
    /// The real address of each node.
    nodes: HashMap<String, SocketAddr>,
}

impl Relay {
    pub fn new() -> Self {
        let rules = Rules {
            cut: HashSet::new(),
            loss: 0.0,
            delay: Duration::ZERO,
            random: SmallRng::seed_from_u64(7),
            nodes: HashMap::new(),
        };
        let net = Arc::new(Net { rules: Mutex::new(rules), ended: AtomicBool::new(false) });
        Self { net, threads: Vec::new() }
    }

    /// Starts a node that others reach through the relay.
    pub fn start(&mut self, cluster: &Cluster, name: &str, seeds: &[&Node]) -> Node {
        self.start_with(cluster.config(name, seeds))
    }

    pub fn start_with(&mut self, mut config: MeshConfig) -> Node {
        let name = config.origin.node.as_str().to_owned();
        let port = self.port(&name);
        config.advertise_port = Some(port.port());
        let node = Node::start(config);
        self.net.rules.lock().nodes.insert(name, node.mesh.bound_addr());
        node
    }

    /// Nothing passes from one node to another.
    pub fn cut_one_way(&self, from: &Node, to: &Node) {
        let pair = (from.name().to_string(), to.name().to_string());
        self.net.rules.lock().cut.insert(pair);
    }

    pub fn cut(&self, one: &Node, other: &Node) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// Everything passes again.
    pub fn heal(&self) {
        self.net.rules.lock().cut.clear();
    }

    /// This share of all packets is lost.
    pub fn lose(&self, share: f64) {
        self.net.rules.lock().loss = share;
    }

    /// Every packet takes this long.
    pub fn delay(&self, delay: Duration) {
        self.net.rules.lock().delay = delay;
    }

    /// A fresh port that leads to a node.
    fn port(&mut self, target: &str) -> SocketAddr {
        let socket = socket();
        let addr = socket.local_addr().unwrap();
        let (net, target) = (self.net.clone(), target.to_owned());
        self.threads.push(std::thread::spawn(move || net.serve(&target, &Arc::new(socket))));
        addr
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.net.ended.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(LOOK)).unwrap();
    socket
}

impl Net {
    /// Carries packets to `target` and, for each sender, the answers back.
    fn serve(self: &Arc<Self>, target: &str, public: &Arc<UdpSocket>) {
        let mut upstream: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
        let mut threads = Vec::new();
        let out = self.sender(&mut threads);
        self.receive(public, |from, packet| {
            let way = upstream.entry(from).or_insert_with(|| {
                let way = Arc::new(socket());
                let (net, back, out) = (self.clone(), (public.clone(), from), out.clone());
                let (target, inner) = (target.to_owned(), way.clone());
                threads.push(std::thread::spawn(move || net.answer(&target, &inner, &back, &out)));
                way
            });
            let Some(to) = self.rules.lock().nodes.get(target).copied() else { return };
            if let Some(at) = self.passes(&self.name(from), target) {
                let _ = out.send((at, way.clone(), to, packet));
            }
        });
        drop(out);
        drop(upstream);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    fn answer(
        &self,
        target: &str,
        way: &UdpSocket,
        (public, client): &(Arc<UdpSocket>, SocketAddr),
        out: &mpsc::Sender<Packet>,
    ) {
        self.receive(way, |_, packet| {
            if let Some(at) = self.passes(target, &self.name(*client)) {
                let _ = out.send((at, public.clone(), *client, packet));
            }
        });
    }

    /// Sends each packet when its time has come.
    fn sender(&self, threads: &mut Vec<JoinHandle<()>>) -> mpsc::Sender<Packet> {
        let (out, queue) = mpsc::channel::<Packet>();
        threads.push(std::thread::spawn(move || {
            for (at, socket, to, packet) in queue {
                std::thread::sleep(at.saturating_duration_since(Instant::now()));
                let _ = socket.send_to(&packet, to);
            }
        }));
        out
    }

    fn receive(&self, socket: &UdpSocket, mut each: impl FnMut(SocketAddr, Vec<u8>)) {
        let mut buffer = vec![0; 65_536];
        while !self.ended.load(Ordering::Relaxed) {
            if let Ok((size, from)) = socket.recv_from(&mut buffer) {
                each(from, buffer[..size].to_vec());
            }
        }
    }

    fn name(&self, addr: SocketAddr) -> String {
        let rules = self.rules.lock();
        let found = rules.nodes.iter().find(|(_, known)| **known == addr);
        found.map(|(name, _)| name.clone()).unwrap_or_default()
    }

    /// When a packet is to be sent on, if it is.
    fn passes(&self, from: &str, to: &str) -> Option<Instant> {
        let mut rules = self.rules.lock();
        let loss = rules.loss;
        let lost = loss > 0.0 && rules.random.random_bool(loss);
        let cut = rules.cut.contains(&(from.to_owned(), to.to_owned()));
        (!lost && !cut).then(|| Instant::now() + rules.delay)
    }
}

type Packet = (Instant, Arc<UdpSocket>, SocketAddr, Vec<u8>);
