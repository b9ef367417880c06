use std::time::Duration;

use proptest::prelude::*;

use super::tree;
use crate::document::{Decoder, Field, Fields, Node, Report, Style, Zero, assignment};

/// Reads `text` with `read`; the headlines of all problems without the file name.
fn read<T>(text: &str, read: impl FnOnce(&mut Fields<'_>) -> T) -> (T, Vec<String>) {
    let node = tree(text);
    let decoder = Decoder::new("test.kind", Some("app:x".into()));
    let value = decoder.read(node.as_map().unwrap(), node.span.clone(), read);
    (value, headlines(&decoder.conclude()))
}

fn headlines(report: &Report) -> Vec<String> {
    let line = |d: &&crate::document::Diagnostic| d.headline().replacen("t.yaml:", "", 1);
    report.diagnostics().iter().map(line).collect()
}

/// Reads the value of the only field of `a: <text>` with `read`.
fn one<T>(text: &str, read_field: impl FnOnce(&Field<'_>) -> Option<T>) -> Result<T, String> {
    let (value, problems) =
        read(&format!("a: {text}"), |fields| read_field(&fields.required("a").unwrap()));
    match (value, problems.as_slice()) {
        (Some(value), []) => Ok(value),
        (None, [problem]) => Err(problem.split_once("app:x: a: ").unwrap().1.to_owned()),
        (_, problems) => panic!("{text}: {problems:?}"),
    }
}

#[test]
fn bare_words_are_taken_literally_as_text() {
    for name in [
        "no",
        "yes",
        "on",
        "off",
        "y",
        "n",
        "true",
        "0123",
        "+0123",
        "0o17",
        "1e5",
        "1.10",
        "12:30",
        "0x1f",
        "123",
        ".inf",
        "2001-01-01",
        "a: b".trim_end_matches(": b"),
    ] {
        assert_eq!(one(name, |field| field.text()).unwrap().text, name);
        assert_eq!(one(&format!("[{name}]"), |field| field.texts()).unwrap()[0].text, name);
    }
    let help = "expected a text, found nothing";
    for nothing in ["", "~", "null"] {
        assert_eq!(one(nothing, |field| field.text()).unwrap_err(), help);
    }
    assert_eq!(one("'null'", |field| field.text()).unwrap().text, "null");
    assert_eq!(one("''", |field| field.text()).unwrap().text, "");
    assert_eq!(one("' '", |field| field.filled_text()).unwrap_err(), "the text is blank");
    assert_eq!(one("[a]", |field| field.text()).unwrap_err(), "expected a text, found a list");
}

#[test]
fn truth_values_are_true_and_false_only() {
    assert_eq!(one("true", |field| field.flag()), Ok(true));
    assert_eq!(one("False", |field| field.flag()), Ok(false));
    for wrong in ["yes", "no", "on", "off", "1", "0", "'true'", "", "[true]", "tru"] {
        let problem = one(wrong, |field| field.flag()).unwrap_err();
        assert!(problem.starts_with("expected true or false, found "), "{problem}");
    }
}

#[test]
fn whole_numbers_are_decimal_and_in_range() {
    let small = |text: &str| one(text, |field| field.integer(1..=10_u32));
    assert_eq!(small("10"), Ok(10));
    assert_eq!(small("0"), Err("must be 1 to 10, not 0".to_owned()));
    assert_eq!(small("-1"), Err("must be 1 to 10, not -1".to_owned()));
    let large = "99999999999999999999999999999999999999999999999999";
    assert!(small(large).unwrap_err().starts_with("must be 1 to 10, not "));
    let open = one("-5", |field| field.integer(0..=u32::MAX));
    assert_eq!(open, Err("must be at least 0, not -5".to_owned()));
    for wrong in ["1.0", "1e3", "0x10", "007", "+7", "1_000", "'7'", "", "seven", "[7]", ".inf"] {
        let problem = small(wrong).unwrap_err();
        assert!(problem.starts_with("expected a whole number, found "), "{problem}");
    }
}

#[test]
fn numbers_are_finite() {
    let number = |text: &str| one(text, |field| field.number(0.0..=1.0));
    for (text, value) in [("0", 0.0), ("0.5", 0.5), (".5", 0.5), ("1", 1.0), ("5e-1", 0.5)] {
        assert_eq!(number(text), Ok(value), "{text}");
    }
    assert_eq!(number("1.5"), Err("must be 0 to 1, not 1.5".to_owned()));
    let open = one("0.5", |field| field.number(1.0..=f64::MAX));
    assert_eq!(open, Err("must be at least 1, not 0.5".to_owned()));
    for wrong in [".nan", ".inf", "nan", "inf", "1e999", "'1'", "", "x"] {
        let problem = number(wrong).unwrap_err();
        assert!(problem.starts_with("expected a number, found "), "{wrong}: {problem}");
    }
}

#[test]
fn durations_need_a_unit() {
    let duration = |text: &str| one(text, |field| field.duration(Zero::Allowed));
    let positive = |text: &str| one(text, |field| field.duration(Zero::Refused));
    assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
    assert_eq!(duration("\"1m30s\""), Ok(Duration::from_secs(90)));
    assert_eq!((duration("0"), duration("0s")), (Ok(Duration::ZERO), Ok(Duration::ZERO)));
    for zero in ["0", "0s", "\"0\""] {
        assert_eq!(positive(zero), Err("must be longer than 0".to_owned()));
    }
    for (wrong, reason) in [
        ("30", "\"30\" has no unit: write 30s for seconds, or 30ms for milliseconds"),
        ("\"30\"", "\"30\" has no unit: write 30s for seconds, or 30ms for milliseconds"),
        ("1.5", "\"1.5\" has no unit: write 1.5s for seconds, or 1.5ms for milliseconds"),
        ("-5", "\"-5\" is negative"),
        ("\"-5s\"", "\"-5s\" is negative"),
        ("5 m", "\"5 m\" is not a duration: write one such as 30s, 100ms or 1h30m, without blanks"),
        ("1d", "\"d\" is not a unit of time: use ns, us, ms, s, m or h, as in 30s"),
        ("1e30", "\"e\" is not a unit of time: use ns, us, ms, s, m or h, as in 30s"),
        ("\"\"", "a duration is empty: write one such as 30s, 100ms or 1h30m"),
        ("", "expected a duration such as 30s, found nothing"),
        ("[1s]", "expected a duration such as 30s, found a list"),
        ("300000000h", "\"300000000h\" is longer than 292 years, the longest duration there is"),
    ] {
        assert_eq!(duration(wrong), Err(reason.to_owned()));
    }
}

#[test]
fn sizes_choices_lists_and_maps_are_read() {
    assert_eq!(one("64M", |field| field.size(1..=u64::MAX)), Ok(64 << 20));
    assert_eq!(one("512", |field| field.size(1..=u64::MAX)), Ok(512));
    assert!(one("0", |field| field.size(1..=u64::MAX)).is_err());
    assert!(one("many", |field| field.size(1..=u64::MAX)).is_err());
    let choice = |text: &str| one(text, |field| field.choice(&[("allow", 1), ("deny", 2)]));
    assert_eq!(choice("deny"), Ok(2));
    assert_eq!(choice("dany"), Err("`dany` is not one of allow, deny".to_owned()));
    assert_eq!(choice("true"), Err("`true` is not one of allow, deny".to_owned()));
    assert_eq!(one("[1, 2]", |field| field.items().map(|items| items.len())), Ok(2));
    assert_eq!(
        one("x", |field| field.items().map(|_| ())),
        Err("expected a list, found `x`".to_owned())
    );
    assert_eq!(
        one("{b: 1}", |field| field.pairs().map(|pairs| pairs[0].1.path().to_owned())),
        Ok("a.b".to_owned())
    );
    assert_eq!(
        one("3", |field| field.pairs().map(|_| ())),
        Err("expected a map, found `3`".to_owned())
    );
    assert_eq!(
        one("{b: [1, no]}", |field| Some(field.json())),
        Ok(serde_json::json!({"b": [1, "no"]}))
    );
}

#[test]
fn values_from_the_command_line_take_the_type_that_is_wanted() {
    let given = |text: &str| assignment("-o", &format!("k={text}")).unwrap().value;
    let read_text = |node: Node| {
        let decoder = Decoder::new("x", None);
        let field = node.field(&decoder);
        field.text().unwrap().text.to_string()
    };
    assert_eq!(read_text(given("123")), "123");
    assert_eq!(read_text(given("true")), "true");
    assert_eq!(read_text(given("[1]")), "[1]");
    assert_eq!(read_text(given("")), "");
    let node = given("[\"a\", \"b\"]");
    let decoder = Decoder::new("x", None);
    let field = node.field(&decoder);
    assert_eq!(field.texts().unwrap().len(), 2);
    assert_eq!(field.integer(0..=9_u32), None);
    assert_eq!(
        headlines(&decoder.conclude()),
        ["-o:1:3: expected a whole number, found `[\"a\", \"b\"]`"]
    );
}

fn lifecycle(fields: &mut Fields<'_>) {
    fields.optional("auto_start");
    fields.block("restart", |restart| {
        restart.optional("max_delay");
        restart.optional("jitter");
    });
}

fn kind(fields: &mut Fields<'_>) {
    fields.required("source");
    fields.optional("max_groups");
    fields.block("lifecycle", lifecycle);
    fields.blocks("conditions", |condition| condition.required("operator").is_some());
}

#[test]
fn unknown_fields_are_reported_with_what_was_meant() {
    let unknown = |text: &str| {
        let node = tree(text);
        let decoder = Decoder::new("test.kind", Some("app:x".into()));
        decoder.read(node.as_map().unwrap(), node.span.clone(), kind);
        decoder.conclude().render(Style::Plain)
    };
    let report = unknown("source: x\nmax_grups: 1\n");
    assert!(
        report.contains("2:1: app:x: max_grups: unknown field `max_grups` [unknown-field]"),
        "{report}"
    );
    assert!(report.contains("did you mean `max_groups`?"), "{report}");
    assert!(
        report.contains("the fields of test.kind are source, max_groups, lifecycle, conditions"),
        "{report}"
    );

    let report = unknown("source: x\nmax_delay: 1s\n");
    assert!(report.contains("`max_delay` belongs in `lifecycle.restart`"), "{report}");
    let report = unknown("source: x\nlifecycle: {restart: {auto_start: true}}\n");
    assert!(report.contains("lifecycle.restart.auto_start: unknown field"), "{report}");
    assert!(report.contains("`auto_start` belongs one level up, in `lifecycle`"), "{report}");
    assert!(
        report.contains("the fields of `lifecycle.restart` in test.kind are max_delay, jitter"),
        "{report}"
    );
    let report = unknown("source: x\nlifecycle: {max_groups: 1}\n");
    assert!(report.contains("`max_groups` belongs at the top level of test.kind"), "{report}");
    let report = unknown("source: x\njiter: 1\n");
    assert!(report.contains("did you mean `lifecycle.restart.jitter`?"), "{report}");
    let report = unknown("source: x\nzzzzzz: 1\n");
    assert!(!report.contains("did you mean"), "{report}");
    let report = unknown("source: x\nconditions: [{operator: eq}, {oparator: ne}]\n");
    assert!(report.contains("conditions[1].operator: the field `operator` is missing"), "{report}");
    assert!(report.contains("conditions[1].oparator: unknown field `oparator`"), "{report}");
    assert!(report.contains("the fields of `conditions[]` in test.kind are operator"), "{report}");
}

#[test]
fn all_problems_are_found_in_one_reading() {
    let text = "max_groups: x\nlifecycle: 3\nconditions: [1, {}]\nextra: 1\n";
    let (_, problems) = read(text, |fields| {
        fields.required("source");
        fields.optional("max_groups").and_then(|field| field.integer(0..=9_u32));
        fields.block("lifecycle", lifecycle);
        fields.blocks("conditions", |condition| condition.required("operator").is_some());
    });
    assert_eq!(
        problems,
        [
            "1:1: app:x: source: the field `source` is missing",
            "1:13: app:x: max_groups: expected a whole number, found `x`",
            "2:12: app:x: lifecycle: expected a map, found `3`",
            "3:14: app:x: conditions[0]: expected a map, found `1`",
            "3:17: app:x: conditions[1].operator: the field `operator` is missing",
            "4:1: app:x: extra: unknown field `extra`",
        ]
    );
}

#[test]
fn the_rest_of_a_map_can_be_taken_as_it_is() {
    let (rest, problems) = read("a: 1\nb: 2\nc: 3\n", |fields| {
        fields.optional("a");
        fields.rest().iter().map(|entry| entry.key.to_string()).collect::<Vec<_>>()
    });
    assert_eq!((rest, problems), (vec!["b".to_owned(), "c".to_owned()], vec![]));
}

proptest! {
    #[test]
    fn no_value_makes_a_reader_panic(value in "[-+0-9a-z.'\"_:]{0,12}") {
        let node = Node::assigned(value.as_str(), tree("x: 1").span);
        let decoder = Decoder::new("x", None);
        let field = node.field(&decoder);
        field.text();
        field.flag();
        field.integer(-5..=5_i64);
        field.number(-1.0..=1.0);
        field.duration(Zero::Refused);
        field.size(0..=9);
        field.texts();
        field.pairs();
        field.choice(&[("a", ())]);
        field.json();
        let _ = decoder.conclude().to_string();
    }
}
