use std::time::Duration;

use serde_json::json;

use super::{app, entry, load_with, overriding, problems_with};
use crate::document::{Style, Text};
use crate::registry::{Definition, Disable, Kind, LoadOptions};

const TEXT: &str = "namespace: app
entries:
  - {name: pg, kind: pg.scope, max_groups: 1, lifecycle: {auto_start: false}, meta: {a: {b: 1}}}
  - {name: data, kind: registry.entry, a: {b: 1}, list: [1]}
  - {name: w, kind: process.lua, source: return 1, modules: [pg]}
";

#[test]
fn overrides_reach_every_part_of_an_entry() {
    let options = overriding(&[
        "app:pg:max_groups=5",
        "app:pg:data.anti_entropy_interval=0",
        "app:pg:.lifecycle.auto_start=true",
        "app:pg:lifecycle.restart.jitter=0.5",
        "app:pg:meta.a.c=x=y,z",
        "app:data:a.c.d=1.50",
        "app:data:list.x=TRUE",
        "app:data:n=007",
        "app:w:modules=[\"time\", \"json\"]",
        "app:w:method=123",
    ]);
    let registry = load_with(TEXT, &options).unwrap();
    let Definition::PgScope(scope) = entry(&registry, "app:pg").definition() else { panic!() };
    assert_eq!((scope.max_groups, scope.anti_entropy_interval), (5, Duration::ZERO));
    assert!(scope.lifecycle.auto_start);
    assert_eq!(scope.lifecycle.restart.jitter, 0.5);
    assert_eq!(json!(entry(&registry, "app:pg").meta()), json!({"a": {"b": 1, "c": "x=y,z"}}));
    let data = entry(&registry, "app:data").data();
    assert_eq!(*data, json!({"a": {"b": 1, "c": {"d": 1.5}}, "list": {"x": true}, "n": "007"}));
    let Definition::ProcessLua(worker) = entry(&registry, "app:w").definition() else { panic!() };
    assert_eq!(
        (worker.method.as_str(), worker.code.modules.as_slice()),
        ("123", ["time".into(), "json".into()].as_slice())
    );
}

#[test]
fn a_later_override_wins() {
    let options = overriding(&["app:pg:max_groups=5", "app:pg:max_groups=6"]);
    let registry = load_with(TEXT, &options).unwrap();
    let Definition::PgScope(scope) = entry(&registry, "app:pg").definition() else { panic!() };
    assert_eq!(scope.max_groups, 6);
}

#[test]
fn the_kind_can_be_overridden() {
    let registry =
        load_with(TEXT, &overriding(&["app:data:kind=library.lua", "app:data:data.source=x"]));
    let report = registry.unwrap_err();
    assert!(report.to_string().contains("unknown field `list`"), "{report}");
    let registry = load_with(TEXT, &overriding(&["app:w:kind=library.lua"])).unwrap();
    assert_eq!(entry(&registry, "app:w").kind(), Kind::LibraryLua);
    assert_eq!(
        problems_with(TEXT, &overriding(&["app:w:kind="])),
        ["-o:1:12: app:w: kind: a kind is a text with at least one character"]
    );
    assert_eq!(
        problems_with(TEXT, &overriding(&["app:w:kind=nope"])),
        ["-o:1:12: app:w: kind: there is no kind `nope`"]
    );
}

#[test]
fn bad_overrides_are_all_listed_with_their_place() {
    let options = overriding(&[
        "app:pgg:max_groups=5",
        "nonsense=1",
        "app:pg=1",
        "app:pg:=1",
        "app:pg:a..b=1",
        "app:pg:data=1",
        "app:pg:meta=1",
        "a b:pg:x=1",
    ]);
    let report = load_with(TEXT, &options).unwrap_err();
    let codes: Vec<&str> = report.diagnostics().iter().map(|d| d.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == "bad-override").count(), 7, "{report}");
    let text = report.render(Style::Plain);
    assert!(text.contains("there is no entry `app:pgg` to override"), "{text}");
    assert!(text.contains("did you mean `app:pg`?"), "{text}");
}

#[test]
fn a_value_of_the_wrong_type_points_at_the_override() {
    let options = overriding(&[
        "app:pg:max_groups=many",
        "app:pg:protocol_timeout=30",
        "app:pg:max_grups=1",
        "app:w:modules=pg",
    ]);
    let mut faults = problems_with(TEXT, &options);
    faults.sort();
    assert_eq!(
        faults,
        [
            "-o:1:15: app:w: modules: expected a list, found `pg`",
            "-o:1:19: app:pg: max_groups: expected a whole number, found `many`",
            "-o:1:1: app:pg: max_grups: unknown field `max_grups`",
            "-o:1:25: app:pg: protocol_timeout: \"30\" has no unit: write 30s for seconds, or 30ms for milliseconds",
        ]
    );
}

#[test]
fn disabled_entries_are_left_out() {
    let text = |text: &str| Text {
        text: text.into(),
        span: crate::document::Span::unread_file("moonmesh.yaml"),
    };
    let disabling = |disable: Disable| LoadOptions { disable, ..super::options() };
    let ids = |disable: Disable| -> Vec<String> {
        let registry = load_with(TEXT, &disabling(disable)).unwrap();
        registry.iter().map(|entry| entry.id().to_string()).collect()
    };
    let entries = |pattern: &str| Disable { entries: vec![text(pattern)], ..Disable::default() };
    assert_eq!(ids(entries("app:pg")), ["app:data", "app:w"]);
    assert_eq!(ids(entries("*:(pg|w)")), ["app:data"]);
    assert_eq!(
        ids(Disable { namespaces: vec![text("**")], ..Disable::default() }),
        Vec::<String>::new()
    );
    assert_eq!(ids(Disable { namespaces: vec![text("other")], ..Disable::default() }).len(), 3);
    let meta = Disable { meta: vec![("a".into(), vec![text("1")])], ..Disable::default() };
    let tagged = TEXT.replace("{a: {b: 1}}", "{a: [2, 1]}");
    assert_eq!(load_with(&tagged, &disabling(meta)).unwrap().len(), 2);
    assert_eq!(
        problems_with(TEXT, &disabling(entries("pg"))),
        ["moonmesh.yaml:1:1: the pattern `pg` cannot match as written"]
    );
}

#[test]
fn references_to_disabled_entries_say_so() {
    let text = app(
        "  - {name: h, kind: process.host}\n  - {name: p, kind: process.lua, source: x}\n  - {name: s, kind: process.service, process: p, host: h}\n",
    );
    let pattern = Text { text: "app:h".into(), span: crate::document::Span::unread_file("m") };
    let disable = Disable { entries: vec![pattern], ..Disable::default() };
    let report = load_with(&text, &LoadOptions { disable, ..super::options() }).unwrap_err();
    assert!(report.render(Style::Plain).contains("the entry exists, but is disabled"), "{report}");
}
