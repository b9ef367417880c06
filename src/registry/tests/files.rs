use proptest::prelude::*;
use serde_json::json;

use super::{app, codes, directory, entry, load_with, loaded, options, problems, problems_in};
use crate::document::Style;
use crate::registry::{Kind, Registry};

#[test]
fn both_forms_of_entry_files_are_read() {
    let registry = loaded(
        "version: \"1.0\"\nnamespace: app.x\nmeta: {owner: me, team: a}\nentries:\n  - name: one\n    kind: registry.entry\n    meta: {team: b}\n    size: 3\n  - name: two\n    kind: registry.entry\n    data: [1, two]\n",
    );
    let one = entry(&registry, "app.x:one");
    assert_eq!(one.kind(), Kind::RegistryEntry);
    assert_eq!(json!(one.meta()), json!({"owner": "me", "team": "b"}));
    assert_eq!(*one.data(), json!({"size": 3}));
    assert_eq!(one.place().to_string(), "a.yaml:5:5");
    assert!(one.source_text().starts_with("name: one") && one.source_text().ends_with("size: 3"));
    assert_eq!(*entry(&registry, "app.x:two").data(), json!([1, "two"]));

    let single = loaded("namespace: app\nname: pg\nkind: pg.scope\nmeta: {a: 1}\nmax_groups: 7\n");
    assert_eq!(*entry(&single, "app:pg").data(), json!({"max_groups": 7}));
    let single = loaded(
        "{\"namespace\": \"app\", \"name\": \"pg\", \"kind\": \"pg.scope\", \"data\": {\"max_groups\": 7}}",
    );
    assert_eq!(*entry(&single, "app:pg").data(), json!({"max_groups": 7}));
    assert!(loaded("namespace: app\nentries: []\n").is_empty());
}

#[test]
fn other_files_are_left_alone() {
    for other in [
        "",
        "a: 1\n",
        "- 1\n",
        "text",
        "namespace:\nx: 1\n",
        "namespace: \"  \"\n",
        "kind: Deployment\nmetadata: {}\n",
        "entries_of: []\n",
    ] {
        assert_eq!(problems(other), Vec::<String>::new(), "{other}");
    }
    let hint = "1:1: hint: the file has no namespace, so its `entries` are not read";
    assert_eq!(problems("entries: [1]\n"), [hint]);
    let lost = "1:1: the file has entries, but no namespace";
    assert_eq!(problems("entries:\n  - {name: a, kind: pg.scope}\n"), [lost]);
    assert_eq!(problems("name: a\nkind: pg.scope\n"), [lost]);
    assert_eq!(problems("namespace: ''\nentries:\n  - {name: a, kind: pg.scope}\n"), [lost]);
    let report =
        load_with("namespce: app\nentries: [{name: a, kind: pg.scope}]\n", &options()).unwrap_err();
    assert!(report.render(Style::Plain).contains("`namespce` should be `namespace`"), "{report}");
}

#[test]
fn faults_of_the_frame_are_reported() {
    assert_eq!(
        problems("version: 2\nnamespace: app\nentries: []\n"),
        ["1:10: version: the only version of entry files is 1.0"]
    );
    assert_eq!(problems("version: 1.00\nnamespace: app\nentries: []\n").len(), 1);
    assert_eq!(problems("version: 1.0\nnamespace: app\nentries: []\n").len(), 0);
    assert_eq!(
        problems("namespace: app\n"),
        ["1:1: the file has a namespace, but neither `entries` nor `name` and `kind`"]
    );
    assert_eq!(problems("namespace: app\nname: x\n"), ["1:1: kind: the field `kind` is missing"]);
    assert_eq!(
        problems("namespace: app\nkind: pg.scope\n"),
        ["1:1: name: the field `name` is missing"]
    );
    assert_eq!(
        problems("namespace: app\nentries:\n"),
        ["2:1: entries: expected a list, found nothing"]
    );
    assert_eq!(
        problems("namespace: app\nentries: {}\n"),
        ["2:10: entries: expected a list, found a map"]
    );
    assert_eq!(
        problems("namespace: [a]\nentries: []\n"),
        ["1:12: namespace: expected a text, found a list"]
    );
    assert_eq!(
        problems("namespace: app\nentries: []\nmeta: 3\n"),
        ["3:7: meta: expected a map, found `3`"]
    );
    assert_eq!(
        problems("namespace: app\nentries: []\nextra: 3\n"),
        ["3:1: extra: unknown field `extra`"]
    );
    assert_eq!(
        problems("namespace: app\nentries: []\nname: x\nkind: y\n"),
        ["3:1: name: unknown field `name`", "4:1: kind: unknown field `kind`"]
    );
}

