//! Certificates that change while nodes run.

use std::time::Instant;

use super::fixture::*;
use crate::mesh::certs::Validity;
use crate::wire::Lane;

fn shows(node: &Node, serial: &str) {
    let deadline = Instant::now() + PATIENCE;
    while node.mesh.certificate().serial != serial {
        assert!(Instant::now() < deadline, "{:?}", node.mesh.certificate());
        std::thread::yield_now();
    }
}

#[test]
fn a_new_pair_is_taken_without_harm_to_sessions() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let n2 = cluster.start("n2", &[&n1]);
    n1.linked(&n2);
    n2.linked(&n1);
    let renewed = cluster.store().renew(n1.name(), Validity::days(3)).unwrap();
    shows(&n1, &renewed.serial);
    let n3 = cluster.start("n3", &[&n1]);
    n3.linked(&n1);
    n1.send(&n2, Lane::Message, b"old session").unwrap();
    n2.gets(&n1, Lane::Message, b"old session");
    assert!(!n1.log.all().contains(&Seen::Down(n2.origin())));
}

#[test]
fn a_pair_that_does_not_fit_is_not_taken() {
    let cluster = Cluster::new("blue");
    let n1 = cluster.start("n1", &[]);
    let first = n1.mesh.certificate().serial;
    let files = cluster.store().files(n1.name());
    let other = cluster.authority().issue(n1.name(), Validity::days(1)).unwrap();
    std::fs::write(&files.certificate, &other.certificate).unwrap();
    // New handshakes work, with the old pair.
    let n2 = cluster.start("n2", &[&n1]);
    n2.linked(&n1);
    assert_eq!(n1.mesh.certificate().serial, first);
    std::fs::write(&files.certificate, "rubbish").unwrap();
    let n3 = cluster.start("n3", &[&n1]);
    n3.linked(&n1);
    assert_eq!(n1.mesh.certificate().serial, first);
    std::fs::write(&files.key, &other.key).unwrap();
    std::fs::write(&files.certificate, &other.certificate).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while n1.mesh.certificate().serial == first {
        assert!(Instant::now() < deadline, "the fitting pair was not taken");
        std::thread::yield_now();
    }
}
