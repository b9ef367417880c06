use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use tempfile::TempDir;

use crate::id::{Incarnation, NodeName, Origin};
use crate::mesh::certs::{Authority, PemPair, Store, Validity};
use crate::mesh::{
    BadFrame, MemberChange, MemberEvent, MembershipRules, Mesh, MeshConfig, MeshHandler,
    PortChoice, SendError, Times,
};
use crate::wire::{BackoffRule, Lane};

/// No test waits longer than this for what it expects.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One call of the handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Up(Origin),
    Down(Origin),
    Member(Origin, MemberChange),
    Frame(Origin, Lane, Vec<u8>),
    Resync(Origin, Lane),
}

/// Keeps every call, and lets tests wait for one.
#[derive(Default)]
pub struct Recorder {
    seen: Mutex<Vec<Seen>>,
    changed: Condvar,
}

impl Recorder {
    fn record(&self, seen: Seen) {
        self.seen.lock().push(seen);
        self.changed.notify_all();
    }

    pub fn all(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// Waits until `wanted` is true of everything seen so far.
    pub fn wait(&self, what: &str, mut wanted: impl FnMut(&[Seen]) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut seen = self.seen.lock();
        while !wanted(&seen) {
            if self.changed.wait_until(&mut seen, deadline).timed_out() {
                panic!(
                    "{what} did not happen; seen: {:#?}",
                    &seen[seen.len().saturating_sub(40)..]
                );
            }
        }
    }
}

impl MeshHandler for Recorder {
    fn session_up(&self, peer: &Origin) {
        self.record(Seen::Up(peer.clone()));
    }

    fn session_down(&self, peer: &Origin) {
        self.record(Seen::Down(peer.clone()));
    }

    fn member(&self, event: MemberEvent) {
        self.record(Seen::Member(event.origin, event.kind));
    }

    fn frame(&self, peer: &Origin, lane: Lane, payload: &[u8]) -> Result<(), BadFrame> {
        if payload == b"nonsense" {
            return Err(BadFrame("nonsense"));
        }
        self.record(Seen::Frame(peer.clone(), lane, payload.to_vec()));
        Ok(())
    }

    fn needs_resync(&self, peer: &Origin, lane: Lane) {
        self.record(Seen::Resync(peer.clone(), lane));
    }
}

/// A directory of certificates from which nodes are started.
pub struct Cluster {
    home: TempDir,
    name: String,
}

/// A running mesh and what it has told.
pub struct Node {
    pub mesh: Mesh,
    pub log: Arc<Recorder>,
}

/// Times short enough for tests and long enough for a busy machine.
pub fn quick_times() -> Times {
    Times {
        keep_alive: Duration::from_millis(300),
        idle_timeout: Duration::from_secs(4),
        answer: Duration::from_millis(400),
        dial_grace: Duration::from_millis(30),
        seed_interval: Duration::from_millis(300),
        certificate_interval: Duration::from_millis(30),
        backoff: BackoffRule {
            base: Duration::from_millis(20),
            max: Duration::from_millis(500),
            settled: Duration::from_secs(1),
        },
        ..Times::default()
    }
}

/// A silent death is noticed after about a second.
pub fn quick_membership() -> MembershipRules {
    MembershipRules {
        probe_interval: Duration::from_millis(250),
        probe_timeout: Duration::from_millis(100),
        suspicion_mult: 3,
        gossip_interval: Duration::from_millis(50),
        push_pull_interval: Duration::from_millis(300),
        dead_node_reclaim_time: Duration::from_secs(2),
    }
}

impl Cluster {
    pub fn new(name: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        Store::new(home.path()).init(name, Validity::days(10)).unwrap();
        Self { home, name: name.to_owned() }
    }

    /// Another cluster with the same authority.
    pub fn sibling(&self, name: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        for file in ["ca.crt", "ca.key"] {
            std::fs::copy(self.home.path().join(file), home.path().join(file)).unwrap();
        }
        Self { home, name: name.to_owned() }
    }

    pub fn authority(&self) -> Authority {
        let read = |file| std::fs::read_to_string(self.home.path().join(file)).unwrap();
        Authority::from_pem(PemPair { certificate: read("ca.crt"), key: read("ca.key") }).unwrap()
    }

