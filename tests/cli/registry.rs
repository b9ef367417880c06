//! `moonmesh registry`: filters, forms, hidden secrets, near misses.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Ended, run_in};

const INDEX: &str = "\
namespace: app
meta: {team: back}
entries:
  - name: pg
    kind: pg.scope
    meta: {enabled: true, owner: {name: ann}}
    monitor_buffer: 32
  - name: settings
    kind: registry.entry
    meta: {team: front}
    data:
      greeting: \"hello, 'world'\"
      api_token: sesame
      servers: [{host: a, password: b}]
";
const OTHER: &str =
    "{\"namespace\": \"app.sub\", \"name\": \"settings\", \"kind\": \"registry.entry\"}";

fn application() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("_index.yaml"), INDEX).unwrap();
    fs::write(folder.path().join("other.json"), OTHER).unwrap();
    folder
}

fn registry(folder: &TempDir, arguments: &[&str]) -> Ended {
    run_in(folder.path(), &[&["registry"], arguments].concat())
}

#[test]
fn a_table_for_people() {
    let folder = application();
    assert_eq!(
        registry(&folder, &["list"]).with_code(0).out,
        "ID                KIND\napp.sub:settings  registry.entry\napp:pg            pg.scope\n\
         app:settings      registry.entry\n\nTotal: 3 entries\n"
    );
    assert_eq!(registry(&folder, &["list", "-k", "x"]).with_code(0).out, "No entries found\n");
}

#[test]
fn filters_must_all_hold() {
    let folder = application();
    let ids = |filters: &[&str]| {
        let list = registry(&folder, &[&["list", "--json"], filters].concat()).with_code(0).json();
        list.as_array()
            .unwrap()
            .iter()
            .map(|e| e["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--kind", "*.scope"]), ["app:pg"]);
    assert_eq!(ids(&["--ns", "app.*"]), ["app.sub:settings"]);
    assert_eq!(ids(&["--name", "s*t*s", "--ns", "app"]), ["app:settings"]);
    assert_eq!(ids(&["--meta", "enabled=true"]), ["app:pg"]);
    assert_eq!(ids(&["--meta", "owner.name^a", "--meta", "team=back"]), ["app:pg"]);
    assert_eq!(ids(&["--meta", "team~^(front|side)$"]), ["app:settings"]);
    let bad = registry(&folder, &["list", "--meta", "team"]).with_code(2);
    assert!(
        bad.err.contains("is no condition") && bad.err.contains("where: --meta"),
        "{}",
        bad.err
    );
}

#[test]
fn json_and_yaml_say_the_same() {
    let folder = application();
    let list = registry(&folder, &["list", "--json"]).with_code(0).json();
    assert_eq!(
        list[1],
        json!({"id": "app:pg", "kind": "pg.scope",
        "meta": {"team": "back", "enabled": true, "owner": {"name": "ann"}}})
    );
    let yaml = registry(&folder, &["list", "--yaml"]).with_code(0).out;
    let parsed: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
    assert_eq!(parsed, list);
    registry(&folder, &["list", "--yaml", "--json"]).with_code(2);
}

#[test]
fn an_entry_is_shown_with_its_data() {
    let folder = application();
    let shown = registry(&folder, &["show", "pg", "--json", "--origin"]).with_code(0).json();
    assert_eq!(shown["data"], json!({"monitor_buffer": 32}));
    assert!(shown["origin"].as_str().unwrap().ends_with("_index.yaml:4"), "{shown}");
    let changed = ["show", "app:pg", "-o", "app:pg:monitor_buffer=64", "-f", "monitor_buffer"];
    assert_eq!(registry(&folder, &changed).with_code(0).out, "64\n");
    let field = |path: &str| registry(&folder, &["show", "app:settings", "-f", path, "--raw"]);
    assert_eq!(field("greeting").with_code(0).out, "hello, 'world'\n");
    assert_eq!(field("servers.0.host").with_code(0).out, "a\n");
    assert_eq!(field("meta.team").with_code(0).out, "front\n");
}

#[test]
fn secrets_are_hidden_unless_asked_for() {
    let folder = application();
    let show = |more: &[&str]| {
        registry(&folder, &[&["show", "app:settings"], more].concat()).with_code(0).out
    };
    for arguments in [&[] as &[&str], &["--json"], &["-f", "api_token"], &["-f", "servers"]] {
        let text = show(arguments);
        assert!(text.contains("********") && !text.contains("sesame"), "{arguments:?}: {text}");
    }
    assert_eq!(show(&["-f", "api_token", "--raw"]), "sesame\n");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let folder = application();
    let show = |id: &str, more: &[&str]| {
        registry(&folder, &[&["show", id], more].concat()).with_code(1).err
    };
    assert_eq!(
        show("app:pgg", &[]),
        "Error: there is no entry \"app:pgg\"\n  try: did you mean app:pg?\n"
    );
    assert_eq!(
        show("settings", &[]),
        "Error: several entries are called \"settings\"\n  valid: app.sub:settings, app:settings\n"
    );
    assert_eq!(
        show("pg", &["-f", "nothing"]),
        "Error: app:pg has no field \"nothing\"\n  valid: monitor_buffer, meta.team, meta.enabled, meta.owner\n"
    );
    let error = show("pg", &["-o", "app:pg:monitor_bufer=1"]);
    assert!(
        error.contains("did you mean `monitor_buffer`?") && !error.starts_with("Error: 1"),
        "{error}"
    );
}