#[test]
fn entries_need_a_name_and_a_kind() {
    let faults = problems(&app(
        "  - {kind: pg.scope}\n  - {name: a}\n  - 3\n  - {name: '', kind: ' '}\n  - {name: [x], kind: pg.scope, meta: 1}\n",
    ));
    assert_eq!(
        faults,
        [
            "3:5: entries[0].name: the field `name` is missing",
            "4:5: entries[1].kind: the field `kind` is missing",
            "5:5: entries[2]: expected a map, found `3`",
            "6:12: entries[3].name: the text is blank",
            "6:22: entries[3].kind: the text is blank",
            "7:12: entries[4].name: expected a text, found a list",
            "7:39: entries[4].meta: expected a map, found `1`",
        ]
    );
}

#[test]
fn names_are_taken_literally_or_refused() {
    for name in ["no", "yes", "on", "y", "0123", "0o17", "1e5", "1.10", "123", "true", "a-b_c.d"] {
        let registry = loaded(&app(&format!("  - {{name: {name}, kind: pg.scope}}\n")));
        assert_eq!(registry.iter().next().unwrap().id().name(), name);
        let registry = loaded(&format!("namespace: {name}\nname: x\nkind: pg.scope\n"));
        assert_eq!(registry.iter().next().unwrap().id().namespace(), name);
    }
    for name in ["a b", "a:b", "+0123", "12:30", "\u{e4}", "a/b", "{x}"] {
        assert_eq!(
            codes(&app(&format!("  - {{name: \"{name}\", kind: pg.scope}}\n"))),
            ["bad-id"],
            "{name}"
        );
        assert_eq!(
            codes(&format!("namespace: \"{name}\"\nname: x\nkind: pg.scope\n")),
            ["bad-id"],
            "{name}"
        );
    }
    for nothing in ["", "~", "null"] {
        let faults = problems(&app(&format!("  - {{name: {nothing}, kind: pg.scope}}\n")));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].ends_with("entries[0].name: expected a text, found nothing"),
            "{faults:?}"
        );
    }
}

#[test]
fn data_stands_alone() {
    let faults = problems(&app(
        "  - name: a\n    kind: pg.scope\n    data: {max_groups: 1}\n    max_groups: 2\n",
    ));
    assert_eq!(
        faults,
        ["5:11: entries[0].data: `data` is all of the data, but there is also `max_groups`"]
    );
    let faults = problems(&app("  - {name: a, kind: pg.scope, data: 3}\n"));
    assert_eq!(faults, ["3:37: app:a: expected a map, found `3`"]);
    assert_eq!(
        problems(&app("  - {name: a, kind: registry.entry, data: ~}\n")),
        Vec::<String>::new()
    );
}

#[test]
fn unknown_kinds_are_named_with_the_nearest() {
    let report = load_with(
        &app("  - {name: a, kind: pg.scop}\n  - {name: b, kind: terminal.host}\n"),
        &options(),
    )
    .unwrap_err();
    let text = report.render(Style::Plain);
    assert!(
        text.contains("a.yaml:3:21: app:a: kind: there is no kind `pg.scop` [unknown-kind]"),
        "{text}"
    );
    assert!(text.contains("did you mean `pg.scope`?"), "{text}");
    assert!(text.contains("use `process.host`"), "{text}");
    assert!(text.contains("the kinds are pg.scope, process.lua,"), "{text}");
}

