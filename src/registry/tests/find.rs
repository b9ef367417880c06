use serde_json::{Value as Json, json};

use super::{app, loaded};
use crate::registry::{Filter, FilterError, Glob, MetaCondition, Registry};

fn registry() -> Registry {
    loaded(&app("
  - {name: pg, kind: pg.scope, meta: {enabled: true, level: 3, ratio: 1.5, title: Main scope}}
  - {name: worker, kind: process.lua, source: x, meta: {tags: [web, chat], a: {b: deep}, path: a*b}}
  - {name: work-2, kind: function.lua, source: x, method: run, meta: {dotted.key: yes}}
"))
}

fn found(filter: &Filter) -> Vec<String> {
    registry().find(filter).map(|entry| entry.id().name().to_owned()).collect()
}

fn by_meta(condition: &str) -> Vec<String> {
    found(&Filter { meta: vec![MetaCondition::parse(condition).unwrap()], ..Filter::default() })
}

#[test]
fn globs_select_by_kind_name_and_id() {
    let glob = |text: &str| Some(Glob::new(text));
    assert_eq!(found(&Filter::default()), ["pg", "work-2", "worker"]);
    assert_eq!(found(&Filter { kind: glob("*.lua"), ..Filter::default() }), ["work-2", "worker"]);
    assert_eq!(
        found(&Filter { kind: glob("*.lua"), name: glob("work*r"), ..Filter::default() }),
        ["worker"]
    );
    assert_eq!(found(&Filter { namespace: glob("app*"), ..Filter::default() }).len(), 3);
    assert_eq!(
        found(&Filter { namespace: glob("app.*"), ..Filter::default() }),
        Vec::<String>::new()
    );
    assert_eq!(found(&Filter { id: glob("app:p*"), ..Filter::default() }), ["pg"]);
}

#[test]
fn metadata_is_compared_by_its_text() {
    for (condition, names) in [
        ("enabled=true", vec!["pg"]),
        ("enabled=false", vec![]),
        ("level=3", vec!["pg"]),
        ("ratio=1.5", vec!["pg"]),
        ("title=Main scope", vec!["pg"]),
        ("title~^M.*e$", vec!["pg"]),
        ("title*n s", vec!["pg"]),
        ("title^Main", vec!["pg"]),
        ("title$scope", vec!["pg"]),
        ("title$Main", vec![]),
        ("tags=web", vec!["worker"]),
        ("tags^ch", vec!["worker"]),
        ("a.b=deep", vec!["worker"]),
        ("a=deep", vec![]),
        ("path=a*b", vec!["worker"]),
        ("dotted.key=yes", vec!["work-2"]),
        ("none=", vec![]),
    ] {
        assert_eq!(by_meta(condition), names, "{condition}");
    }
    for bad in ["", "x", "=1", "~a"] {
        assert_eq!(MetaCondition::parse(bad).unwrap_err(), FilterError::Shape(bad.to_owned()));
    }
    assert!(matches!(MetaCondition::parse("a~("), Err(FilterError::Regex { .. })));
}

#[test]
fn scripts_filter_with_a_table() {
    let with = |filter: Json| -> Result<Vec<String>, FilterError> {
        let pairs = filter.as_object().unwrap();
        let filter = Filter::from_pairs(pairs.iter().map(|(key, value)| (key.as_str(), value)))?;
        Ok(found(&filter))
    };
    assert_eq!(with(json!({".kind": "process.*"})).unwrap(), ["worker"]);
    assert_eq!(
        with(json!({".ns": "app", ".name": "*w*", "meta.tags": "chat"})).unwrap(),
        ["worker"]
    );
    assert_eq!(with(json!({"enabled": true, "level": 3})).unwrap(), ["pg"]);
    assert_eq!(with(json!({"~meta.title": "^Main"})).unwrap(), ["pg"]);
    assert_eq!(with(json!({".id": "app:pg"})).unwrap(), ["pg"]);
    assert_eq!(with(json!({".knd": "x"})), Err(FilterError::UnknownKey(".knd".to_owned())));
    assert!(with(json!({"a": [1]})).is_err());
}
