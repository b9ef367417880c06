use std::time::Duration;

use super::{app, entry, load_with, loaded, options, problems};
use crate::document::Style;
use crate::registry::Definition;
use crate::registry::kind::{Lifecycle, PgScope, RestartPolicy, Startup};

/// The fields of a `pg.scope` as flow style, read.
fn scope(fields: &str) -> PgScope {
    let registry = loaded(&app(&format!("  - {{name: pg, kind: pg.scope, {fields}}}\n")));
    match entry(&registry, "app:pg").definition() {
        Definition::PgScope(scope) => scope.clone(),
        other => panic!("{other:?}"),
    }
}

/// The only problem of a `pg.scope` with the given fields, without the place.
fn scope_problem(fields: &str) -> String {
    let faults = problems(&app(&format!("  - {{name: pg, kind: pg.scope, {fields}}}\n")));
    assert_eq!(faults.len(), 1, "{fields}: {faults:?}");
    faults[0].split_once("app:pg: ").unwrap().1.to_owned()
}

fn lifecycle(fields: &str) -> Lifecycle {
    scope(&format!("lifecycle: {{{fields}}}")).lifecycle
}

#[test]
fn a_scope_has_the_documented_defaults() {
    let default = scope("");
    assert_eq!(default, PgScope::default());
    assert_eq!(default.protocol_timeout, Duration::from_secs(5));
    assert_eq!(default.broadcast_timeout, Duration::from_secs(5));
    assert_eq!(default.anti_entropy_interval, Duration::from_secs(30));
    assert_eq!(default.circuit_breaker_failures, 3);
    assert_eq!(default.circuit_breaker_reset_time, Duration::from_secs(10));
    assert_eq!((default.max_retries, default.monitor_buffer), (3, 64));
    assert_eq!(default.retry_base_delay, Duration::from_millis(100));
    assert_eq!(default.retry_max_delay, Duration::from_secs(1));
    assert_eq!((default.action_queue_size, default.action_queue_max_size), (256, 1024));
    assert_eq!((default.max_groups, default.max_members_per_group), (0, 0));
    assert!(!default.lifecycle.auto_start);
}

#[test]
fn every_field_of_a_scope_is_read() {
    let read = scope(
        "protocol_timeout: 1s, broadcast_timeout: 2s, anti_entropy_interval: 3s, circuit_breaker_failures: 4, \
         circuit_breaker_reset_time: 5s, max_retries: 6, retry_base_delay: 7ms, retry_max_delay: 8s, action_queue_size: 9, \
         action_queue_max_size: 10, monitor_buffer: 11, max_groups: 12, max_members_per_group: 13, lifecycle: {auto_start: true}",
    );
    let seconds = Duration::from_secs;
    let expected = PgScope {
        protocol_timeout: seconds(1),
        broadcast_timeout: seconds(2),
        anti_entropy_interval: seconds(3),
        circuit_breaker_failures: 4,
        circuit_breaker_reset_time: seconds(5),
        max_retries: 6,
        retry_base_delay: Duration::from_millis(7),
        retry_max_delay: seconds(8),
        action_queue_size: 9,
        action_queue_max_size: 10,
        monitor_buffer: 11,
        max_groups: 12,
        max_members_per_group: 13,
        lifecycle: Lifecycle { auto_start: true, ..Lifecycle::default() },
    };
    assert_eq!(read, expected);
}

#[test]
fn zero_has_the_meaning_of_its_row() {
    let off =
        scope("anti_entropy_interval: 0, max_retries: 0, max_groups: 0, max_members_per_group: 0");
    assert_eq!((off.anti_entropy_interval, off.max_retries), (Duration::ZERO, 0));
    for name in [
        "protocol_timeout",
        "broadcast_timeout",
        "circuit_breaker_reset_time",
        "retry_base_delay",
        "retry_max_delay",
    ] {
        for zero in ["0", "0s", "\"0\""] {
            assert_eq!(
                scope_problem(&format!("{name}: {zero}")),
                format!("{name}: must be longer than 0")
            );
        }
    }
    for name in
        ["circuit_breaker_failures", "monitor_buffer", "action_queue_size", "action_queue_max_size"]
    {
        assert_eq!(
            scope_problem(&format!("{name}: 0")),
            format!("{name}: must be at least 1, not 0")
        );
    }
}

