use serde_json::{Map, json};

use super::*;
use crate::security::{Attributes, ConditionSource};

fn source(effect: &str, actions: &[&str], resources: &[&str]) -> PolicySource {
    PolicySource {
        id: "app:p".parse().unwrap(),
        actions: actions.iter().map(ToString::to_string).collect(),
        resources: resources.iter().map(ToString::to_string).collect(),
        effect: effect.to_owned(),
        conditions: Vec::new(),
        groups: Vec::new(),
    }
}

fn faults(source: &PolicySource) -> Vec<String> {
    source.compile().unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_policy_speaks_only_where_action_and_resource_match() {
    let policy = source("allow", &["pg.open", "pg.join"], &["app:rooms", "room-*"]);
    let policy = policy.compile().unwrap().policy;
    let says = |action, resource| policy.evaluate(None, &Check::new(action, resource));
    assert_eq!(says("pg.join", "room-1"), Outcome::Allow);
    assert_eq!(says("pg.open", "app:rooms"), Outcome::Allow);
    assert_eq!(says("pg.leave", "room-1"), Outcome::Undefined);
    assert_eq!(says("pg.join", "hall"), Outcome::Undefined);
    assert_eq!(says("pg.join", ""), Outcome::Undefined);
}

#[test]
fn conditions_narrow_a_policy() {
    let scope_is = ConditionSource {
        field: "meta.scope".into(),
        operator: "eq".into(),
        value: Some(json!("app:pg1")),
        value_from: None,
    };
    let policy = PolicySource { conditions: vec![scope_is], ..source("allow", &["*"], &["*"]) };
    let policy = policy.compile().unwrap().policy;
    let check = Check::new("pg.join", "room");
    let within = |scope| check.with(Attributes::One("scope", scope));
    assert_eq!(policy.evaluate(None, &within("app:pg1")), Outcome::Allow);
    assert_eq!(policy.evaluate(None, &within("app:pg2")), Outcome::Undefined);
    assert_eq!(policy.evaluate(None, &check), Outcome::Undefined);
}

#[test]
fn an_undecidable_condition_closes_a_deny_and_silences_an_allow() {
    let broken = ConditionSource {
        field: "actor.meta.level".into(),
        operator: "lt".into(),
        value: Some(json!(5)),
        value_from: None,
    };
    let level = |level: serde_json::Value| {
        let meta: Map<_, _> = [("level".to_owned(), level)].into_iter().collect();
        Actor::new("u", meta)
    };
    for (effect, on_error) in [("deny", Outcome::Deny), ("allow", Outcome::Undefined)] {
        let conditions = vec![broken.clone()];
        let policy = PolicySource { conditions, ..source(effect, &["*"], &["*"]) };
        let policy = policy.compile().unwrap().policy;
        let says = |actor: Option<&Actor>| policy.evaluate(actor, &Check::new("a", "r"));
        assert_eq!(says(Some(&level(json!("high")))), on_error);
        assert_eq!(says(Some(&level(json!(9)))), Outcome::Undefined);
        assert_eq!(says(Some(&level(json!(1)))), effect.parse::<Effect>().unwrap().into());
        assert_eq!(says(None), Outcome::Undefined, "an absent field is false, not an error");
        assert!(policy.reported.load(Ordering::Relaxed));
    }
}

#[test]
fn all_faults_are_reported_with_their_place() {
    assert_eq!(
        faults(&source("permit", &["pg.join", "*.read", ""], &[])),
        [
            "actions[1]: pattern \"*.read\": '*' is only allowed as the last character",
            "actions[2]: pattern \"\": is empty; write \"*\" to match everything",
            "resources: must name at least one pattern",
            "effect: unknown effect \"permit\"; known: allow, deny",
        ]
    );
    assert_eq!(
        faults(&source("Deny", &["*"], &["*"])),
        ["effect: unknown effect \"Deny\"; did you mean \"deny\"? Known: allow, deny"]
    );
    let second = ConditionSource { field: "x".into(), operator: "eq".into(), ..Default::default() };
    let first =
        ConditionSource { field: "action".into(), operator: "exists".into(), ..Default::default() };
    let conditions = vec![first, second];
    let faults = faults(&PolicySource { conditions, ..source("deny", &["*"], &["*"]) });
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("conditions[1].field: "), "{faults:?}");
    assert!(faults[1].starts_with("conditions[1].value: "), "{faults:?}");
}

#[test]
fn a_family_pattern_is_worth_a_warning_only_where_it_denies() {
    let warnings = |effect| {
        let compiled = source(effect, &["process.*", "pg.join"], &["app:*", "db.*"]).compile();
        compiled.unwrap().warnings
    };
    assert!(warnings("allow").is_empty());
    let places: Vec<_> = warnings("deny").iter().map(|w| w.field.clone()).collect();
    assert_eq!(places, ["actions[0]", "resources[1]"]);
    let text = warnings("deny")[0].to_string();
    assert_eq!(
        text,
        "actions[0]: \"process.*\" denies \"process\" and names that begin with \"process.\", but \
         not \"process\" followed by anything else; write \"process*\" to deny those too"
    );
}
