use proptest::prelude::*;
use serde_json::json as value;

use super::{json, parsed, problems, tree};
use crate::document::{Medium, Report, Source, parse};

#[test]
fn documents_become_trees() {
    let text = "a: 1\nb: [x, 'y', \"z\\n\"]\nc:\n  d: |\n    text\n    more\n  e: ~\n";
    let expected = value!({"a": 1, "b": ["x", "y", "z\n"], "c": {"d": "text\nmore\n", "e": null}});
    assert_eq!(json(text), expected);
    assert_eq!(json(""), value!(null));
    assert_eq!(json("# nothing\n"), value!(null));
    assert_eq!(
        json("---\na: !!str 12\nb: ! 1e5\nc: !!map {x: 1}\nd: !!seq [1]\n...\n"),
        value!({
            "a": "12", "b": "1e5", "c": {"x": 1}, "d": [1]
        })
    );
}

#[test]
fn json_documents_are_read() {
    let text = "{\n\t\"a\": [1, 2.5, true, null, \"\\u00e4\\/\"],\n\t\"b\":{\"c\":\"0123\"}\n}\n";
    assert_eq!(json(text), value!({"a": [1, 2.5, true, null, "\u{e4}/"], "b": {"c": "0123"}}));
}

#[test]
fn spellings_and_places_are_kept() {
    let node = tree("name: no\nzip: 0123\nquoted: 'no'\nlist:\n  - 1e5\nlast: |\n  line\n\n\n");
    let map = node.as_map().unwrap();
    let at = |key: &str| {
        let entry = map.get(key).unwrap();
        let key_place = entry.key_span.to_string();
        (key_place, entry.value.span.to_string(), entry.value.span.text().to_owned())
    };
    let place = |key: &str, value: &str, text: &str| (key.into(), value.into(), text.into());
    assert_eq!(at("name"), place("t.yaml:1:1", "t.yaml:1:7", "no"));
    assert_eq!(at("zip"), place("t.yaml:2:1", "t.yaml:2:6", "0123"));
    assert_eq!(at("quoted"), place("t.yaml:3:1", "t.yaml:3:9", "'no'"));
    assert_eq!(at("list"), place("t.yaml:4:1", "t.yaml:5:3", "- 1e5"));
    assert_eq!(map.get("zip").unwrap().value.as_scalar().unwrap().text, "0123");
    let last = &map.get("last").unwrap().value.span;
    assert_eq!((last.line(), last.text().ends_with("line")), (7, true), "{:?}", last.text());
}

#[test]
fn keys_are_taken_literally() {
    let node =
        tree("no: 1\n0123: 2\n1e5: 3\n~: 4\n12:30: 5\n'': 6\n".replace("'': 6\n", "").as_str());
    let keys: Vec<&str> = node.as_map().unwrap().iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["no", "0123", "1e5", "~", "12:30"]);
    assert_eq!(problems("? [a]\n: 1\n"), ["1:3 bad-key"]);
    assert_eq!(problems("{a: 1}: 1\n"), ["1:1 bad-key"]);
    assert_eq!(problems("'': 1\n"), ["1:1 bad-key"]);
    assert_eq!(problems(": 1\n"), ["1:1 bad-key"]);
}

#[test]
fn duplicate_keys_are_found_at_every_depth() {
    assert_eq!(problems("a: 1\nb: 2\na: 3\n"), ["3:1 duplicate-key"]);
    assert_eq!(problems("a: 1\n\"a\": 2\na: 3\n"), ["2:1 duplicate-key", "3:1 duplicate-key"]);
    assert_eq!(problems("x:\n  y:\n    - z: 1\n      z: 2\n"), ["4:7 duplicate-key"]);
    assert_eq!(problems("{a: {b: 1, b: 2}, a: 3}"), ["1:12 duplicate-key", "1:19 duplicate-key"]);
    assert_eq!(problems("1: x\n'1': y\n"), ["2:1 duplicate-key"]);
    let (node, _) = parsed("a: 1\na: 2\n");
    assert_eq!(node.unwrap().to_json("", &mut Report::new()), value!({"a": 1}));
}

#[test]
fn merges_add_what_is_missing() {
    let text = "base: &b {x: 1, y: 2}\nother: &o {z: 3}\none:\n  <<: *b\n  y: 7\ntwo:\n  w: 0\n  <<: [*b, *o]\n";
    let node = json(text);
    assert_eq!(node["one"], value!({"y": 7, "x": 1}));
    assert_eq!(node["two"], value!({"w": 0, "x": 1, "y": 2, "z": 3}));
    assert_eq!(json("<<: {a: 1}\nb: 2\n"), value!({"b": 2, "a": 1}));
    assert_eq!(json("'<<': 1\n"), value!({"<<": 1}));
}