#[test]
fn one_id_is_one_entry() {
    let faults =
        problems(&app("  - {name: a, kind: pg.scope}\n  - {name: a, kind: process.host}\n"));
    assert_eq!(faults, ["4:12: app:a: name: there are two entries `app:a`"]);
    let root = directory(&[
        ("one/_index.yaml", "namespace: app\nname: a\nkind: pg.scope\n"),
        ("two/_index.yaml", "namespace: app\nname: a\nkind: pg.scope\n"),
    ]);
    let report = Registry::load(root.path(), &options()).unwrap_err().render(Style::Plain);
    assert!(report.contains("two/_index.yaml:2:7: app:a: name: there are two entries"), "{report}");
    assert!(report.contains("one/_index.yaml:2:7: the first one"), "{report}");
}

#[test]
fn words_in_free_data_that_may_be_numbers_are_refused() {
    let faults =
        problems(&app("  - {name: a, kind: registry.entry, zip: 0123, meta: {v: 1.10}}\n"));
    assert_eq!(faults.len(), 2);
    assert!(
        faults[0].starts_with("3:42: app:a: zip: `0123` may be a number or a name"),
        "{faults:?}"
    );
    assert!(
        faults[1].starts_with("3:58: app:a: meta.v: `1.10` may be a number or a name"),
        "{faults:?}"
    );
}

#[test]
fn all_files_are_reported_together() {
    let root = directory(&[
        ("a.yaml", "namespace: app\nentries: [\n"),
        ("b.yaml", "namespace: app\nname: b\nkind: pg.scop\n"),
        ("c/c.yaml", "namespace: app\nname: c\nkind: pg.scope\nmax_grups: 1\n"),
        ("d.json", "{\"a\": 1, \"a\": 2}"),
        ("e.yaml", "namespace: app\nname: e\nkind: pg.scope\n---\n"),
    ]);
    std::fs::write(root.path().join("f.yaml"), b"namespace: \xff").unwrap();
    std::fs::File::create(root.path().join("g.yaml")).unwrap().set_len(200 << 20).unwrap();
    let faults = problems_in(root.path());
    let starts = [
        "a.yaml:2:10: a `[` has no `]`",
        "b.yaml:3:7: app:b: kind:",
        "c/c.yaml:4:1: app:c: max_grups:",
        "d.json:1:10: the key `a`",
        "e.yaml:4:1: a second document",
        "f.yaml:1:1: the file is not UTF-8",
        "g.yaml:1:1: the file is longer than",
    ];
    assert_eq!(faults.len(), starts.len(), "{faults:#?}");
    faults
        .iter()
        .zip(starts)
        .for_each(|(fault, start)| assert!(fault.starts_with(start), "{fault}"));
}

#[test]
fn a_directory_without_entries_is_an_error() {
    for files in [&[][..], &[("a.yaml", "x: 1\n"), ("b.lua", "")]] {
        let root = directory(files);
        let faults = problems_in(root.path());
        assert!(
            faults.len() == 1 && faults[0].ends_with("there is no entry file in the directory"),
            "{faults:?}"
        );
    }
    let root = directory(&[("a.yaml", "namespace: app\nentries: []\n")]);
    assert_eq!(problems_in(root.path()), Vec::<String>::new());
    assert!(Registry::load(&root.path().join("none"), &options()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_entries_never_panic(
        lines in proptest::collection::vec(
            ("( ){0,3}", "(- )?", "name|kind|meta|data|source|host|lifecycle|restart|policy|actions|conditions|field|value|imports|modules|security|actor|id|groups|x",
             "|a|app:a|pg.scope|process.lua|process.service|security.policy|\\[a, 1\\]|\\{a: 1\\}|0|-1|30|30s|true|~|file://x|1e5"), 0..25)
    ) {
        let body: String = lines.iter().map(|(indent, dash, key, value)| format!("  {indent}{dash}{key}: {value}\n")).collect();
        let text = app(&format!("  - name: a\n    kind: pg.scope\n{body}"));
        if let Err(report) = load_with(&text, &options()) {
            let _ = report.render(Style::Ansi);
            let _ = report.to_json();
        }
    }
}
