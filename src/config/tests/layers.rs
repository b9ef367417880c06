use std::time::Duration;

use proptest::prelude::*;

use super::{Scene, problem, problems};
use crate::document::{Medium, Style};

#[test]
fn later_layers_win_setting_by_setting() {
    let scene = Scene::new()
        .file("a.yaml", "shutdown: {timeout: 1s}\nboot: {timeout: 1s}\nhealth: {loop_ceiling: 1s, broadcast_ceiling: 1s}\ncluster: {membership: {join_addrs: [a, b]}}\n")
        .file("b.yaml", "boot: {timeout: 2s}\nhealth: {loop_ceiling: 2s}\ncluster: {enabled: false, membership: {join_addrs: [c]}}\n")
        .variable("MOONMESH_HEALTH_LOOP_CEILING", "3s")
        .variable("MOONMESH_HEALTH_BROADCAST_CEILING", "3s")
        .variable("OTHER", "x")
        .set("health.broadcast_ceiling=4s");
    let config = scene.loaded();
    let seconds = Duration::from_secs;
    assert_eq!((config.shutdown_timeout, config.boot_timeout), (seconds(1), seconds(2)));
    assert_eq!(
        (config.health.loop_ceiling, config.health.broadcast_ceiling),
        (seconds(3), seconds(4))
    );
    assert_eq!(config.cluster.membership.join_addrs.len(), 1);
    assert_eq!(scene.origin("shutdown.timeout"), "a.yaml:1");
    assert_eq!(scene.origin("boot.timeout"), "b.yaml:1");
    assert_eq!(config.files().len(), 2);
}

#[test]
fn named_files_have_to_exist() {
    let mut scene = Scene::new();
    scene.input.files.push(scene.directory.path().join("none.yaml"));
    assert_eq!(scene.problems(), ["none.yaml:1:1: no such file"]);
    scene.input.files.clear();
    scene.input.default_file = Some(scene.directory.path().join("moonmesh.yaml"));
    assert!(scene.loaded().files().is_empty());
    std::fs::write(scene.directory.path().join("moonmesh.yaml"), "shutdown: {timeout: 9s}\n")
        .unwrap();
    assert_eq!(scene.loaded().shutdown_timeout, Duration::from_secs(9));
    let scene = scene.file("other.yaml", "");
    assert_eq!(scene.loaded().shutdown_timeout, Duration::from_secs(30));
}

#[test]
fn values_from_outside_take_the_type_that_is_wanted() {
    let config = Scene::new()
        .variable("MOONMESH_SECURITY_STRICT_MODE", "TRUE")
        .variable("MOONMESH_CLUSTER_ID", "123")
        .variable("MOONMESH_CLUSTER_ENABLED", "false")
        .variable("MOONMESH_CLUSTER_MEMBERSHIP_JOIN_ADDRS", "a:1, b")
        .set("supervisor.host.buffer_size=7")
        .set("disable.namespaces=[\"x\", \"y\"]")
        .set("cluster.failure_domain=true")
        .loaded();
    assert!(config.strict_security);
    assert_eq!(
        (config.cluster.id.as_str(), config.cluster.failure_domain.as_deref()),
        ("123", Some("true"))
    );
    assert_eq!((config.cluster.membership.join_addrs.len(), config.supervisor.buffer_size), (2, 7));
    assert_eq!(config.disable.namespaces.len(), 2);
}

#[test]
fn values_from_outside_are_checked_where_they_stand() {
    let scene = Scene::new()
        .variable("MOONMESH_SECURITY_STRICT_MODE", "")
        .variable("MOONMESH_BOOT_TIMEOUT", "30")
        .set("shutdown.timout=1s")
        .set("boot=1")
        .set("a..b=1");
    let mut found = scene.problems();
    found.sort();
    assert_eq!(
        found,
        [
            "--set:1:1: `a..b` is no setting: write section.name",
            "--set:1:1: `boot` is no setting: write section.name",
            "--set:1:1: shutdown.timout: unknown field `timout`",
            "MOONMESH_BOOT_TIMEOUT:1:1: boot.timeout: \"30\" has no unit: write 30s for seconds, or 30ms for milliseconds",
            "MOONMESH_SECURITY_STRICT_MODE:1:1: security.strict_mode: expected true or false, found ``",
        ]
    );
}

