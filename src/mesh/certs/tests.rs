use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use super::*;

fn node(name: &str) -> NodeName {
    name.parse().unwrap()
}

fn validity(issued: SystemTime, lifetime_secs: u64) -> Validity {
    Validity { issued, lifetime: Duration::from_secs(lifetime_secs) }
}

fn pem(authority: &Authority, pair: &PemPair) -> Pem {
    Pem {
        files: TlsFiles {
            certificate: "n.crt".into(),
            key: "n.key".into(),
            authority: "a.crt".into(),
        },
        certificate: pair.certificate.clone().into_bytes(),
        key: pair.key.clone().into_bytes(),
        authority: authority.pem().certificate.clone().into_bytes(),
    }
}

fn authority() -> Authority {
    Authority::create("blue", Validity::days(30)).unwrap()
}

fn problem(pem: &Pem, name: &str, now: SystemTime) -> Problem {
    match Material::from_pem(pem, &node(name), now).unwrap_err() {
        CertsError::Refused { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn a_store_makes_shows_and_renews() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::new(home.path().join("certs"));
    let (n1, day) = (node("n1"), Validity::days(1));
    assert!(matches!(store.issue(&n1, day), Err(CertsError::File { .. })), "no authority yet");

    assert_eq!(store.init("blue", Validity::days(10)).unwrap().role, Role::Authority);
    assert!(matches!(store.init("blue", day), Err(CertsError::Exists { .. })));
    assert!(matches!(store.renew(&n1, day), Err(CertsError::File { .. })), "nothing to renew");
    let first = store.issue(&n1, day).unwrap();
    assert_eq!((first.role, first.names.as_slice()), (Role::Node, ["n1".to_owned()].as_slice()));
    assert!(matches!(store.issue(&n1, day), Err(CertsError::Exists { .. })));
    assert!(matches!(store.issue(&node("ca"), day), Err(CertsError::Exists { .. })));
    let second = store.renew(&n1, Validity::days(5)).unwrap();
    assert_ne!(first.serial, second.serial);
    assert!(second.not_after > first.not_after);

    let shown: Vec<_> = store.show().unwrap();
    let files: Vec<_> = shown.iter().map(|(path, _)| path.file_name().unwrap()).collect();
    assert_eq!(files, ["ca.crt", "n1.crt"]);
    assert_eq!(shown[1].1, second);
    let mode = std::fs::metadata(store.files(&n1).key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let pem = Pem::read(&store.files(&n1)).unwrap();
    Material::from_pem(&pem, &n1, SystemTime::now()).unwrap();
}

#[test]
fn every_valid_node_name_can_be_certified() {
    let authority = authority();
    for name in ["n1", "N_1", "10.0.0.1", "a..b", "-x", "x.", "_", "9".repeat(64).as_str()] {
        let pair = authority.issue(&node(name), Validity::days(1)).unwrap();
        let material =
            Material::from_pem(&pem(&authority, &pair), &node(name), SystemTime::now()).unwrap();
        assert_eq!(material.details().names, [name]);
    }
}

#[test]
fn a_clock_two_minutes_behind_is_no_problem() {
    let authority = authority();
    let now = SystemTime::now();
    let pair = authority.issue(&node("n1"), validity(now, 60)).unwrap();
    let slow = now - Duration::from_secs(120);
    Material::from_pem(&pem(&authority, &pair), &node("n1"), slow).unwrap();
}

#[test]
fn each_check_says_what_failed() {
    let (ours, theirs, now) = (authority(), authority(), SystemTime::now());
    let day = Duration::from_secs(86_400);

    let over = ours.issue(&node("n1"), validity(now - 2 * day, 86_400)).unwrap();
    let text = problem(&pem(&ours, &over), "n1", now).to_string();
    assert!(text.starts_with("expired at 2"), "{text}");

    let early = ours.issue(&node("n1"), validity(now + day, 86_400)).unwrap();
    let text = problem(&pem(&ours, &early), "n1", now).to_string();
    assert!(text.starts_with("not valid before 2"), "{text}");

    let foreign = theirs.issue(&node("n1"), Validity::days(1)).unwrap();
    let text = problem(&pem(&ours, &foreign), "n1", now).to_string();
    assert!(text.starts_with("not signed by this cluster's authority, but by "), "{text}");
    assert!(text.contains("blue cluster authority"), "{text}");

    let other = ours.issue(&node("n2"), Validity::days(1)).unwrap();
    assert_eq!(problem(&pem(&ours, &other), "n1", now), Problem::OtherName(vec!["n2".to_owned()]));
    assert_eq!(problem(&pem(&ours, ours.pem()), "n1", now), Problem::IsAuthority);
}

#[test]
fn files_that_do_not_belong_together_are_told_apart() {
    let authority = authority();
    let one = authority.issue(&node("n1"), Validity::days(1)).unwrap();
    let two = authority.issue(&node("n1"), Validity::days(1)).unwrap();
    let load = |pem: &Pem| {
        Material::from_pem(pem, &node("n1"), SystemTime::now()).unwrap_err().to_string()
    };
    let mut mixed = pem(&authority, &one);
    mixed.key = two.key.into_bytes();
    assert!(
        load(&mixed).starts_with("n.key: does not fit the certificate n.crt"),
        "{}",
        load(&mixed)
    );
    let mut empty = pem(&authority, &one);
    empty.certificate.clear();
    assert_eq!(load(&empty), "n.crt: no certificate in it (PEM expected)");
    let mut keyless = pem(&authority, &one);
    keyless.key = b"-----BEGIN".to_vec();
    assert_eq!(load(&keyless), "n.key: no private key in it (PEM expected)");
}
