use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;

use super::{Config, Origin, Scene, loaded, problem, problems};
use crate::config::LogEncoding;
use crate::document::Style;

#[test]
fn an_empty_configuration_has_the_documented_defaults() {
    for config in
        [Scene::new().loaded(), loaded(""), loaded("# nothing\n"), loaded("version: \"1.0\"\n")]
    {
        assert!(config.node_name.is_local());
        assert_eq!(config.log_encoding, LogEncoding::Console);
        assert!(config.log_manager.propagate_downstream && !config.log_manager.stream_to_events);
        assert_eq!(config.log_manager.min_level, None);
        assert!(!config.strict_security);
        assert_eq!((config.supervisor.buffer_size, config.supervisor.worker_count), (1024, 16));
        assert_eq!(
            (config.shutdown_timeout, config.boot_timeout),
            (Duration::from_secs(30), Duration::from_secs(60))
        );
        assert!(!config.prometheus.enabled && config.prometheus.address.is_none());
        assert_eq!(config.health.loop_ceiling, Duration::from_secs(30));
        assert_eq!(config.health.broadcast_ceiling, Duration::from_secs(300));
        assert!(!config.cluster.enabled && config.overrides.is_empty());
        assert!(config.warnings().is_empty());
        assert!(config.settings().iter().all(|setting| setting.origin == Origin::Default));
    }
}