#[test]
fn misspelt_variables_are_refused() {
    let scene = Scene::new()
        .variable("MOONMESH_SECURITY_STRICTMODE", "true")
        .variable("MOONMESH_SERVICE_HOST", "10.0.0.1")
        .variable("MOONMESH_NODE_ID", "x");
    assert_eq!(
        scene.problems(),
        [
            "MOONMESH_SECURITY_STRICTMODE:1:1: the environment variable `MOONMESH_SECURITY_STRICTMODE` is no setting"
        ]
    );
    let text = scene.load().unwrap_err().render(Style::Plain);
    assert!(text.contains("did you mean `MOONMESH_SECURITY_STRICT_MODE`?"), "{text}");
    let mut scene = Scene::new().variable("MOONMESH_CONFIG", "x");
    scene.input.other_variables.push("MOONMESH_CONFIG".to_owned());
    assert!(scene.load().is_ok());
}

#[test]
fn overrides_can_be_set() {
    let config = Scene::new()
        .file("m.yaml", "override: {'app:pg:max_groups': 1, 'app:pg:meta.a': no}\n")
        .set("override.app:pg:lifecycle.auto_start=true")
        .set("override.app:pg:max_groups=2")
        .loaded();
    let given: Vec<(&str, &str)> = config
        .overrides
        .iter()
        .map(|o| (o.key.as_str(), o.value.as_scalar().unwrap().text.as_str()))
        .collect();
    assert_eq!(
        given,
        [
            ("app:pg:max_groups", "2"),
            ("app:pg:meta.a", "no"),
            ("app:pg:lifecycle.auto_start", "true")
        ]
    );
    assert_eq!(config.overrides[0].value.span.source().medium(), Medium::CommandLine);
}

#[test]
fn placeholders_are_filled_in_files_only() {
    let scene = Scene::new()
        .file("m.yaml", "cluster:\n  id: ${env:NAME}\n  queue_messages: \"${env:NUMBER}\"\n  failure_domain: rack-${env:NUMBER}\noverride: {'a:b:c': '${env:NUMBER}'}\n")
        .variable("NAME", "blue: #1")
        .variable("NUMBER", "5")
        .set("cluster.enabled=false");
    let config = scene.loaded();
    assert_eq!((config.cluster.id.as_str(), config.cluster.queue_messages), ("blue: #1", 5));
    assert_eq!(config.cluster.failure_domain.as_deref(), Some("rack-5"));
    assert_eq!(config.overrides[0].value.as_scalar().unwrap().text, "5");
    assert_eq!(
        problem("cluster: {enabled: false, id: '${env:NONE}'}\n"),
        "the environment variable `NONE` is not set"
    );
    assert_eq!(problem("cluster: {enabled: false, id: '${env:A'}\n"), "a `${env:` has no `}`");
    assert_eq!(problems("shutdown: {timeout: '${env:A-B}'}\n").len(), 2);
}

#[test]
fn relative_paths_start_at_the_first_file() {
    let scene = Scene::new()
        .file("m.yaml", "cluster: {enabled: false, tls: {cert: certs/n.pem, key: /etc/key.pem}}\n")
        .set("cluster.tls.ca=ca.pem");
    let tls = scene.loaded().cluster.tls;
    assert_eq!(tls.cert.unwrap(), scene.directory.path().join("certs/n.pem"));
    assert_eq!(tls.key.unwrap().to_str(), Some("/etc/key.pem"));
    assert_eq!(tls.ca.unwrap().to_str(), Some("ca.pem"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_settings_never_panic(
        lines in proptest::collection::vec(
            ("( ){0,4}", "cluster|membership|tls|enabled|name|mode|join_addrs|secret_key|probe_timeout|prometheus|address|override|disable|meta|raft|health|loop_ceiling|x",
             "|a|true|0|30s|-1|\\[a, 1\\]|\\{a: 1\\}|~|:80|'\\$\\{env:X\\}'|insecure_shared_secret"), 0..20)
    ) {
        let text: String = lines.iter().map(|(indent, key, value)| format!("{indent}{key}: {value}\n")).collect();
        let scene = Scene::new().file("m.yaml", &text).variable("X", "[1");
        if let Err(report) = scene.load() {
            let _ = report.render(Style::Ansi);
        }
    }
}
