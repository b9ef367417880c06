use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use smol_str::SmolStr;

use crate::document::code as document_code;

use super::address::Address;
use super::code;
use super::secret::{self, Secret};
use super::section::Section;

/// Identity of a cluster that was given none.
const DEFAULT_CLUSTER_ID: &str = "moonmesh";

/// How the node takes part in a cluster (`cluster.*`; cluster.md sections 1 to 3).
#[derive(Debug, Clone)]
pub struct ClusterConfig {
    /// Without it the node opens no port. Default `false`.
    pub enabled: bool,
    /// Name of the cluster (`cluster.id`): nodes with another one are refused. Default `moonmesh`.
    pub id: SmolStr,
    /// Published to the other nodes, not used.
    pub failure_domain: Option<SmolStr>,
    /// Fail the start if no seed answers for so long; without it seeds are tried in the background.
    pub join_timeout: Option<Duration>,
    /// How long a live node may be without a mesh session before that is unhealthy. Default 15 s.
    pub mesh_grace: Duration,
    /// Most frames that wait for one peer, per class. Default 10,000.
    pub queue_messages: u32,
    /// Most bytes that wait for one peer, per class. Default 64 MiB.
    pub queue_bytes: u64,
    /// Longest frame; a longer message is refused to its sender. Default 16 MiB.
    pub max_frame_bytes: u64,
    /// Who else is in the cluster.
    pub membership: MembershipConfig,
    /// The links to the others.
    pub internode: InternodeConfig,
    /// How the nodes know each other.
    pub tls: TlsConfig,
}

/// How nodes find each other and notice that one is gone (`cluster.membership.*`).
#[derive(Debug, Clone)]
pub struct MembershipConfig {
    /// Default 0.0.0.0.
    pub bind_addr: IpAddr,
    /// Default 7946.
    pub bind_port: u16,
    /// What others are told to reach this node at; never a wildcard.
    pub advertise_addr: Option<Address>,
    /// Nodes to join, tried again and again; names are resolved at each try.
    pub join_addrs: Vec<Address>,
    /// The shared secret, from `secret_file` or else `secret_key`.
    pub secret: Option<Secret>,
    /// Default 500 ms.
    pub gossip_interval: Duration,
    /// Default 5 s.
    pub push_pull_interval: Duration,
    /// Default 1 s.
    pub probe_interval: Duration,
    /// Shorter than the interval. Default 200 ms.
    pub probe_timeout: Duration,
    /// Default 3.
    pub suspicion_mult: u32,
    /// Default 30 s.
    pub dead_node_reclaim_time: Duration,
}

/// The endpoint for the other nodes (`cluster.internode.*`), over UDP.
#[derive(Debug, Clone)]
pub struct InternodeConfig {
    /// Default 0.0.0.0.
    pub bind_addr: IpAddr,
    /// 0, the default, is the first free one of 7950 to 7959, else any.
    pub bind_port: u16,
    /// Whether another port will do if the one that is wanted is taken. Default `true`.
    pub auto_port: bool,
    /// What others are told to reach this node at; never a wildcard.
    pub advertise_addr: Option<Address>,
    /// The port that others are told.
    pub advertise_port: Option<u16>,
    /// Time between signs of life on an idle link. Default 2 s.
    pub keep_alive_interval: Duration,
    /// A link without a sign of life for so long is given up; longer than the interval of the
    /// signs. Default 10 s.
    pub idle_timeout: Duration,
}

/// How nodes prove who they are (`cluster.tls.*`).
#[derive(Debug, Clone)]
pub struct TlsConfig {
    /// Default [`TlsMode::Mutual`].
    pub mode: TlsMode,
    /// Certificate of the node; its name is in it.
    pub cert: Option<PathBuf>,
    /// Private key of the certificate.
    pub key: Option<PathBuf>,
    /// Certificate of the authority that all nodes of the cluster are known by.
    pub ca: Option<PathBuf>,
}

/// The ways of proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    /// `mutual`: certificates of one authority, both ways.
    Mutual,
    /// `insecure_shared_secret`: whoever has the secret is let in, under any name. For tests.
    InsecureSharedSecret,
}

