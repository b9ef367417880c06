//! Properties of evaluation over random policies (security.md section 8).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::id::EntryId;

const WORDS: [&str; 6] = ["a", "a.b", "ab", "b", "a.b.c", "x"];

fn pattern() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(&WORDS[..]);
    let star = proptest::sample::select(&["", "*", ".*"][..]);
    prop_oneof![
        4 => (word, star).prop_map(|(word, star)| format!("{word}{star}")),
        1 => Just("*".to_owned()),
    ]
}

fn condition() -> impl Strategy<Value = ConditionSource> {
    const FIELDS: [&str; 6] =
        ["action", "resource", "actor.id", "actor.meta.n", "meta.f", "meta.none"];
    let value = prop_oneof![Just(json!("a")), Just(json!(1)), Just(json!(["a", 1]))];
    const OPERATORS: [&str; 9] =
        ["eq", "ne", "lt", "in", "nin", "contains", "exists", "nexists", "gte"];
    (proptest::sample::select(&FIELDS[..]), proptest::sample::select(&OPERATORS[..]), value)
        .prop_map(|(field, operator, value)| ConditionSource {
            field: field.into(),
            operator: operator.into(),
            value: (!operator.ends_with("exists")).then_some(value),
            value_from: None,
        })
}

fn policy() -> impl Strategy<Value = PolicySource> {
    let patterns = || proptest::collection::vec(pattern(), 1..3);
    let effect = proptest::sample::select(&["allow", "deny"][..]);
    (patterns(), patterns(), effect, proptest::collection::vec(condition(), 0..3)).prop_map(
        |(actions, resources, effect, conditions)| PolicySource {
            id: id(0),
            actions,
            resources,
            effect: effect.into(),
            conditions,
            groups: Vec::new(),
        },
    )
}

fn policies() -> impl Strategy<Value = Vec<PolicySource>> {
    proptest::collection::vec(policy(), 0..6).prop_map(|sources| {
        let compiles = |source: &PolicySource| source.compile().is_ok();
        let numbered = |(i, source)| PolicySource { id: id(i), ..source };
        sources.into_iter().filter(compiles).enumerate().map(numbered).collect()
    })
}

fn id(number: usize) -> EntryId {
    EntryId::new("p", &format!("n{number}")).unwrap()
}

fn actor() -> Actor {
    let meta: Map<String, Value> = [("n".to_owned(), json!(1))].into_iter().collect();
    Actor::new("a", meta)
}

fn outcome(sources: &[PolicySource], check: &Check<'_>) -> Outcome {
    let compiled = sources.iter().map(|source| source.compile().unwrap().policy);
    let store = Policies::new(compiled).unwrap();
    let scope = store.scope([], sources.iter().map(|source| source.id.clone())).unwrap();
    scope.evaluate(Some(&actor()), check)
}

fn single(source: &PolicySource, check: &Check<'_>) -> Outcome {
    source.compile().unwrap().policy.evaluate(Some(&actor()), check)
}

proptest! {
    #[test]
    fn the_outcome_is_the_rule_and_has_no_order(
        sources in policies(),
        action in proptest::sample::select(&WORDS[..]),
        resource in proptest::sample::select(&WORDS[..]),
        shift in 0_usize..6,
    ) {
        let facts = json!({"f": "a"});
        let check = Check::new(action, resource).with(Attributes::Map(facts.as_object().unwrap()));
        let said: Vec<_> = sources.iter().map(|source| single(source, &check)).collect();
        let expected = if said.contains(&Outcome::Deny) {
            Outcome::Deny
        } else if said.contains(&Outcome::Allow) {
            Outcome::Allow
        } else {
            Outcome::Undefined
        };
        prop_assert_eq!(outcome(&sources, &check), expected);

        let mut renamed = sources.clone();
        renamed.rotate_left(shift % sources.len().max(1));
        renamed.reverse();
        for (i, source) in renamed.iter_mut().enumerate() {
            source.id = id(i);
        }
        prop_assert_eq!(outcome(&renamed, &check), expected, "ids and order do not matter");
    }

    #[test]
    fn one_more_deny_never_opens_anything(
        sources in policies(),
        extra in policy(),
        action in proptest::sample::select(&WORDS[..]),
    ) {
        let extra = PolicySource { id: id(99), effect: "deny".into(), ..extra };
        prop_assume!(extra.compile().is_ok());
        let check = Check::new(action, "a");
        let before = outcome(&sources, &check);
        let mut more = sources;
        more.push(extra);
        let after = outcome(&more, &check);
        prop_assert!(after == before || after == Outcome::Deny, "{:?} became {:?}", before, after);
    }

    #[test]
    fn undefined_means_that_nothing_matched(
        sources in policies(),
        action in proptest::sample::select(&WORDS[..]),
        resource in proptest::sample::select(&WORDS[..]),
    ) {
        let check = Check::new(action, resource);
        let bare: Vec<_> = sources
            .iter()
            .map(|source| PolicySource { conditions: Vec::new(), ..source.clone() })
            .collect();
        let covers = |texts: &[String], subject: &str| {
            texts.iter().any(|text| pattern::Pattern::parse(text).unwrap().matches(subject))
        };
        let matched = bare
            .iter()
            .any(|source| covers(&source.actions, action) && covers(&source.resources, resource));
        prop_assert_eq!(outcome(&bare, &check) == Outcome::Undefined, !matched);
    }
}
