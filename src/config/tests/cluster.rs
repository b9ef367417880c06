use std::time::Duration;

use super::{Scene, loaded, problem, problems};
use crate::config::TlsMode;
use crate::document::Style;

const TLS: &str = "tls: {cert: c, key: k, ca: a}";
const SECRET: &str = "AAECAwQFBgcICQoLDA0ODw==";

fn cluster(fields: &str) -> String {
    format!("cluster: {{enabled: true, name: n1, {TLS}, {fields}}}\n")
}

#[test]
fn a_cluster_has_the_documented_defaults() {
    let config = loaded(&cluster(""));
    let cluster = &config.cluster;
    assert_eq!((config.node_name.as_str(), cluster.id.as_str()), ("n1", "moonmesh"));
    assert_eq!((cluster.mesh_grace, cluster.join_timeout), (Duration::from_secs(15), None));
    assert_eq!(
        (cluster.queue_messages, cluster.queue_bytes, cluster.max_frame_bytes),
        (10_000, 64 << 20, 16 << 20)
    );
    let membership = &cluster.membership;
    assert_eq!(
        (membership.bind_addr.to_string().as_str(), membership.bind_port),
        ("0.0.0.0", 7946)
    );
    assert_eq!(
        (membership.gossip_interval, membership.push_pull_interval),
        (Duration::from_millis(500), Duration::from_secs(5))
    );
    assert_eq!(
        (membership.probe_interval, membership.probe_timeout),
        (Duration::from_secs(1), Duration::from_millis(200))
    );
    assert_eq!(
        (membership.suspicion_mult, membership.dead_node_reclaim_time),
        (3, Duration::from_secs(30))
    );
    assert!(membership.join_addrs.is_empty() && membership.secret.is_none());
    let internode = &cluster.internode;
    assert_eq!(
        (internode.bind_port, internode.auto_port, internode.advertise_port),
        (0, true, None)
    );
    assert_eq!(
        (internode.keep_alive_interval, internode.idle_timeout),
        (Duration::from_secs(2), Duration::from_secs(10))
    );
    assert_eq!(cluster.tls.mode, TlsMode::Mutual);
}

#[test]
fn every_setting_of_a_cluster_is_read() {
    let config = loaded(&cluster(&format!(
        "id: blue, failure_domain: r1, join_timeout: 3s, mesh_grace: 4s, queue_messages: 5, queue_bytes: 6K, max_frame_bytes: 7M, \
         membership: {{bind_addr: '::1', bind_port: 1, advertise_addr: 'h:2', join_addrs: 'a:1,b', secret_key: {SECRET}, gossip_interval: 8s, \
         push_pull_interval: 9s, probe_interval: 10s, probe_timeout: 1s, suspicion_mult: 11, dead_node_reclaim_time: 12s}}, \
         internode: {{bind_addr: 127.0.0.1, bind_port: 13, auto_port: false, advertise_addr: h, advertise_port: 14, keep_alive_interval: 15s, idle_timeout: 16s}}, \
         raft: {{enabled: false}}"
    )));
    let cluster = &config.cluster;
    assert_eq!(
        (cluster.queue_messages, cluster.queue_bytes, cluster.max_frame_bytes),
        (5, 6 << 10, 7 << 20)
    );
    assert_eq!(
        cluster.membership.join_addrs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["a:1", "b"]
    );
    assert_eq!(cluster.membership.secret.as_ref().unwrap().bytes().len(), 16);
    assert_eq!(cluster.internode.advertise_addr.as_ref().unwrap().to_string(), "h");
    assert_eq!((cluster.internode.bind_port, cluster.internode.advertise_port), (13, Some(14)));
    assert!(config.warnings().is_empty());
}

#[test]
fn settings_of_a_cluster_that_make_no_sense_are_refused() {
    for (fields, message) in [
        ("queue_messages: 0", "cluster.queue_messages: must be at least 1, not 0"),
        ("queue_bytes: 0", "cluster.queue_bytes: must be at least 1, not 0"),
        ("mesh_grace: 0", "cluster.mesh_grace: must be longer than 0"),
        (
            "join_timeout: 5",
            "cluster.join_timeout: \"5\" has no unit: write 5s for seconds, or 5ms for milliseconds",
        ),
        (
            "membership: {bind_port: 65536}",
            "cluster.membership.bind_port: must be 0 to 65535, not 65536",
        ),
        (
            "membership: {bind_addr: nowhere}",
            "cluster.membership.bind_addr: \"nowhere\" is no IP address",
        ),
        (
            "membership: {advertise_addr: 0.0.0.0}",
            "cluster.membership.advertise_addr: nobody can reach a wildcard address: name one of this machine",
        ),
        (
            "internode: {advertise_addr: '[::]:7950'}",
            "cluster.internode.advertise_addr: nobody can reach a wildcard address: name one of this machine",
        ),
        (
            "internode: {advertise_addr: ':7950'}",
            "cluster.internode.advertise_addr: nobody can reach a wildcard address: name one of this machine",
        ),
        (
            "internode: {advertise_port: 0}",
            "cluster.internode.advertise_port: must be 1 to 65535, not 0",
        ),
        (
            "internode: {idle_timeout: 1s}",
            "cluster.internode.idle_timeout: `keep_alive_interval` has to be shorter than `idle_timeout`",
        ),
        (
            "membership: {probe_timeout: 1s}",
            "cluster.membership.probe_timeout: `probe_timeout` has to be shorter than `probe_interval`",
        ),
        (
            "membership: {join_addrs: ['a b']}",
            "cluster.membership.join_addrs: \"a b\" is not an address: write host or host:port, an IPv6 address in brackets",
        ),
        (
            "membership: {join_addrs: ['a:0x']}",
            "cluster.membership.join_addrs: \"a:0x\" has no port from 0 to 65535 behind the colon",
        ),
        (
            "membership: {suspicion_mult: 0}",
            "cluster.membership.suspicion_mult: must be 1 to 1000, not 0",
        ),
        ("membership: {secret_file: none}", "cluster.membership.secret_file: none: no such file"),
        (
            "membership: {tcp_timeout: 1s}",
            "warning: cluster.membership.tcp_timeout: `tcp_timeout` has no effect: nodes talk over UDP only",
        ),
        ("raft: {enabled: true}", "cluster.raft.enabled: raft is not supported"),
        (
            "raft: {bind_port: 1}",
            "warning: cluster.raft.bind_port: `bind_port` has no effect: raft is not supported",
        ),
        ("join_addr: a", "cluster.join_addr: unknown field `join_addr`"),
    ] {
        let found = problem(&cluster(fields));
        let directory = found.find(": none: no such file").map(|_| message);
        assert!(
            found == message || directory.is_some_and(|_| found.ends_with("none: no such file")),
            "{fields}: {found}"
        );
    }
}