impl ClusterConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let enabled = section.flag("enabled", false);
        let id = section.text("id");
        let failure_domain = section.text("failure_domain");
        let config = Self {
            enabled,
            id: id.map_or_else(|| SmolStr::new_static(DEFAULT_CLUSTER_ID), |id| id.text),
            failure_domain: failure_domain.map(|domain| domain.text),
            join_timeout: section.optional_duration("join_timeout"),
            mesh_grace: section.duration("mesh_grace", Duration::from_secs(15)),
            queue_messages: section.integer("queue_messages", 1..=u32::MAX, 10_000),
            queue_bytes: section.size("queue_bytes", 64 << 20),
            max_frame_bytes: section.size("max_frame_bytes", 16 << 20),
            membership: section.section("membership", MembershipConfig::read),
            internode: section.section("internode", InternodeConfig::read),
            tls: section.section("tls", TlsConfig::read),
        };
        section.section("raft", |raft| {
            if raft.flag("enabled", false) {
                raft.refuse("enabled", code::UNSUPPORTED, "raft is not supported");
            }
            raft.ignore_rest("raft is not supported");
        });
        config.check_identity(section);
        config
    }

    /// What an enabled cluster needs to know its nodes.
    fn check_identity(&self, section: &Section<'_, '_>) {
        if !self.enabled {
            return;
        }
        let missing = |name, help: &str| {
            let message = format!("the field `{name}` is missing: {help}");
            section.refuse(name, document_code::MISSING_FIELD, message);
        };
        match self.tls.mode {
            TlsMode::Mutual => {
                let help = "`moonmesh certs` makes an authority and a certificate for each node";
                let TlsConfig { cert, key, ca, .. } = &self.tls;
                for (name, path) in [("tls.cert", cert), ("tls.key", key), ("tls.ca", ca)] {
                    if path.is_none() {
                        missing(name, help);
                    }
                }
            }
            TlsMode::InsecureSharedSecret if self.membership.secret.is_none() => {
                let help = "it is what nodes are known by in this mode";
                missing("membership.secret_key", help);
            }
            TlsMode::InsecureSharedSecret => {}
        }
    }
}

impl MembershipConfig {
    fn read(section: &mut Section<'_, '_>) -> Self {
        let bind_addr = section.ip("bind_addr", Ipv4Addr::UNSPECIFIED.into());
        let bind_port = section.integer("bind_port", 0..=u16::MAX, 7946);
        let advertise_addr = advertised(section);
        let join_addrs = section.addresses("join_addrs");
        let secret = secret::read(section);
        let gossip_interval = section.duration("gossip_interval", Duration::from_millis(500));
        let push_pull_interval = section.duration("push_pull_interval", Duration::from_secs(5));
        let (probe_interval, probe_timeout) = ordered(
            section,
            ("probe_interval", Duration::from_secs(1)),
            ("probe_timeout", Duration::from_millis(200)),
        );
        let config = Self {
            bind_addr,
            bind_port,
            advertise_addr,
            join_addrs,
            secret,
            gossip_interval,
            push_pull_interval,
            probe_interval,
            probe_timeout,
            suspicion_mult: section.integer("suspicion_mult", 1..=1000, 3),
            dead_node_reclaim_time: section
                .duration("dead_node_reclaim_time", Duration::from_secs(30)),
        };
        section.without_effect("tcp_timeout", "nodes talk over UDP only");
        config
    }
}

impl InternodeConfig {
    fn read(section: &mut Section<'_, '_>) -> Self {
        let bind_addr = section.ip("bind_addr", Ipv4Addr::UNSPECIFIED.into());
        let bind_port = section.integer("bind_port", 0..=u16::MAX, 0);
        let auto_port = section.flag("auto_port", true);
        let advertise_addr = advertised(section);
        let advertise_port = section.optional_port("advertise_port");
        let (idle_timeout, keep_alive_interval) = ordered(
            section,
            ("idle_timeout", Duration::from_secs(10)),
            ("keep_alive_interval", Duration::from_secs(2)),
        );
        Self {
            bind_addr,
            bind_port,
            auto_port,
            advertise_addr,
            advertise_port,
            keep_alive_interval,
            idle_timeout,
        }
    }
}

impl TlsConfig {
    fn read(section: &mut Section<'_, '_>) -> Self {
        let modes = [
            ("mutual", TlsMode::Mutual),
            ("insecure_shared_secret", TlsMode::InsecureSharedSecret),
        ];
        Self {
            mode: section.choice("mode", &modes, TlsMode::Mutual),
            cert: section.path("cert"),
            key: section.path("key"),
            ca: section.path("ca"),
        }
    }
}

/// Two durations of which the first has to be longer.
fn ordered(
    section: &mut Section<'_, '_>,
    (long_name, long_default): (&'static str, Duration),
    (short_name, short_default): (&'static str, Duration),
) -> (Duration, Duration) {
    let long = section.duration(long_name, long_default);
    let short = section.duration(short_name, short_default);
    if short >= long {
        let message = format!("`{short_name}` has to be shorter than `{long_name}`");
        let name = if section.is_given(short_name) { short_name } else { long_name };
        section.refuse(name, document_code::OUT_OF_RANGE, message);
    }
    (long, short)
}

/// The address that others are told: one that they can reach.
fn advertised(section: &mut Section<'_, '_>) -> Option<Address> {
    let address = section.address("advertise_addr")?;
    let is_wildcard = address.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_unspecified());
    if is_wildcard || address.host.is_empty() {
        let message = "nobody can reach a wildcard address: name one of this machine";
        section.refuse("advertise_addr", code::BAD_ADDRESS, message);
        return None;
    }
    Some(address)
}