#[test]
fn durations_of_a_scope_are_refused_in_every_bad_form() {
    for name in [
        "protocol_timeout",
        "broadcast_timeout",
        "anti_entropy_interval",
        "circuit_breaker_reset_time",
        "retry_base_delay",
        "retry_max_delay",
    ] {
        for bad in [
            "30",
            "\"30\"",
            "-5",
            "\"-5s\"",
            "5 m",
            "1d",
            "1.5",
            "1e30",
            "\"\"",
            "~",
            "true",
            "[1s]",
            "300000000h",
        ] {
            let problem = scope_problem(&format!("{name}: {bad}"));
            assert!(problem.starts_with(&format!("{name}: ")), "{problem}");
        }
    }
}

#[test]
fn counts_of_a_scope_are_refused_in_every_bad_form() {
    for name in [
        "circuit_breaker_failures",
        "max_retries",
        "action_queue_size",
        "action_queue_max_size",
        "monitor_buffer",
        "max_groups",
        "max_members_per_group",
    ] {
        for bad in [
            "-1",
            "1.5",
            "many",
            "\"3\"",
            "~",
            "007",
            "1e3",
            "4294967296",
            "99999999999999999999999",
            "true",
            "[1]",
            "5s",
        ] {
            let problem = scope_problem(&format!("{name}: {bad}"));
            assert!(problem.starts_with(&format!("{name}: ")), "{problem}");
        }
    }
}

#[test]
fn related_fields_of_a_scope_fit_together() {
    let queues = |fields| {
        let scope = scope(fields);
        (scope.action_queue_size, scope.action_queue_max_size)
    };
    assert_eq!(queues("action_queue_size: 2000"), (2000, 2000));
    assert_eq!(queues("action_queue_size: 10"), (10, 1024));
    assert_eq!(queues("action_queue_max_size: 100"), (100, 100));
    assert_eq!(queues("action_queue_max_size: 5000"), (256, 5000));
    assert_eq!(queues("action_queue_size: 7, action_queue_max_size: 7"), (7, 7));
    assert_eq!(
        scope_problem("action_queue_size: 8, action_queue_max_size: 7"),
        "action_queue_max_size: `action_queue_size` (8) is more than `action_queue_max_size` (7)"
    );
    assert_eq!(
        scope_problem("retry_base_delay: 2s"),
        "retry_base_delay: `retry_base_delay` (2s) is more than `retry_max_delay` (1s, the default)"
    );
    assert_eq!(
        scope_problem("retry_base_delay: 2s, retry_max_delay: 1500ms"),
        "retry_max_delay: `retry_base_delay` (2s) is more than `retry_max_delay` (1.5s)"
    );
    assert_eq!(scope("retry_base_delay: 1s").retry_base_delay, Duration::from_secs(1));
}

#[test]
fn every_misspelt_field_of_a_scope_is_named() {
    for name in [
        "protocol_timeout",
        "broadcast_timeout",
        "anti_entropy_interval",
        "circuit_breaker_failures",
        "circuit_breaker_reset_time",
        "max_retries",
        "retry_base_delay",
        "retry_max_delay",
        "action_queue_size",
        "action_queue_max_size",
        "monitor_buffer",
        "max_groups",
        "max_members_per_group",
        "lifecycle",
    ] {
        for misspelt in [
            format!("{name}s"),
            name.replace('_', "-"),
            name.replacen('e', "", 1),
            name.to_uppercase(),
        ] {
            if misspelt == name {
                continue;
            }
            let text = app(&format!("  - {{name: pg, kind: pg.scope, {misspelt}: 1}}\n"));
            let report = load_with(&text, &options()).unwrap_err().render(Style::Plain);
            assert!(
                report.contains(&format!("{misspelt}: unknown field `{misspelt}` [unknown-field]")),
                "{report}"
            );
            assert!(report.contains(&format!("did you mean `{name}`?")), "{report}");
            assert!(report.contains("the fields of pg.scope are protocol_timeout, "), "{report}");
        }
    }
}