#[test]
fn every_section_is_read() {
    let config = loaded(
        "
logger: {encoding: json}
logmanager: {propagate_downstream: false, stream_to_events: true, min_level: 1}
security: {strict_mode: true}
registry: {enable_history: true, history_type: memory}
supervisor: {host: {buffer_size: 5, worker_count: 2}}
shutdown: {timeout: 5s}
boot: {timeout: 1m}
prometheus: {enabled: true, address: \":9090\"}
health: {loop_ceiling: 1s, broadcast_ceiling: 2s}
override:
  app:pg:max_groups: 5
  'app:pg:lifecycle.auto_start': true
disable:
  namespaces: [app.x, 'b.**']
  entries: 'app:a, app:b'
  meta: {type: test, tags: [a, 1]}
",
    );
    assert_eq!((config.log_encoding, config.log_manager.min_level), (LogEncoding::Json, Some(1)));
    assert!(config.strict_security && config.log_manager.stream_to_events);
    assert_eq!((config.supervisor.buffer_size, config.boot_timeout), (5, Duration::from_secs(60)));
    assert_eq!(config.prometheus.address.unwrap().port, Some(9090));
    let keys: Vec<&str> = config.overrides.iter().map(|given| given.key.as_str()).collect();
    assert_eq!(keys, ["app:pg:max_groups", "app:pg:lifecycle.auto_start"]);
    let texts = |texts: &[crate::document::Text]| -> Vec<String> {
        texts.iter().map(|text| text.text.to_string()).collect()
    };
    assert_eq!(texts(&config.disable.namespaces), ["app.x", "b.**"]);
    assert_eq!(texts(&config.disable.entries), ["app:a", "app:b"]);
    assert_eq!(config.disable.meta.len(), 2);
    assert_eq!(texts(&config.disable.meta[1].1), ["a", "1"]);
}

#[test]
fn values_that_make_no_sense_are_refused() {
    for (text, message) in [
        ("version: 2", "version: the only version of the configuration is 1.0"),
        ("logger: {encoding: xml}", "logger.encoding: `xml` is not one of console, json"),
        ("logger: json", "logger: expected a map, found `json`"),
        ("logger:", "logger: expected a map, found nothing"),
        (
            "security: {strict_mode: yes}",
            "security.strict_mode: expected true or false, found `yes`",
        ),
        (
            "security: {strict_mode: \"true\"}",
            "security.strict_mode: expected true or false, found the text \"true\"",
        ),
        ("security: {strict_mod: true}", "security.strict_mod: unknown field `strict_mod`"),
        ("securty: {strict_mode: true}", "securty: unknown field `securty`"),
        ("strict_mode: true", "strict_mode: unknown field `strict_mode`"),
        (
            "shutdown: {timeout: 30}",
            "shutdown.timeout: \"30\" has no unit: write 30s for seconds, or 30ms for milliseconds",
        ),
        ("shutdown: {timeout: 0}", "shutdown.timeout: must be longer than 0"),
        ("boot: {timeout: -1s}", "boot.timeout: \"-1s\" is negative"),
        ("health: {loop_ceiling: 0s}", "health.loop_ceiling: must be longer than 0"),
        (
            "prometheus: {enabled: true}",
            "prometheus.address: the field `address` is missing: the endpoint has to listen somewhere",
        ),
        (
            "prometheus: {address: localhost}",
            "prometheus.address: the address needs a port: write host:port, or :port for all addresses",
        ),
        (
            "prometheus: {address: 'a:b:c'}",
            "prometheus.address: \"a:b:c\" has no port from 0 to 65535 behind the colon",
        ),
        (
            "supervisor: {host: {buffer_size: 0}}",
            "supervisor.host.buffer_size: must be at least 1, not 0",
        ),
        (
            "registry: {history_type: sqlite}",
            "registry.history_type: `sqlite` is not one of memory",
        ),
        (
            "registry: {history_path: x}",
            "warning: registry.history_path: `history_path` has no effect: the history is kept in memory only",
        ),
        (
            "metrics: {buffer: {size: 3}}",
            "warning: metrics.buffer.size: `size` has no effect: metrics are not buffered",
        ),
        ("profiles: {a: {}}", "profiles: `profiles`: it is not supported"),
        ("vars: {a: 1}", "vars: `vars`: it is not supported"),
        ("override: [a]", "override: expected a map, found a list"),
        ("disable: {namespaces: {a: b}}", "disable.namespaces: expected a text, found a map"),
        ("logmanager: {min_level: 9}", "logmanager.min_level: must be -1 to 5, not 9"),
        ("a: 1\na: 2", "the key `a` is given twice in one map"),
    ] {
        let found = problems(text);
        assert!(
            found.iter().any(|line| line.split_once(": ").unwrap().1 == message),
            "{text}: {found:?}"
        );
    }
    assert_eq!(problem("- 1\n"), "a configuration is a map, not a list");
    assert_eq!(problems("a: [\n").len(), 1);
}

#[test]
fn misplaced_settings_are_sent_to_their_section() {
    let advice =
        |text: &str| Scene::new().file("m.yaml", text).load().unwrap_err().render(Style::Plain);
    let text = advice("strict_mode: true\n");
    assert!(text.contains("`strict_mode` belongs in `security`"), "{text}");
    let text = advice("cluster: {join_addrs: [a]}\n");
    assert!(text.contains("`join_addrs` belongs in `cluster.membership`"), "{text}");
    let text = advice("securty: {}\n");
    assert!(text.contains("did you mean `security`?"), "{text}");
    let text = advice("shutdown: {timout: 1s}\n");
    assert!(text.contains("did you mean `timeout`?"), "{text}");
}

#[test]
fn each_setting_has_its_own_variable() {
    let config = Scene::new().loaded();
    let variables: HashSet<String> =
        config.settings().iter().map(|setting| Config::variable_of(&setting.path)).collect();
    assert_eq!(variables.len(), config.settings().len());
    assert!(variables.contains("MOONMESH_CLUSTER_MEMBERSHIP_JOIN_ADDRS"));
    assert!(variables.contains("MOONMESH_SECURITY_STRICT_MODE"));
}

#[test]
fn settings_are_shown_with_value_and_origin() {
    let scene = Scene::new()
        .file("m.yaml", "cluster:\n  mesh_grace: 20s\n  enabled: false\n")
        .variable("MOONMESH_CLUSTER_ID", "blue")
        .set("shutdown.timeout=5s");
    let config = scene.loaded();
    let value = |path: &str| {
        config.settings().iter().find(|setting| setting.path == path).unwrap().value.clone()
    };
    assert_eq!(value("cluster.mesh_grace"), json!("20s"));
    assert_eq!(value("cluster.queue_bytes"), json!(64 << 20));
    assert_eq!(value("cluster.failure_domain"), json!(null));
    assert_eq!(value("cluster.membership.join_addrs"), json!([]));
    assert_eq!(scene.origin("cluster.mesh_grace"), "m.yaml:2");
    assert_eq!(scene.origin("cluster.id"), "MOONMESH_CLUSTER_ID");
    assert_eq!(scene.origin("shutdown.timeout"), "--set");
    assert_eq!(scene.origin("boot.timeout"), "default");
    let secret = config.settings().iter().filter(|setting| setting.is_secret());
    assert_eq!(
        secret.map(|setting| setting.path.as_str()).collect::<Vec<_>>(),
        ["cluster.membership.secret_key"]
    );
}
