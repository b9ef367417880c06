use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::certs::TlsFiles;
use super::error::StartError;
use super::membership::MembershipRules;
use super::outbox::QueueLimits;
use crate::id::Origin;
use crate::wire::BackoffRule;

/// Which UDP port a node listens on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChoice {
    /// This one; 0 lets the system choose.
    Fixed(u16),
    /// The first free one of 7950 to 7959, else any.
    FirstFree,
}

/// The times of sessions and handshakes (cluster.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the first packet to a session, at most.
    pub hello_timeout: Duration,
    /// How often an idle session is kept alive.
    pub keep_alive: Duration,
    /// A session without any packet for this long is over.
    pub idle_timeout: Duration,
    /// A lane that cannot write anything for this long ends its session.
    pub write_progress: Duration,
    /// How long a stop waits for queued frames to reach the peers.
    pub flush: Duration,
    /// How long a session whose place is claimed by another connection has to answer.
    pub answer: Duration,
    /// How long the node with the larger name leaves the first dial to the other.
    pub dial_grace: Duration,
    /// How long seeds that are all members are left alone before their names are resolved again.
    pub seed_interval: Duration,
    /// How often the certificate files are looked at.
    pub certificate_interval: Duration,
    /// How long the address of a failed node is tried again.
    pub failed_memory: Duration,
    /// The waits between dials.
    pub backoff: BackoffRule,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            hello_timeout: Duration::from_secs(5),
            keep_alive: Duration::from_secs(2),
            idle_timeout: Duration::from_secs(10),
            write_progress: Duration::from_secs(10),
            flush: Duration::from_secs(1),
            answer: Duration::from_millis(600),
            dial_grace: Duration::from_millis(200),
            seed_interval: Duration::from_secs(10),
            certificate_interval: Duration::from_secs(1),
            failed_memory: Duration::from_secs(24 * 3600),
            backoff: BackoffRule::default(),
        }
    }
}

/// Everything a mesh is started with.
#[derive(Clone, Debug)]
pub struct MeshConfig {
    /// The name of the cluster; nodes of other clusters are refused.
    pub cluster: String,
    /// This node in this run.
    pub origin: Origin,
    /// The local address to listen on.
    pub bind_addr: IpAddr,
    /// The port to listen on.
    pub bind_port: PortChoice,
    /// The address that others are told, if it is not the one listened on.
    pub advertise_addr: Option<IpAddr>,
    /// The port that others are told, if it is not the one listened on.
    pub advertise_port: Option<u16>,
    /// Nodes to start from: `host:port`, an address or a DNS name; without a port,
    /// [`DEFAULT_PORT`].
    pub seeds: Vec<String>,
    /// The node's certificate files.
    pub tls: TlsFiles,
    /// A secret that every node of the cluster has to know, besides its certificate.
    pub secret: Option<Vec<u8>>,
    /// How much may wait in each lane to each peer.
    pub queue: QueueLimits,
    /// The largest payload that this node sends or accepts, in bytes.
    pub max_frame_bytes: u32,
    /// Unfinished handshakes that are kept; beyond it the oldest is given up.
    pub max_half_open: usize,
    /// The times of sessions.
    pub times: Times,
    /// The times of membership.
    pub membership: MembershipRules,
}

/// The port of a seed that names none, and the first that [`PortChoice::FirstFree`] tries.
pub const DEFAULT_PORT: u16 = 7950;

/// The largest payload unless configured otherwise: 16 MiB.
pub const DEFAULT_MAX_FRAME_BYTES: u32 = 16 * 1024 * 1024;

/// Unfinished handshakes that are kept unless configured otherwise.
pub const DEFAULT_MAX_HALF_OPEN: usize = 256;

impl MeshConfig {
    /// The defaults for a node that listens on `bind_addr`.
    pub fn new(cluster: &str, origin: Origin, bind_addr: IpAddr, tls: TlsFiles) -> Self {
        Self {
            cluster: cluster.to_owned(),
            origin,
            bind_addr,
            bind_port: PortChoice::FirstFree,
            advertise_addr: None,
            advertise_port: None,
            seeds: Vec::new(),
            tls,
            secret: None,
            queue: QueueLimits::default(),
            max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
            max_half_open: DEFAULT_MAX_HALF_OPEN,
            times: Times::default(),
            membership: MembershipRules::default(),
        }
    }

