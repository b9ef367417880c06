use super::*;
use crate::security::{PoliciesError, PolicySource};

fn id(text: &str) -> EntryId {
    text.parse().unwrap()
}

fn policy(name: &str, effect: &str, action: &str, groups: &[&str]) -> Policy {
    let source = PolicySource {
        id: id(name),
        actions: vec![action.to_owned()],
        resources: vec!["*".to_owned()],
        effect: effect.to_owned(),
        conditions: Vec::new(),
        groups: groups.iter().map(|group| id(group)).collect(),
    };
    source.compile().unwrap().policy
}

fn store() -> Policies {
    Policies::new([
        policy("app:join", "allow", "pg.join", &["app:users"]),
        policy("app:all", "allow", "*", &[]),
        policy("app:no-leave", "deny", "pg.leave", &["app:users", "app:locked"]),
    ])
    .unwrap()
}

fn says(scope: &Scope, action: &str) -> Outcome {
    scope.evaluate(None, &Check::new(action, "r"))
}

fn ids(scope: &Scope) -> Vec<String> {
    scope.policies().iter().map(|policy| policy.id().to_string()).collect()
}

#[test]
fn deny_overrides_allow_and_silence_is_undefined() {
    let store = store();
    let users = store.scope([id("app:users")], []).unwrap();
    assert_eq!(says(&users, "pg.join"), Outcome::Allow);
    assert_eq!(says(&users, "pg.leave"), Outcome::Deny);
    assert_eq!(says(&users, "pg.open"), Outcome::Undefined);
    let mixed = store.scope([], [id("app:all"), id("app:no-leave")]).unwrap();
    assert_eq!(says(&mixed, "pg.leave"), Outcome::Deny);
    assert_eq!(says(&mixed, "pg.open"), Outcome::Allow);
    assert_eq!(says(&store.empty_scope(), "pg.open"), Outcome::Undefined);
}

#[test]
fn a_scope_is_immutable() {
    let store = store();
    let users = store.scope([id("app:users")], []).unwrap();
    let more = users.with(&id("app:all"));
    let less = users.without(&id("app:no-leave"));
    assert_eq!(ids(&users), ["app:join", "app:no-leave"]);
    assert_eq!(ids(&more), ["app:all", "app:join", "app:no-leave"]);
    assert_eq!(ids(&less), ["app:join"]);
    assert_eq!(says(&less, "pg.leave"), Outcome::Undefined);
    assert!(!less.contains(&id("app:no-leave")) && users.contains(&id("app:no-leave")));
    assert_eq!(ids(&less.with(&id("app:no-leave"))), ids(&users), "a removal can be undone");
    assert_eq!(ids(&more.with(&id("app:all"))), ids(&more), "a set holds a policy once");
    assert_eq!(ids(&more.without(&id("app:all"))), ids(&users));
}

#[test]
fn references_must_resolve_when_the_scope_is_made() {
    let store = store();
    assert_eq!(
        store.scope([id("app:nobody")], []).unwrap_err(),
        PoliciesError::UnknownGroup(id("app:nobody"))
    );
    assert_eq!(
        store.scope([], [id("app:none")]).unwrap_err(),
        PoliciesError::UnknownPolicy(id("app:none"))
    );
    let twice = [policy("a:p", "allow", "*", &[]), policy("a:p", "deny", "*", &[])];
    assert_eq!(Policies::new(twice).unwrap_err(), PoliciesError::Duplicate(id("a:p")));
}

#[test]
fn a_scope_follows_the_policies_in_force() {
    let store = store();
    let users = store.scope([id("app:users")], [id("app:all")]).unwrap();
    let inherited = users.clone();
    assert_eq!(says(&inherited, "pg.open"), Outcome::Allow);
    store.replace([policy("app:new", "deny", "pg.join", &["app:users"])]).unwrap();
    for scope in [&users, &inherited] {
        assert_eq!(says(scope, "pg.join"), Outcome::Deny, "a policy that joined the group");
        assert_eq!(says(scope, "pg.open"), Outcome::Undefined, "a policy that is gone");
        assert_eq!(ids(scope), ["app:new"]);
    }
    let twice = [policy("a:p", "allow", "*", &[]), policy("a:p", "deny", "*", &[])];
    assert!(store.replace(twice).is_err());
    assert_eq!(says(&users, "pg.join"), Outcome::Deny, "a refused exchange changes nothing");
}

#[test]
fn every_check_after_an_exchange_meets_the_new_policies() {
    let open = || [policy("a:p", "allow", "*", &["a:g"])];
    let shut = || [policy("a:p", "deny", "*", &["a:g"])];
    let store = Policies::new(open()).unwrap();
    let scope = store.scope([id("a:g")], []).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        // Other threads resolve the scope at the same time and must never bring an old reading back.
        for _ in 0..2 {
            threads.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    assert_ne!(says(&scope, "x"), Outcome::Undefined);
                }
            });
        }
        for _ in 0..500 {
            store.replace(shut()).unwrap();
            assert_eq!(says(&scope, "x"), Outcome::Deny);
            store.replace(open()).unwrap();
            assert_eq!(says(&scope, "x"), Outcome::Allow);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_panic_is_a_denial() {
    assert_eq!(denied_on_panic(|| panic!("evaluation went wrong")), Outcome::Deny);
    assert_eq!(denied_on_panic(|| Outcome::Allow), Outcome::Allow);
}