#[test]
fn fields_at_the_wrong_level_are_sent_to_their_own() {
    let advice = |fields: &str| {
        let text = app(&format!("  - {{name: pg, kind: pg.scope, {fields}}}\n"));
        load_with(&text, &options()).unwrap_err().render(Style::Plain)
    };
    let text = advice("auto_start: true");
    assert!(text.contains("`auto_start` belongs in `lifecycle`"), "{text}");
    let text = advice("lifecycle: {max_groups: 1}");
    assert!(text.contains("`max_groups` belongs at the top level of pg.scope"), "{text}");
    let text = advice("lifecycle: {max_delay: 1s}");
    assert!(text.contains("`max_delay` belongs in `lifecycle.restart`"), "{text}");
    let text = advice("lifecycle: {restart: {stop_timeout: 1s}}");
    assert!(text.contains("`stop_timeout` belongs one level up, in `lifecycle`"), "{text}");
    let text = advice("lifecycle: {security: {actor: {id: x}, polices: [a]}}");
    assert!(text.contains("did you mean `policies`?"), "{text}");
    let text = advice("lifecycle: {securty: {actor: {id: x}}}");
    assert!(text.contains("did you mean `security`?"), "{text}");
}

#[test]
fn lifecycles_are_read_with_defaults() {
    assert_eq!(lifecycle(""), Lifecycle::default());
    let read = lifecycle(
        "auto_start: true, startup: optional, start_timeout: 1s, stop_timeout: 2s, stable_threshold: 0, restart: {initial_delay: 1ms, max_delay: 2ms, backoff_factor: 1, jitter: 0, max_attempts: 5}",
    );
    assert_eq!((read.auto_start, read.startup), (true, Startup::Optional));
    assert_eq!(
        (read.start_timeout, read.stop_timeout),
        (Duration::from_secs(1), Duration::from_secs(2))
    );
    assert_eq!(read.stable_threshold, Duration::ZERO);
    let restart = RestartPolicy {
        initial_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(2),
        backoff_factor: 1.0,
        jitter: 0.0,
        max_attempts: 5,
    };
    assert_eq!(read.restart, restart);
    assert_eq!(RestartPolicy::default().max_delay, Duration::from_secs(90));
}

#[test]
fn lifecycles_refuse_what_makes_no_sense() {
    let problem = |fields: &str| scope_problem(&format!("lifecycle: {{{fields}}}"));
    for (fields, message) in [
        ("auto_start: yes", "lifecycle.auto_start: expected true or false, found `yes`"),
        ("startup: sometimes", "lifecycle.startup: `sometimes` is not one of required, optional"),
        ("start_timeout: 0", "lifecycle.start_timeout: must be longer than 0"),
        (
            "stop_timeout: 30",
            "lifecycle.stop_timeout: \"30\" has no unit: write 30s for seconds, or 30ms for milliseconds",
        ),
        (
            "restart: {backoff_factor: 0.5}",
            "lifecycle.restart.backoff_factor: must be at least 1, not 0.5",
        ),
        ("restart: {jitter: 1.5}", "lifecycle.restart.jitter: must be 0 to 1, not 1.5"),
        ("restart: {jitter: -0.5}", "lifecycle.restart.jitter: must be 0 to 1, not -0.5"),
        (
            "restart: {max_attempts: -1}",
            "lifecycle.restart.max_attempts: must be at least 0, not -1",
        ),
        ("restart: {initial_delay: 0}", "lifecycle.restart.initial_delay: must be longer than 0"),
        (
            "restart: {initial_delay: 2m}",
            "lifecycle.restart.initial_delay: `initial_delay` (2m0s) is more than `max_delay` (1m30s, the default)",
        ),
        ("requires: a", "lifecycle.requires: expected a list, found `a`"),
        (
            "security: {}",
            "lifecycle.security: the field `actor` is missing: a `security` block says who acts",
        ),
        ("security: {actor: {}}", "lifecycle.security.actor.id: the field `id` is missing"),
        ("security: {actor: {id: ''}}", "lifecycle.security.actor.id: the text is blank"),
        ("security: ~", "lifecycle.security: expected a map, found nothing"),
        ("restart:", "lifecycle.restart: expected a map, found nothing"),
    ] {
        assert_eq!(problem(fields), message);
    }
    assert_eq!(scope_problem("lifecycle: ~"), "lifecycle: expected a map, found nothing");
}
