use super::*;
use proptest::prelude::*;

fn hello(cluster: &str, node: &str, incarnation: u64) -> Hello {
    let origin = Origin { node: node.parse().unwrap(), incarnation: Incarnation(incarnation) };
    Hello {
        cluster: cluster.to_owned(),
        identity: Identity { origin, rejoin: 0, addr: "127.0.0.1:7950".parse().unwrap() },
        features: 0,
        limits: Limits { max_frame_bytes: 1 << 24 },
        lost: Generation(3),
        proof: Some([7; 32]),
    }
}

fn decode(bytes: &[u8]) -> Result<Hello, HelloError> {
    let (head, body) = bytes.split_at(HelloHead::BYTES);
    let head = HelloHead::decode(head.try_into().unwrap())?;
    Hello::decode_body(&body[..head.body_bytes])
}

fn refused(theirs: &Hello, certified: &[&str], expected: Option<&str>) -> Refusal {
    let certified: Vec<String> = certified.iter().map(|name| (*name).to_owned()).collect();
    let expected = expected.map(|name| name.parse().unwrap());
    theirs.check(&hello("blue", "n1", 5), &certified, expected.as_ref()).unwrap_err()
}

#[test]
fn a_hello_round_trips() {
    let original = hello("blue", "n1", 5);
    assert_eq!(decode(&original.encode()), Ok(original.clone()));
    let mut longer = original.encode();
    longer.extend([1, 2, 3]);
    longer[7] += 3;
    assert_eq!(decode(&longer), Ok(original));
}

#[test]
fn the_version_is_known_even_if_nothing_else_is() {
    let mut bytes = [0_u8; HelloHead::BYTES];
    bytes[..4].copy_from_slice(b"MOON");
    bytes[5] = 9;
    let error = HelloHead::decode(bytes).unwrap_err();
    assert_eq!(error, HelloError::Version { found: 9 });
    let refusal = Refusal::from(error);
    assert_eq!(refusal.code, CloseCode::Version);
    assert_eq!(refusal.reason, "protocol version 9, this node speaks 1");
    bytes[0] = b'X';
    assert!(matches!(HelloHead::decode(bytes), Err(HelloError::Malformed(_))));
}

#[test]
fn refusals_name_both_sides() {
    let green = refused(&hello("green", "n2", 1), &["n2"], None);
    assert_eq!(green.code, CloseCode::Cluster);
    assert_eq!(green.reason, "node n2 is in cluster \"green\", node n1 in cluster \"blue\"");

    let liar = refused(&hello("blue", "n2", 1), &["n3", "n4"], None);
    assert_eq!(liar.code, CloseCode::Name);
    assert_eq!(liar.reason, "node says it is n2, its certificate is for [n3, n4]");

    let other = refused(&hello("blue", "n2", 1), &["n2"], Some("n3"));
    assert_eq!(
        (other.code, other.reason.as_str()),
        (CloseCode::Name, "expected node n3, reached n2")
    );

    let own = refused(&hello("blue", "n1", 5), &["n1"], None);
    assert_eq!(own.code, CloseCode::Itself);
    let twin = refused(&hello("blue", "n1", 0x1f), &["n1"], None);
    assert_eq!(twin.code, CloseCode::NameTaken);
    assert_eq!(
        twin.reason,
        "two live nodes are called n1: 127.0.0.1:7950 (incarnation 5) and \
         127.0.0.1:7950 (incarnation 1f)"
    );
}

#[test]
fn the_right_node_is_let_in() {
    let theirs = hello("blue", "n2", 1);
    let certified = ["n9".to_owned(), "n2".to_owned()];
    let expected = "n2".parse().unwrap();
    assert_eq!(theirs.check(&hello("blue", "n1", 5), &certified, Some(&expected)), Ok(()));
}

proptest! {
    #[test]
    fn garbage_never_panics(bytes: Vec<u8>, head: [u8; HEAD_BYTES]) {
        let _ = HelloHead::decode(head);
        let _ = Hello::decode_body(&bytes);
    }

    #[test]
    fn damaged_hellos_never_panic(at: prop::sample::Index, value: u8) {
        let mut body = hello("blue", "n1", 5).encode().split_off(HEAD_BYTES);
        let index = at.index(body.len());
        body[index] = value;
        let _ = Hello::decode_body(&body);
    }
}
