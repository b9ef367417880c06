//! `moonmesh certs`: an authority, nodes, and what happens when something is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::run_in;

#[test]
fn a_cluster_is_made_in_two_commands() {
    let folder = tempfile::tempdir().unwrap();
    let init = run_in(folder.path(), &["certs", "init", "--cluster", "shop"]).with_code(0);
    assert!(init.out.starts_with("certs/ca.crt, certs/ca.key: "), "{}", init.out);
    let issue = run_in(folder.path(), &["certs", "issue", "n1", "n2", "--days", "30"]).with_code(0);
    assert_eq!(issue.out.lines().count(), 2);
    assert!(issue.out.contains("certs/n2.crt, certs/n2.key: "), "{}", issue.out);
    for name in ["ca", "n1", "n2"] {
        let key = folder.path().join(format!("certs/{name}.key"));
        assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }

    let shown = run_in(folder.path(), &["certs", "show", "--json"]).with_code(0).json();
    let shown = shown.as_array().unwrap();
    let roles: Vec<_> = shown.iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["authority", "node", "node"]);
    assert_eq!((&shown[1]["names"][0], &shown[1]["state"]), (&"n1".into(), &"valid".into()));
    let text = run_in(folder.path(), &["certs", "show"]).with_code(0).out;
    assert!(text.starts_with("FILE          ROLE       NODE  VALID UNTIL  STATE\n"), "{text}");
    assert!(text.contains("certs/n2.crt  node       n2"), "{text}");
}

#[test]
fn renewing_gives_a_new_certificate() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &["certs", "init"]).with_code(0);
    run_in(folder.path(), &["certs", "issue", "n1"]).with_code(0);
    let before = fs::read(folder.path().join("certs/n1.crt")).unwrap();
    run_in(folder.path(), &["certs", "renew", "n1"]).with_code(0);
    assert_ne!(before, fs::read(folder.path().join("certs/n1.crt")).unwrap());
}

#[test]
fn nothing_is_overwritten_and_what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let early = run_in(folder.path(), &["certs", "issue", "n1"]).with_code(1);
    assert!(
        early.err.contains("try: make an authority: moonmesh certs --dir certs init"),
        "{}",
        early.err
    );
    run_in(folder.path(), &["certs", "show"]).with_code(1);
    run_in(folder.path(), &["certs", "init"]).with_code(0);
    let again = run_in(folder.path(), &["certs", "init"]).with_code(1);
    assert!(again.err.starts_with("Error: certs/ca.crt exists already"), "{}", again.err);
    run_in(folder.path(), &["certs", "issue", "n1"]).with_code(0);
    let again = run_in(folder.path(), &["certs", "issue", "n1"]).with_code(1);
    assert!(again.err.contains("use renew to replace it"), "{}", again.err);
    let missing = run_in(folder.path(), &["certs", "renew", "n9"]).with_code(1);
    assert!(
        missing.err.contains("try: make it: moonmesh certs --dir certs issue n9"),
        "{}",
        missing.err
    );
    for name in ["a b", "n@1", ""] {
        run_in(folder.path(), &["certs", "issue", name]).with_code(2);
    }
    run_in(folder.path(), &["certs", "issue", "n2", "--days", "0"]).with_code(2);
}