    pub fn store(&self) -> Store {
        Store::new(self.home.path())
    }

    /// The configuration of a node, with a certificate made if there is none.
    pub fn config(&self, node: &str, seeds: &[&Node]) -> MeshConfig {
        let node: NodeName = node.parse().unwrap();
        let store = self.store();
        let files = store.files(&node);
        if !files.certificate.exists() {
            store.issue(&node, Validity::days(1)).unwrap();
        }
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let origin = Origin { node, incarnation: Incarnation(now.as_micros() as u64) };
        let mut config = MeshConfig::new(&self.name, origin, [127, 0, 0, 1].into(), files);
        config.bind_port = PortChoice::Fixed(0);
        config.seeds = seeds.iter().map(|seed| seed.mesh.advertised_addr().to_string()).collect();
        config.times = quick_times();
        config.membership = quick_membership();
        config
    }

    pub fn start(&self, node: &str, seeds: &[&Node]) -> Node {
        Node::start(self.config(node, seeds))
    }
}

impl Node {
    pub fn start(config: MeshConfig) -> Self {
        let log = Arc::new(Recorder::default());
        let mesh = Mesh::start(config, log.clone()).unwrap();
        Self { mesh, log }
    }

    pub fn origin(&self) -> Origin {
        self.mesh.origin().clone()
    }

    pub fn name(&self) -> &NodeName {
        &self.mesh.origin().node
    }

    pub fn send(&self, to: &Node, lane: Lane, payload: &[u8]) -> Result<(), SendError> {
        self.mesh.send(to.name(), lane, Bytes::copy_from_slice(payload))
    }

    /// Waits for a session with this run of another node that is still up.
    pub fn linked(&self, other: &Node) {
        let origin = other.origin();
        self.log.wait(&format!("session with {origin}"), |seen| is_up(seen, &origin));
    }

    pub fn unlinked(&self, origin: &Origin) {
        self.log.wait(&format!("end of the session with {origin}"), |seen| !is_up(seen, origin));
    }

    pub fn sees(&self, origin: &Origin, change: MemberChange) {
        let wanted = Seen::Member(origin.clone(), change);
        self.log.wait(&format!("{origin} {change}"), |seen| seen.contains(&wanted));
    }

    /// The payloads that came from another node in a lane.
    pub fn frames(&self, from: &Origin, lane: Lane) -> Vec<Vec<u8>> {
        let payload = |seen: Seen| match seen {
            Seen::Frame(origin, l, payload) if origin == *from && l == lane => Some(payload),
            _ => None,
        };
        self.log.all().into_iter().filter_map(payload).collect()
    }

    pub fn gets(&self, from: &Node, lane: Lane, payload: &[u8]) {
        let wanted = Seen::Frame(from.origin(), lane, payload.to_vec());
        self.log.wait("frame", |seen| seen.contains(&wanted));
    }
}

/// Whether the session with this run is up at the end of a log.
pub fn is_up(seen: &[Seen], origin: &Origin) -> bool {
    let about = |seen: &&Seen| matches!(seen, Seen::Up(o) | Seen::Down(o) if o == origin);
    matches!(seen.iter().rev().find(about), Some(Seen::Up(_)))
}

/// Checks the promise about the order of calls for one run of a node.
pub fn assert_nested(log: &[Seen], origin: &Origin) {
    let (mut member, mut up) = (false, false);
    for seen in log {
        match seen {
            Seen::Member(o, MemberChange::Joined) if o == origin => {
                assert!(!member && !up, "joined twice: {log:#?}");
                member = true;
            }
            Seen::Member(o, MemberChange::Left | MemberChange::Failed) if o == origin => {
                assert!(member && !up, "gone while up or unknown: {log:#?}");
                member = false;
            }
            Seen::Up(o) if o == origin => {
                assert!(member && !up, "up twice or before joined: {log:#?}");
                up = true;
            }
            Seen::Down(o) if o == origin => {
                assert!(up, "down before up: {log:#?}");
                up = false;
            }
            Seen::Frame(o, ..) if o == origin => assert!(up, "frame outside a session: {log:#?}"),
            _ => {}
        }
    }
}