#[test]
fn nodes_have_to_be_able_to_prove_who_they_are() {
    assert_eq!(problems("cluster: {enabled: true, tls: {cert: c}}\n").len(), 2);
    let found = problems("cluster: {enabled: true}\n");
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].ends_with("cluster.tls.cert: the field `tls.cert` is missing: `moonmesh certs` makes an authority and a certificate for each node"), "{found:?}");
    let shared = |rest: &str| {
        format!("cluster: {{enabled: true, tls: {{mode: insecure_shared_secret}}{rest}}}\n")
    };
    assert_eq!(
        problem(&shared("")),
        "cluster.membership.secret_key: the field `membership.secret_key` is missing: it is what nodes are known by in this mode"
    );
    let config = loaded(&shared(&format!(", membership: {{secret_key: {SECRET}}}")));
    assert_eq!(config.cluster.tls.mode, TlsMode::InsecureSharedSecret);
}

#[test]
fn secrets_come_from_a_file_or_the_setting_and_are_never_shown() {
    let scene = Scene::new()
        .file("m.yaml", &cluster("membership: {secret_key: unused!, secret_file: secret.txt}"));
    std::fs::write(scene.directory.path().join("secret.txt"), format!("{SECRET}\n")).unwrap();
    assert!(scene.loaded().cluster.membership.secret.is_some());
    let scene = Scene::new().file("m.yaml", &cluster("membership: {secret_key: hunter2}"));
    let text = scene.load().unwrap_err().render(Style::Plain);
    assert!(text.contains("the secret has 5 bytes") || text.contains("not base64"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    let scene =
        Scene::new().file("m.yaml", &cluster("")).set("cluster.membership.secret_key=hunter2");
    assert!(!scene.load().unwrap_err().render(Style::Plain).contains("hunter2"));
}

#[test]
fn the_name_of_a_node_has_an_order_of_sources() {
    let enabled = format!("cluster: {{enabled: true, {TLS}}}\n");
    let name = |scene: Scene| scene.loaded().node_name.to_string();
    assert_eq!(name(Scene::new().file("m.yaml", &enabled)), "box");
    assert_eq!(
        name(Scene::new().file("m.yaml", &enabled).variable("MOONMESH_NODE_ID", "id")),
        "id"
    );
    let relay = format!("{enabled}relay: {{node_name: relay}}\n");
    assert_eq!(
        name(Scene::new().file("m.yaml", &relay).variable("MOONMESH_NODE_ID", "id")),
        "relay"
    );
    let scene = Scene::new().file("m.yaml", &relay).variable("MOONMESH_CLUSTER_NAME", "0123");
    assert_eq!(name(scene), "0123");
    let scene = Scene::new().file("m.yaml", &relay).set("cluster.name=n1");
    assert_eq!(
        scene.problems(),
        ["m.yaml:2:20: warning: `relay.node_name` has no effect: `cluster.name` is n1"]
    );
    assert_eq!(name(Scene::new().file("m.yaml", "relay: {node_name: relay}\n")), "local");
    for bad in ["a@b", "a|b", "a b", "local", "\u{e4}"] {
        let found =
            Scene::new().file("m.yaml", &enabled).set(&format!("cluster.name={bad}")).problems();
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
    }
    let mut scene = Scene::new().file("m.yaml", &enabled);
    scene.input.host_name = Some("x".repeat(65));
    let text = scene.load().unwrap_err().render(Style::Plain);
    assert!(text.contains("set `cluster.name`"), "{text}");
    scene.input.host_name = None;
    assert!(scene.problems()[0].contains("set `cluster.name`"));
}

#[test]
fn settings_of_a_cluster_that_is_off_are_pointed_out() {
    let found = problems("cluster: {membership: {join_addrs: [a]}}\n");
    assert_eq!(
        found,
        [
            "m.yaml:1:36: warning: cluster.membership.join_addrs: the settings of `cluster` have no effect: it is not enabled"
        ]
    );
    assert_eq!(
        problems("cluster: {enabled: false, membership: {join_addrs: [a]}}\n"),
        Vec::<String>::new()
    );
}
