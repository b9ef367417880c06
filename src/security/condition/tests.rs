use serde_json::{Value, json};

use super::*;
use crate::security::Attributes;

const UNDECIDABLE: Option<bool> = None;

fn source(field: &str, operator: &str, value: Value) -> ConditionSource {
    ConditionSource {
        field: field.into(),
        operator: operator.into(),
        value: Some(value),
        value_from: None,
    }
}

fn from(field: &str, operator: &str, other: &str) -> ConditionSource {
    ConditionSource {
        field: field.into(),
        operator: operator.into(),
        value: None,
        value_from: Some(other.into()),
    }
}

fn faults(source: &ConditionSource) -> Vec<String> {
    let mut faults = Vec::new();
    let compiled = Condition::compile(source, "conditions[0]", &mut faults);
    assert_eq!(compiled.is_none(), !faults.is_empty());
    faults.iter().map(ToString::to_string).collect()
}

/// What the condition says about a check with these attributes; `None` if it cannot be decided.
fn decide(source: &ConditionSource, attributes: &Value) -> Option<bool> {
    let mut faults = Vec::new();
    let condition = Condition::compile(source, "c", &mut faults);
    let condition = condition.unwrap_or_else(|| panic!("{source:?}: {faults:?}"));
    let actor = Actor::new("u1", json!({"age": 30}).as_object().unwrap().clone());
    let check =
        Check::new("pg.join", "room-1").with(Attributes::Map(attributes.as_object().unwrap()));
    match Verdict::of(&[condition], Some(&actor), &check) {
        Verdict::Hold => Some(true),
        Verdict::Fail => Some(false),
        Verdict::Undecidable(_) => None,
    }
}

#[test]
fn every_operator() {
    let rows = [
        ("eq", json!("a"), json!("a"), Some(true)),
        ("eq", json!("a"), json!("b"), Some(false)),
        ("eq", json!([1, [2]]), json!([1, [2]]), Some(true)),
        ("eq", json!(5), json!("5"), Some(true)),
        ("eq", json!(5), json!("05"), Some(false)),
        ("ne", json!("a"), json!("b"), Some(true)),
        ("ne", json!("a"), json!("a"), Some(false)),
        ("lt", json!(1), json!(2), Some(true)),
        ("lt", json!("1"), json!(2), Some(true)),
        ("lt", json!(2), json!(2), Some(false)),
        ("lt", json!("x"), json!(2), UNDECIDABLE),
        ("lte", json!(2), json!(2), Some(true)),
        ("lte", json!(3), json!(2), Some(false)),
        ("gt", json!(3), json!(2), Some(true)),
        ("gt", json!(2), json!(2), Some(false)),
        ("gt", json!([3]), json!(2), UNDECIDABLE),
        ("gte", json!(2), json!(2), Some(true)),
        ("gte", json!(1.5), json!(2), Some(false)),
        ("in", json!("a"), json!(["b", "a"]), Some(true)),
        ("in", json!("c"), json!(["b", "a"]), Some(false)),
        ("in", json!([1]), json!([[1], 2]), Some(true)),
        ("in", json!("a"), json!("a"), Some(true)),
        ("in", json!("a"), json!("abc"), Some(false)),
        ("nin", json!("c"), json!(["b", "a"]), Some(true)),
        ("nin", json!("a"), json!(["b", "a"]), Some(false)),
        ("nin", json!("a"), json!("b"), Some(true)),
        ("contains", json!("hello"), json!("ell"), Some(true)),
        ("contains", json!("hello"), json!("xyz"), Some(false)),
        ("contains", json!(["a", "b"]), json!("b"), Some(true)),
        ("contains", json!(["ab"]), json!("b"), Some(false)),
        ("contains", json!("h5"), json!(5), UNDECIDABLE),
        ("contains", json!({"a": 1}), json!("a"), UNDECIDABLE),
        ("ncontains", json!("hello"), json!("xyz"), Some(true)),
        ("ncontains", json!(["a"]), json!("a"), Some(false)),
        ("matches", json!("room-12"), json!("m-[0-9]+$"), Some(true)),
        ("matches", json!("room-x"), json!("m-[0-9]+$"), Some(false)),
        ("matches", json!(12), json!("1"), UNDECIDABLE),
        ("nmatches", json!("room-x"), json!("[0-9]"), Some(true)),
        ("nmatches", json!("room-1"), json!("[0-9]"), Some(false)),
        ("nmatches", json!(true), json!("[0-9]"), UNDECIDABLE),
        ("exists", json!("x"), json!(true), Some(true)),
        ("exists", json!("x"), json!(false), Some(false)),
        ("nexists", json!("x"), json!(true), Some(false)),
        ("nexists", json!("x"), json!(false), Some(true)),
    ];
    for (operator, field, value, expected) in rows {
        let got = decide(&source("meta.f", operator, value.clone()), &json!({"f": field}));
        assert_eq!(got, expected, "{field} {operator} {value}");
    }
}

