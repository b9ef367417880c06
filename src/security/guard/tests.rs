use parking_lot::Mutex;
use serde_json::Map;

use super::*;
use crate::security::{Policies, PolicySource, Scope};

fn scope(effect: &str) -> Scope {
    let source = PolicySource {
        id: "app:p".parse().unwrap(),
        actions: vec!["pg.join".to_owned()],
        resources: vec!["*".to_owned()],
        effect: effect.to_owned(),
        conditions: Vec::new(),
        groups: Vec::new(),
    };
    let policies = Policies::new([source.compile().unwrap().policy]).unwrap();
    policies.scope([], ["app:p".parse().unwrap()]).unwrap()
}

fn actor() -> Actor {
    Actor::new("u1", Map::new())
}

#[test]
fn every_row_of_the_decision_table() {
    use Decision::*;
    let empty = Policies::new([]).unwrap().empty_scope();
    let rows = [
        (Context::new(actor(), scope("allow")), "pg.join", Allowed, Allowed),
        (Context::new(actor(), scope("deny")), "pg.join", Denied, Denied),
        (Context::new(actor(), scope("allow")), "pg.open", Denied, Denied),
        (Context::new(actor(), empty), "pg.join", Denied, Denied),
        (Context::NONE.with_actor(actor()), "pg.join", Allowed, Denied),
        (Context::NONE.with_scope(scope("deny")), "pg.join", Allowed, Denied),
        (Context::NONE, "pg.join", Allowed, Denied),
    ];
    for (context, action, permissive, strict) in rows {
        let check = Check::new(action, "room");
        for (mode, expected) in [(Mode::Permissive, permissive), (Mode::Strict, strict)] {
            let guard = Guard::new(mode);
            assert_eq!(guard.decide(&context, &check), expected, "{context:?} {mode:?} {action}");
            let call = guard.require(&context, &check);
            assert_eq!(call.is_ok(), expected.is_allowed(), "can predicts the guarded call");
        }
    }
}

#[test]
fn denials_are_observed_and_name_action_and_resource() {
    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);
    impl DenialObserver for Seen {
        fn denied(&self, denial: &Denial<'_>) {
            let actor = denial.actor.map_or("nobody", Actor::id);
            self.0.lock().push(format!("{actor} {} {}", denial.action, denial.resource));
        }
    }
    let seen = Arc::new(Seen::default());
    let guard = Guard::new(Mode::Strict).observed_by(seen.clone());
    let context = Context::new(actor(), scope("allow"));
    let error = guard.require(&context, &Check::new("pg.leave", "room")).unwrap_err();
    assert_eq!(error.to_string(), "not allowed: pg.leave on \"room\"");
    assert!(guard.require(&Context::NONE, &Check::new("pg.events", "")).is_err());
    assert!(guard.require(&context, &Check::new("pg.join", "room")).is_ok());
    assert_eq!(guard.decide(&context, &Check::new("pg.leave", "asked")), Decision::Denied);
    assert_eq!(*seen.0.lock(), ["u1 pg.leave room", "nobody pg.events "]);
}

#[test]
fn a_context_is_inherited_and_overridden_in_parts() {
    let parent = Context::new(actor(), scope("deny"));
    let child = parent.clone().with_actor(Actor::new("u2", Map::new()));
    assert_eq!(parent.actor().map(Actor::id), Some("u1"));
    assert_eq!(child.actor().map(Actor::id), Some("u2"));
    let check = Check::new("pg.join", "room");
    assert_eq!(Guard::new(Mode::Permissive).decide(&child, &check), Decision::Denied);
}
