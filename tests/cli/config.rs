//! Settings: where they come from, which one wins, what is wrong with them.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ended, finish, moonmesh, run_in};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn setting(ended: &Ended, path: &str) -> (Json, String) {
    let all = ended.json();
    let one = all.as_array().unwrap().iter().find(|one| one["path"] == path).unwrap();
    (one["value"].clone(), one["origin"].as_str().unwrap().to_owned())
}

#[test]
fn later_sources_win_and_each_value_has_its_origin() {
    let folder = folder(&[
        ("a.yaml", "shutdown: {timeout: 1s}\nboot: {timeout: 1s}\nhealth: {loop_ceiling: 1s}\n"),
        ("b.yaml", "boot: {timeout: 2s}\nhealth:\n  loop_ceiling: 2s\n"),
    ]);
    let mut command =
        moonmesh(&["config", "show", "--json", "--config", "a.yaml", "--config", "b.yaml"]);
    command.args(["--set", "health.loop_ceiling=4s"]).env("MOONMESH_HEALTH_LOOP_CEILING", "3s");
    command.env("MOONMESH_CLUSTER_NAME", "123").current_dir(folder.path());
    let ended = finish(&mut command).with_code(0);
    for (path, value, origin) in [
        ("shutdown.timeout", "1s", "a.yaml:1"),
        ("boot.timeout", "2s", "b.yaml:1"),
        ("health.loop_ceiling", "4s", "--set"),
        ("health.broadcast_ceiling", "5m0s", "default"),
        // A text stays a text, whatever it looks like.
        ("cluster.name", "123", "MOONMESH_CLUSTER_NAME"),
    ] {
        assert_eq!(setting(&ended, path), (value.into(), origin.to_owned()), "{path}");
    }
}

#[test]
fn the_file_beside_the_registry_is_found() {
    let files = [
        ("shop/moonmesh.yaml", "shutdown: {timeout: 7s}\n"),
        ("shop/registry/_index.yaml", "namespace: app\nentries: []\n"),
    ];
    let folder = folder(&files);
    let shop = folder.path().join("shop");
    let ended = run_in(&shop, &["config", "show", "shutdown"]).with_code(0);
    assert_eq!(
        ended.out,
        "SETTING           VALUE  FROM\nshutdown.timeout  7s     moonmesh.yaml:1\n"
    );
    // From elsewhere as well: problems in it are problems of the registry.
    fs::write(shop.join("moonmesh.yaml"), "shutdown: {timout: 7s}\n").unwrap();
    let ended = run_in(folder.path(), &["check", "shop/registry"]).with_code(1);
    assert!(
        ended.out.contains("shop/moonmesh.yaml:1:") && ended.out.contains("timeout"),
        "{}",
        ended.out
    );
}

#[test]
fn what_is_wrong_is_told_all_at_once() {
    let folder = folder(&[("a.yaml", "shutdown: {timout: 1s}\nboot: {timeout: 5}\nsecurty: {}\n")]);
    let arguments = ["config", "show", "--config", "a.yaml", "--config", "none.yaml", "--set", "x"];
    let ended = run_in(folder.path(), &arguments).with_code(1);
    for part in ["timout", "no unit", "securty", "none.yaml", "--set takes key=value", "5 errors"] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    assert_eq!(ended.out, "");
}

#[test]
fn a_misspelt_variable_is_an_error_and_a_flag_s_is_none() {
    let mut command = moonmesh(&["config", "show"]);
    command.env("MOONMESH_SHUTDOWN_TIMEOT", "1s");
    let ended = finish(&mut command).with_code(1);
    assert!(ended.err.contains("did you mean `MOONMESH_SHUTDOWN_TIMEOUT`?"), "{}", ended.err);
    let mut command = moonmesh(&["config", "show"]);
    command.env("MOONMESH_LOG_FILTER", "debug").env("MOONMESH_CERTS_DIR", "x");
    finish(&mut command).with_code(0);
}

#[test]
fn one_part_can_be_asked_for_and_secrets_stay_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let show = |more: &[&str]| run_in(folder.path(), &[&["config", "show"], more].concat());
    let members = show(&["cluster.membership"]).with_code(0).out;
    assert!(
        members.lines().skip(1).all(|line| line.starts_with("cluster.membership.")),
        "{members}"
    );
    let wrong = show(&["cluster.nam"]).with_code(1).err;
    assert_eq!(
        wrong,
        "Error: there is no setting \"cluster.nam\"\n  try: did you mean cluster.name?\n"
    );
    let key = "cluster.membership.secret_key=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let shown = show(&["--set", key, "--json"]).with_code(0);
    assert!(!shown.out.contains("MDEyMzQ1"), "{}", shown.out);
    assert_eq!(setting(&shown, "cluster.membership.secret_key").0, "********");
}

#[test]
fn overrides_of_the_file_are_below_those_of_flags() {
    let index = "namespace: app\nentries:\n- {name: pg, kind: pg.scope}\n";
    let config = "override:\n  \"app:pg:monitor_buffer\": 8\n  \"app:pg:max_groups\": 9\n";
    let folder = folder(&[("registry/_index.yaml", index), ("moonmesh.yaml", config)]);
    let show = ["registry", "show", "app:pg", "--json", "-o", "app:pg:max_groups=10"];
    let data = run_in(folder.path(), &show).with_code(0).json()["data"].clone();
    assert_eq!(data, serde_json::json!({"monitor_buffer": 8, "max_groups": 10}));
}