    /// Checks the values that no type can.
    pub fn check(&self) -> Result<(), StartError> {
        let fail = |text: String| Err(StartError::Config(text));
        if self.cluster.is_empty() || self.cluster.len() > 64 {
            return fail("the cluster name must have 1 to 64 bytes".to_owned());
        }
        if self.origin.node.is_local() {
            return fail("a node of a cluster cannot be called \"local\"".to_owned());
        }
        if self.queue.messages == 0 || self.queue.bytes == 0 {
            return fail("queue_messages and queue_bytes must be above zero".to_owned());
        }
        if self.max_frame_bytes < 1024 {
            return fail("the largest frame must be at least 1024 bytes".to_owned());
        }
        if self.max_half_open == 0 {
            return fail("at least one unfinished handshake must be allowed".to_owned());
        }
        if self.times.keep_alive.is_zero() || self.times.keep_alive >= self.times.idle_timeout {
            return fail("keep-alive must be above zero and below the idle timeout".to_owned());
        }
        if let Some(problem) = self.membership.problem() {
            return fail(format!("cluster.membership: {problem}"));
        }
        self.seeds.iter().try_for_each(|seed| split_seed(seed).map(|_| ()))
    }
}

/// Splits a seed into host and port.
pub(super) fn split_seed(seed: &str) -> Result<(String, u16), StartError> {
    let bad = || StartError::Config(format!("seed {seed:?} is not host:port"));
    if let Ok(addr) = seed.parse::<SocketAddr>() {
        return Ok((addr.ip().to_string(), addr.port()));
    }
    if let Ok(ip) = seed.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Ok((ip.to_string(), DEFAULT_PORT));
    }
    let (host, port) = match seed.split_once(':') {
        Some((host, port)) => (host, port.parse().map_err(|_| bad())?),
        None => (seed, DEFAULT_PORT),
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if host.is_empty() || port == 0 || !host.chars().all(allowed) {
        return Err(bad());
    }
    Ok((host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_hosts_with_or_without_a_port() {
        let split = |seed: &str| split_seed(seed).ok();
        let pair = |host: &str, port| Some((host.to_owned(), port));
        assert_eq!(split("n1.example:80"), pair("n1.example", 80));
        assert_eq!(split("n1"), pair("n1", DEFAULT_PORT));
        assert_eq!(split("10.0.0.1"), pair("10.0.0.1", DEFAULT_PORT));
        assert_eq!(split("10.0.0.1:1"), pair("10.0.0.1", 1));
        assert_eq!(split("[::1]:5"), pair("::1", 5));
        assert_eq!(split("::1"), pair("::1", DEFAULT_PORT));
        for bad in ["", ":1", "a:", "a:b", "a:70000", "a b", "a:0", "a:1:2", "http://a"] {
            assert_eq!(split(bad), None, "{bad}");
        }
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let origin = Origin { node: "n1".parse().unwrap(), incarnation: crate::id::Incarnation(1) };
        let files = TlsFiles { certificate: "c".into(), key: "k".into(), authority: "a".into() };
        let good = MeshConfig::new("blue", origin, [127, 0, 0, 1].into(), files);
        good.check().unwrap();
        let problem = |change: &dyn Fn(&mut MeshConfig)| {
            let mut config = good.clone();
            change(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert!(problem(&|c| c.cluster.clear()).contains("cluster name"));
        assert!(problem(&|c| c.origin.node = crate::id::NodeName::local()).contains("local"));
        assert!(problem(&|c| c.queue.bytes = 0).contains("queue_bytes"));
        assert!(problem(&|c| c.seeds.push("a b".to_owned())).contains("\"a b\""));
        assert!(problem(&|c| c.times.keep_alive = c.times.idle_timeout).contains("keep-alive"));
        assert!(problem(&|c| c.membership.suspicion_mult = 0).contains("suspicion_mult"));
    }
}