#[test]
fn no_duplicate_hides_under_a_merge_key() {
    let base = "b: &b {x: 1}\nc: &c {x: 2}\nd: &d {x: 1}\n";
    let with = |rest: &str| problems(&format!("{base}{rest}"));
    assert_eq!(with("e:\n  <<: *b\n  <<: *c\n"), ["6:3 duplicate-key"]);
    assert_eq!(with("e:\n  <<: *b\n  y: 2\n  y: 3\n"), ["7:3 duplicate-key"]);
    assert_eq!(with("e:\n  <<: {x: 1}\n  x: 3\n"), ["5:8 duplicate-key"]);
    assert_eq!(with("e:\n  <<: {x: 1, x: 2}\n"), ["5:14 duplicate-key"]);
    assert_eq!(with("e:\n  <<: [*b, *c]\n"), ["2:8 duplicate-key"]);
    assert_eq!(with("e:\n  <<: [*b, *c]\n  x: 3\n"), Vec::<String>::new());
    assert_eq!(with("e:\n  <<: [*b, *d]\n"), Vec::<String>::new());
    assert_eq!(with("e:\n  <<: 3\n"), ["5:3 bad-merge"]);
    assert_eq!(with("e:\n  <<: [*b, 3]\n"), ["5:3 bad-merge"]);
}

#[test]
fn aliases_stand_for_their_anchor() {
    let text = "a: &a [1, &n two]\nb: *a\nc: *n\n*n : 4\n";
    assert_eq!(json(text), value!({"a": [1, "two"], "b": [1, "two"], "c": "two", "two": 4}));
    assert_eq!(problems("a: &a [*a]\n"), ["1:8 bad-alias"]);
    assert_eq!(problems("a: &a {b: *a}\n"), ["1:11 bad-alias"]);
    assert_eq!(problems("a: *nobody\n"), ["1:4 bad-alias"]);
}

#[test]
fn what_is_not_plain_yaml_is_refused() {
    assert_eq!(problems("a: 1\n---\nb: 2\n"), ["2:1 multiple-documents"]);
    assert_eq!(problems("--- a\n--- b\n"), ["2:1 multiple-documents"]);
    assert_eq!(problems("a:\n\tb: 1\n"), ["2:2 yaml-syntax"]);
    assert_eq!(problems("a: !!int 1\n"), ["1:4 unsupported-tag"]);
    assert_eq!(problems("a: !secret x\n"), ["1:4 unsupported-tag"]);
    assert_eq!(problems("a: !!binary aGk=\n"), ["1:4 unsupported-tag"]);
    for broken in [
        "a: [1",
        "a: {b",
        "a: 'x",
        "a: b: c",
        "a\nb: 1",
        "- a\nb: 1",
        "%",
        "a: @x",
        "]",
        "a: \"\\q\"",
    ] {
        let found = problems(broken);
        assert!(found.len() == 1 && found[0].ends_with("yaml-syntax"), "{broken}: {found:?}");
    }
}

#[test]
fn words_that_may_be_numbers_are_reported_with_their_path() {
    let mut report = Report::new();
    tree("a:\n  - {zip: 0123}\n").to_json("", &mut report);
    let found = report.diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].headline(),
        "t.yaml:2:11: a[0].zip: `0123` may be a number or a name: write \"0123\" for the name"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_text_never_panics(text in "[-a-c0-9 :\\[\\]{}&*!|>'\"#%@`,?~\n\t<.\u{e4}\u{feff}]{0,120}") {
        let source = Source::new("t", text.as_str(), Medium::File);
        let mut report = Report::new();
        if let Some(node) = parse(&source, &mut report) {
            let _ = node.to_json("", &mut report);
        }
        let _ = report.to_string();
    }

    #[test]
    fn plausible_lines_never_panic(
        lines in proptest::collection::vec(("( ){0,6}", "(- )?(\\? )?(&a )?", "[a-b]|<<|'k'|\\*a |", ":( )?", "\\*a|[xy]|\\[\\*a|\\{a: 1|\\||!!str|1e5|0123|---|"), 0..20)
    ) {
        let text: String = lines
            .iter()
            .map(|(indent, dash, key, colon, value)| format!("{indent}{dash}{key}{colon}{value}\n"))
            .collect();
        let source = Source::new("t", text.as_str(), Medium::File);
        let mut report = Report::new();
        if let Some(node) = parse(&source, &mut report) {
            let _ = node.to_json("", &mut report);
        }
        let _ = report.to_string();
    }
}
