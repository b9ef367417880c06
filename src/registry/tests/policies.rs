use serde_json::json;

use super::{app, codes, entry, loaded, problems};
use crate::document::Severity;
use crate::registry::Definition;
use crate::registry::kind::{ConditionField, Effect, Operand, Operator, SecurityPolicy};

fn policy(policy: &str) -> SecurityPolicy {
    let text = app(&format!("  - {{name: p, kind: security.policy, policy: {{{policy}}}}}\n"));
    let registry = loaded(&text);
    match entry(&registry, "app:p").definition() {
        Definition::SecurityPolicy(policy) => policy.clone(),
        other => panic!("{other:?}"),
    }
}

/// The only problem of a policy, without the place.
fn problem(policy: &str) -> String {
    let faults =
        problems(&app(&format!("  - {{name: p, kind: security.policy, policy: {{{policy}}}}}\n")));
    assert_eq!(faults.len(), 1, "{policy}: {faults:?}");
    faults[0].split_once("app:p: ").unwrap().1.to_owned()
}

fn condition_problem(condition: &str) -> String {
    problem(&format!("actions: a, resources: b, effect: allow, conditions: [{{{condition}}}]"))
}

#[test]
fn policies_are_read() {
    let text = app("
  - name: p
    kind: security.policy
    policy:
      actions: [pg.join, pg.*, no, 0123]
      resources: 'room-*'
      effect: deny
      conditions:
        - {field: actor.meta.tier.x, operator: in, value: [a, no]}
        - {field: meta.scope, operator: eq, value_from: actor.id}
        - {field: action, operator: exists}
        - {field: resource, operator: matches, value: '^a+$'}
        - {field: meta.n, operator: gte, value: 3}
    groups: [users, 'other:x', users]
");
    let registry = loaded(&text);
    let Definition::SecurityPolicy(policy) = entry(&registry, "app:p").definition() else {
        panic!()
    };
    let actions: Vec<&str> = policy.actions.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(actions, ["pg.join", "pg.*", "no", "0123"]);
    assert_eq!((policy.resources[0].text.as_str(), policy.effect), ("room-*", Effect::Deny));
    let groups: Vec<&str> = policy.groups.iter().map(|id| id.as_str()).collect();
    assert_eq!(groups, ["app:users", "other:x"]);
    let [tier, scope, exists, matches, number] = policy.conditions.as_slice() else { panic!() };
    assert_eq!(tier.field, ConditionField::ActorMeta(vec!["tier".into(), "x".into()]));
    assert_eq!((tier.operator, &tier.operand), (Operator::In, &Operand::Value(json!(["a", "no"]))));
    assert_eq!(scope.operand, Operand::Field(ConditionField::ActorId));
    assert_eq!(exists.operand, Operand::Value(json!(true)));
    assert_eq!((&matches.field, number.operator), (&ConditionField::Resource, Operator::Gte));
    assert_eq!(number.place.line(), 15);
    assert_eq!(registry.policies_in(&"other:x".parse().unwrap()).count(), 1);
}

#[test]
fn rules_that_cannot_mean_anything_are_refused() {
    for (fields, message) in [
        ("actions: a, resources: b", "policy.effect: the field `effect` is missing"),
        ("actions: a, effect: allow", "policy.resources: the field `resources` is missing"),
        ("resources: a, effect: allow", "policy.actions: the field `actions` is missing"),
        (
            "actions: a, resources: b, effect: Allow",
            "policy.effect: `Allow` is not one of allow, deny",
        ),
        ("actions: [], resources: b, effect: allow", "policy.actions: the list is empty"),
        ("actions: [''], resources: b, effect: allow", "policy.actions[0]: the text is blank"),
        ("actions: '', resources: b, effect: allow", "policy.actions: the text is blank"),
        (
            "actions: [[a]], resources: b, effect: allow",
            "policy.actions[0]: expected a text, found a list",
        ),
        (
            "actions: [~], resources: b, effect: allow",
            "policy.actions[0]: expected a text, found nothing",
        ),
        (
            "actions: ['*.read'], resources: b, effect: allow",
            "policy.actions[0]: the pattern `*.read` has a `*` before its end",
        ),
        (
            "actions: a*b, resources: b, effect: allow",
            "policy.actions: the pattern `a*b` has a `*` before its end",
        ),
        (
            "actions: a, resources: '**', effect: allow",
            "policy.resources: the pattern `**` has a `*` before its end",
        ),
        (
            "actions: a, resources: b, effect: allow, efect: deny",
            "policy.efect: unknown field `efect`",
        ),
        (
            "action: a, actions: a, resources: b, effect: allow",
            "policy.action: unknown field `action`",
        ),
        (
            "actions: a, resources: b, effect: allow, conditions: {}",
            "policy.conditions: expected a list, found a map",
        ),
        (
            "actions: a, resources: b, effect: allow, conditions:",
            "policy.conditions: expected a list, found nothing",
        ),
    ] {
        assert_eq!(problem(fields), message);
    }
    assert_eq!(codes(&app("  - {name: p, kind: security.policy}\n")), ["missing-field"]);
    assert_eq!(codes(&app("  - {name: p, kind: security.policy, policy: ~}\n")), ["wrong-type"]);
    assert_eq!(
        codes(&app(
            "  - {name: p, kind: security.policy, actions: a, policy: {actions: a, resources: b, effect: deny}}\n"
        )),
        ["unknown-field"]
    );
    assert_eq!(
        codes(&app(
            "  - {name: p, kind: security.policy, groups: [a b], policy: {actions: a, resources: b, effect: deny}}\n"
        )),
        ["bad-id"]
    );
    assert_eq!(
        codes(&app("  - {name: p, kind: security.policy.expr, expression: x}\n")),
        ["unknown-kind"]
    );
}

#[test]
fn conditions_that_cannot_hold_are_refused() {
    for (condition, message) in [
        ("operator: eq, value: 1", "policy.conditions[0].field: the field `field` is missing"),
        (
            "field: action, value: 1",
            "policy.conditions[0].operator: the field `operator` is missing",
        ),
        (
            "field: action, operator: eq",
            "policy.conditions[0]: the field `value` is missing (or `value_from`)",
        ),
        (
            "field: action, operator: equals, value: 1",
            "policy.conditions[0].operator: `equals` is not one of eq, ne, lt, gt, lte, gte, in, nin, contains, ncontains, matches, nmatches, exists, nexists",
        ),
        (
            "field: action, operator: eq, value: 1, value_from: resource",
            "policy.conditions[0].value_from: give either `value` or `value_from`, not both",
        ),
        (
            "field: actor, operator: exists",
            "policy.conditions[0].field: `actor` is nothing that a condition can look at",
        ),
        (
            "field: meta, operator: exists",
            "policy.conditions[0].field: `meta` is nothing that a condition can look at",
        ),
        (
            "field: actor.foo, operator: exists",
            "policy.conditions[0].field: `actor.foo` is nothing that a condition can look at",
        ),
        (
            "field: meta., operator: exists",
            "policy.conditions[0].field: `meta.` is nothing that a condition can look at",
        ),
        (
            "field: actor.meta.a..b, operator: exists",
            "policy.conditions[0].field: `actor.meta.a..b` is nothing that a condition can look at",
        ),
        (
            "field: tenant, operator: exists",
            "policy.conditions[0].field: `tenant` is nothing that a condition can look at",
        ),
        (
            "field: action, operator: exists, value: 1",
            "policy.conditions[0].value: expected true or false",
        ),
        (
            "field: action, operator: lt, value: many",
            "policy.conditions[0].value: expected a number",
        ),
        (
            "field: action, operator: in, value: 3",
            "policy.conditions[0].value: expected a list or a text",
        ),
        (
            "field: action, operator: matches, value: 3",
            "policy.conditions[0].value: expected a regular expression",
        ),
        (
            "field: action, operator: matches, value: '(a'",
            "policy.conditions[0].value: not a regular expression: unclosed group",
        ),
        (
            "field: action, operator: matches, value: '(?=a)'",
            "policy.conditions[0].value: not a regular expression: look-around, including look-ahead and look-behind, is not supported",
        ),
        (
            "field: action, operator: matches, value_from: resource",
            "policy.conditions[0].value_from: `value_from` cannot be used with this operator: use `value`",
        ),
        (
            "field: action, operator: exists, value_from: resource",
            "policy.conditions[0].value_from: `value_from` cannot be used with this operator: use `value`",
        ),
        (
            "field: action, operator: eq, value_from: nothing",
            "policy.conditions[0].value_from: `nothing` is nothing that a condition can look at",
        ),
        (
            "field: action, operator: eq, value: ~",
            "policy.conditions[0].value: no field is equal to nothing: use `exists` or `nexists`",
        ),
        (
            "field: action, operator: eq, value: 1, extra: 2",
            "policy.conditions[0].extra: unknown field `extra`",
        ),
    ] {
        assert_eq!(condition_problem(condition), message);
    }
    let huge = "field: action, operator: matches, value: '(((a{100}){100}){100}){100}'";
    assert!(
        condition_problem(huge).contains("not a regular expression"),
        "{}",
        condition_problem(huge)
    );
    assert!(
        condition_problem("field: action, operator: eq, value: 0123")
            .contains("may be a number or a name")
    );
    assert_eq!(policy("actions: a, resources: b, effect: allow, conditions: [{field: action, operator: lt, value: '3.5'}]").conditions.len(), 1);
}

#[test]
fn a_deny_of_a_family_is_pointed_out() {
    let text = app(
        "  - {name: p, kind: security.policy, policy: {actions: [process.*, pg.join], resources: '*', effect: deny}}\n",
    );
    let registry = loaded(&text);
    let warnings = registry.warnings();
    assert_eq!(warnings.count(Severity::Warning), 1);
    assert_eq!(
        warnings.diagnostics()[0].headline(),
        "a.yaml:3:57: warning: app:p: policy.actions[0]: this denies `process` and what begins with `process.`, but nothing else that begins with `process`"
    );
    assert!(loaded(&text.replace("deny", "allow")).warnings().is_empty());
}