#[test]
fn an_absent_field_makes_everything_false_but_absence() {
    let values = [
        ("eq", json!(1)),
        ("ne", json!(1)),
        ("lt", json!(1)),
        ("gt", json!(1)),
        ("lte", json!(1)),
        ("gte", json!(1)),
        ("in", json!([1])),
        ("nin", json!([1])),
        ("contains", json!("a")),
        ("ncontains", json!("a")),
        ("matches", json!("a")),
        ("nmatches", json!("a")),
        ("exists", json!(true)),
        ("nexists", json!(false)),
    ];
    for (operator, value) in values {
        for attributes in [json!({}), json!({"f": null})] {
            let got = decide(&source("meta.f", operator, value.clone()), &attributes);
            assert_eq!(got, Some(false), "{operator} on {attributes}");
        }
    }
    assert_eq!(decide(&source("meta.f", "exists", json!(false)), &json!({})), Some(true));
    assert_eq!(decide(&source("meta.f", "nexists", json!(true)), &json!({})), Some(true));
    let bare = ConditionSource {
        field: "meta.f".into(),
        operator: "exists".into(),
        ..ConditionSource::default()
    };
    assert_eq!(decide(&bare, &json!({"f": 0})), Some(true));
    assert_eq!(decide(&bare, &json!({})), Some(false));
}

#[test]
fn value_from_is_read_at_the_check() {
    let own = from("meta.owner", "eq", "actor.id");
    assert_eq!(decide(&own, &json!({"owner": "u1"})), Some(true));
    assert_eq!(decide(&own, &json!({"owner": "u2"})), Some(false));
    assert_eq!(decide(&own, &json!({})), Some(false), "the absent field decides first");
    let older = from("meta.limit", "lt", "actor.meta.age");
    assert_eq!(decide(&older, &json!({"limit": 18})), Some(true));
    assert_eq!(decide(&from("resource", "eq", "meta.none"), &json!({})), UNDECIDABLE);
    assert_eq!(decide(&from("action", "in", "meta.l"), &json!({"l": ["pg.join"]})), Some(true));
    assert_eq!(decide(&from("action", "in", "meta.l"), &json!({"l": 5})), UNDECIDABLE);
}

#[test]
fn a_false_condition_outweighs_an_undecidable_one_in_any_order() {
    let compile =
        |source: ConditionSource| Condition::compile(&source, "c", &mut Vec::new()).unwrap();
    let broken = || compile(source("action", "lt", json!(1)));
    let fails = || compile(source("action", "eq", json!("other")));
    let holds = || compile(source("action", "eq", json!("a")));
    let check = Check::new("a", "r");
    let verdict = |conditions: &[Condition]| Verdict::of(conditions, None, &check);
    assert_eq!(verdict(&[]), Verdict::Hold);
    assert_eq!(verdict(&[holds(), holds()]), Verdict::Hold);
    assert_eq!(verdict(&[holds(), fails()]), Verdict::Fail);
    assert_eq!(verdict(&[broken(), fails()]), Verdict::Fail);
    assert_eq!(verdict(&[fails(), broken()]), Verdict::Fail);
    assert!(matches!(verdict(&[holds(), broken()]), Verdict::Undecidable(_)));
    assert!(matches!(verdict(&[broken(), holds()]), Verdict::Undecidable(_)));
}

#[test]
fn faults_name_the_condition_and_its_key() {
    let one = |source: ConditionSource, expected: &str| {
        assert_eq!(faults(&source), [expected.to_owned()]);
    };
    one(
        source("actor.role", "eq", json!(1)),
        "conditions[0].field: unknown field \"actor.role\"; use actor.id, actor.meta.<key>, \
         meta.<key>, action or resource",
    );
    one(
        from("action", "eq", "who"),
        "conditions[0].value_from: unknown field \"who\"; use actor.id, actor.meta.<key>, \
         meta.<key>, action or resource",
    );
    let unknown = faults(&source("action", "equals", json!(1)));
    assert!(unknown[0].starts_with("conditions[0].operator: unknown operator \"equals\"; known:"));
    let nearly = faults(&source("action", "match", json!("a")));
    assert!(nearly[0].contains("did you mean \"matches\"?"), "{nearly:?}");
    one(
        ConditionSource { field: "action".into(), operator: "eq".into(), ..Default::default() },
        "conditions[0].value: operator eq needs value or value_from",
    );
    one(
        ConditionSource { value_from: Some("resource".into()), ..source("action", "eq", json!(1)) },
        "conditions[0].value_from: has both value and value_from; write one of them",
    );
    for operator in ["matches", "nmatches", "exists", "nexists"] {
        let expected = format!(
            "conditions[0].value_from: operator {operator} takes value only, not value_from"
        );
        one(from("action", operator, "resource"), &expected);
    }
    one(
        source("action", "exists", json!("yes")),
        "conditions[0].value: operator exists takes true or false, not a text",
    );
    one(
        source("action", "in", json!(5)),
        "conditions[0].value: operator in takes a list or a text, not a number",
    );
    one(
        source("action", "gte", json!("many")),
        "conditions[0].value: operator gte takes a number, not a text",
    );
    one(
        source("action", "eq", Value::Null),
        "conditions[0].value: operator eq takes a value that can be there (for absence use \
         nexists), not null",
    );
    let regex = faults(&source("action", "matches", json!("a(")));
    assert!(regex[0].starts_with("conditions[0].value: regex parse error"), "{regex:?}");
    let huge = faults(&source("action", "matches", json!("(a{1000}){1000}")));
    assert!(huge[0].contains("size limit"), "{huge:?}");
    assert_eq!(faults(&source("actor", "is", json!(1))).len(), 2, "both faults are reported");
}
