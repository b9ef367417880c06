//! Who is not let in, and what both sides are told about it.

use std::time::{Duration, Instant, SystemTime};

use super::fixture::*;
use crate::mesh::certs::Validity;
use crate::mesh::{Mesh, StartError};

/// Waits for a complaint that contains all these words.
fn complains(node: &Node, about: &str, words: &[&str]) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let all = node.mesh.complaints();
        let fits = |reason: &str| words.iter().all(|word| reason.contains(word));
        if all.iter().any(|c| c.about.starts_with(about) && fits(&c.reason)) {
            return;
        }
        assert!(Instant::now() < deadline, "no {about:?} with {words:?} in {all:#?}");
        std::thread::yield_now();
    }
}

fn strangers(one: &Node, other: &Node) {
    assert!(one.log.all().is_empty(), "{:?}", one.log.all());
    assert!(other.log.all().is_empty(), "{:?}", other.log.all());
}

#[test]
fn another_cluster_is_named_on_both_sides() {
    let blue = Cluster::new("blue");
    let green = blue.sibling("green");
    let n1 = blue.start("n1", &[]);
    let n2 = green.start("n2", &[&n1]);
    complains(&n2, "seed 127.0.0.1:", &["n2", "\"green\"", "n1", "\"blue\""]);
    complains(&n1, "connection from 127.0.0.1", &["n2", "\"green\"", "n1", "\"blue\""]);
    strangers(&n1, &n2);
    // A refusal that will not pass is not tried again in a hurry.
    let after_one = n1.mesh.counts().refused;
    assert!(after_one <= 3, "{after_one}");
}

#[test]
fn a_foreign_authority_is_told_apart() {
    let ours = Cluster::new("blue");
    let theirs = Cluster::new("blue");
    let n1 = ours.start("n1", &[]);
    let n2 = theirs.start("n2", &[&n1]);
    let words = ["certificate for [n1] refused", "not signed by this cluster's authority"];
    complains(&n2, "seed", &words);
    strangers(&n1, &n2);
}

#[test]
fn the_side_that_is_refused_hears_why() {
    // n1 trusts only its own authority; n2 was made by another one and trusts both.
    let ours = Cluster::new("blue");
    let theirs = Cluster::new("blue");
    let n1 = ours.start("n1", &[]);
    let config = theirs.config("n2", &[&n1]);
    let both = [&config.tls.authority, &ours.store().files(n1.name()).authority]
        .map(|path| std::fs::read_to_string(path).unwrap())
        .concat();
    std::fs::write(&config.tls.authority, both).unwrap();
    let n2 = Node::start(config);
    complains(&n2, "seed", &["the peer refused this node's certificate", "authority"]);
    let words = ["certificate for [n2] refused", "not signed by this cluster's authority"];
    complains(&n1, "connection from", &words);
    strangers(&n1, &n2);
}

#[test]
fn a_certificate_for_another_name_does_not_start() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let mut config = cluster.config("n2", &[&n1]);
    config.origin.node = "n3".parse().unwrap();
    let error = Mesh::start(config, n1.log.clone()).err().unwrap().to_string();
    assert!(error.ends_with("certificate of node n3: it is for [n2]"), "{error}");
}

#[test]
fn an_expired_certificate_does_not_start() {
    let cluster = Cluster::new("blue");
    let config = cluster.config("n2", &[]);
    let past = SystemTime::now() - Duration::from_secs(10_000);
    let validity = Validity { issued: past, lifetime: Duration::from_secs(5_000) };
    let pair = cluster.authority().issue(&config.origin.node, validity).unwrap();
    std::fs::write(&config.tls.certificate, pair.certificate).unwrap();
    std::fs::write(&config.tls.key, pair.key).unwrap();
    let log = std::sync::Arc::new(Recorder::default());
    match Mesh::start(config, log).err().unwrap() {
        StartError::Certificates(error) => assert!(error.to_string().contains("expired at")),
        other => panic!("{other}"),
    }
}

#[test]
fn the_cluster_secret_must_be_known() {
    let cluster = Cluster::new("blue");
    let with_secret = |name: &str, seeds: &[&Node], secret: Option<&[u8]>| {
        let mut config = cluster.config(name, seeds);
        config.secret = secret.map(<[u8]>::to_vec);
        Node::start(config)
    };
    let n1 = with_secret("n1", &[], Some(b"sesame"));
    let n2 = with_secret("n2", &[&n1], Some(b"sesame"));
    n2.linked(&n1);
    n1.linked(&n2);
    let n3 = with_secret("n3", &[&n1], Some(b"barley"));
    complains(&n3, "seed", &["node n3 has another cluster secret"]);
    let n4 = with_secret("n4", &[&n1], None);
    complains(&n4, "seed", &["node n4 has no cluster secret"]);
    let n5 = with_secret("n5", &[], None);
    let n6 = with_secret("n6", &[&n5], Some(b"sesame"));
    complains(&n6, "seed", &["node n6 has a cluster secret, the node it reached has none"]);
    strangers(&n3, &n4);
    strangers(&n5, &n6);
}

#[test]
fn a_seed_that_is_nobody_is_complained_about_until_it_is_somebody() {
    let cluster = Cluster::new("blue");
    let mut config = cluster.config("n2", &[]);
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let addr = socket.local_addr().unwrap();
    config.seeds = vec![addr.to_string(), "no-such-host.invalid:1".to_owned()];
    config.times.hello_timeout = Duration::from_millis(300);
    let n2 = Node::start(config);
    complains(&n2, &format!("seed {addr}"), &["no answer"]);
    complains(&n2, "seed no-such-host.invalid:1", &[]);
    drop(socket);
    let mut config = cluster.config("n1", &[]);
    config.bind_port = crate::mesh::PortChoice::Fixed(addr.port());
    let n1 = Node::start(config);
    n2.linked(&n1);
    let deadline = Instant::now() + PATIENCE;
    let about = format!("seed {addr}");
    while n2.mesh.complaints().iter().any(|complaint| complaint.about == about) {
        assert!(Instant::now() < deadline, "{:?}", n2.mesh.complaints());
        std::thread::yield_now();
    }
}
