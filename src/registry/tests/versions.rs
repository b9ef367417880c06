use std::collections::BTreeSet;

use super::{app, directory, entry, loaded, options, overriding, write};
use crate::registry::{Changes, Definition, LoadOptions, Registry};

#[test]
fn changes_reach_importers() {
    let library = |name: &str, source: &str, import: &str| {
        format!("  - {{name: {name}, kind: library.lua, source: {source}{import}}}\n")
    };
    let text = |source: &str, extra: &str| {
        app(&format!(
            "{}{}{}{}{extra}",
            library("a", source, ""),
            library("b", "x", ", imports: {a: 'app:a'}"),
            library("c", "x", ", imports: {b: 'app:b'}"),
            library("d", "x", ""),
        ))
    };
    let old = loaded(&text("one", "  - {name: old, kind: pg.scope}\n"));
    let new = loaded(&text("two", "  - {name: new, kind: pg.scope}\n"));
    let changes = Changes::between(&old, &new);
    let names = |ids: &BTreeSet<crate::id::EntryId>| -> Vec<String> {
        ids.iter().map(|id| id.name().to_owned()).collect()
    };
    assert_eq!(
        (names(&changes.added), names(&changes.removed)),
        (vec!["new".to_owned()], vec!["old".to_owned()])
    );
    assert_eq!(
        (names(&changes.changed), names(&changes.affected)),
        (vec!["a".to_owned()], vec!["b".to_owned(), "c".to_owned()])
    );
    let moved = loaded(&format!("# moved\n{}", text("one", "  - {name: old, kind: pg.scope}\n")));
    assert!(Changes::between(&old, &moved).is_empty());
}

#[test]
fn a_bad_file_at_reload_leaves_the_old_version() {
    let root =
        directory(&[("a.yaml", "namespace: app\nname: pg\nkind: pg.scope\nmax_groups: 1\n")]);
    let first = Registry::load(root.path(), &options()).unwrap();
    write(root.path(), "a.yaml", "namespace: app\nname: pg\nkind: pg.scope\nmax_groups: many\n");
    assert!(first.reload(&options()).is_err());
    assert_eq!(first.version(), 1);
    write(root.path(), "a.yaml", "namespace: app\nname: pg\nkind: pg.scope\nmax_groups: 2\n");
    let second = first.reload(&options()).unwrap();
    assert_eq!((second.version(), second.root()), (2, Some(root.path())));
    assert_eq!(Changes::between(&first, &second).changed.len(), 1);
    assert_eq!(entry(&first, "app:pg").data()["max_groups"], 1);
}

#[test]
fn services_start_after_what_they_need() {
    let registry = loaded(&app("
  - {name: h, kind: process.host}
  - {name: p, kind: process.lua, source: x}
  - {name: pg, kind: pg.scope}
  - {name: idle, kind: pg.scope}
  - {name: s, kind: process.service, process: p, host: h, lifecycle: {auto_start: true, requires: [pg, p]}}
  - {name: t, kind: process.service, process: p, host: h, lifecycle: {auto_start: true, requires: [s]}}
"));
    let order: Vec<Vec<&str>> = vec![vec!["app:h", "app:pg"], vec!["app:s"], vec!["app:t"]];
    assert_eq!(
        registry
            .start_order()
            .iter()
            .map(|step| step.iter().map(|id| id.as_str()).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
        order
    );
    let dependencies = registry.dependencies(&"app:s".parse().unwrap());
    assert_eq!(dependencies.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["app:h", "app:pg"]);
    assert_eq!(entry(&registry, "app:s").default_host().unwrap().as_str(), "app:h");
}

#[test]
fn entries_are_found_by_name() {
    let text = "namespace: a\nentries: [{name: x, kind: pg.scope}, {name: y, kind: pg.scope}]\n";
    let registry = Registry::from_sources(
        &[
            crate::document::Source::new("a", text, crate::document::Medium::File),
            crate::document::Source::new(
                "b",
                text.replace("namespace: a", "namespace: b"),
                crate::document::Medium::File,
            ),
        ],
        &options(),
    )
    .unwrap();
    let ids = |text: &str| -> Vec<String> {
        registry.named(text).iter().map(|entry| entry.id().to_string()).collect()
    };
    assert_eq!(ids("x"), ["a:x", "b:x"]);
    assert_eq!(ids("b:y"), ["b:y"]);
    assert_eq!(ids("z"), Vec::<String>::new());
    assert_eq!((registry.len(), registry.of_kind(crate::registry::Kind::PgScope).count()), (4, 4));
}

#[test]
fn scripts_run_without_a_registry() {
    let registry = Registry::built_in(&LoadOptions::default()).unwrap();
    assert_eq!(registry.start_order().concat().len(), 2);
    let root = directory(&[("chat.lua", "return 1"), ("pg.lua", "return 2"), ("my chat.lua", "")]);
    let (registry, id) = Registry::of_script(&root.path().join("chat.lua"), &options()).unwrap();
    assert_eq!(id.as_str(), "app:chat");
    let Definition::ProcessLua(process) = entry(&registry, "app:chat").definition() else {
        panic!()
    };
    assert_eq!(
        (&*process.code.text, process.code.modules.len()),
        ("return 1", options().modules.len())
    );
    assert!(process.code.place.file().ends_with("chat.lua"));
    let (_, id) = Registry::of_script(&root.path().join("pg.lua"), &options()).unwrap();
    assert_eq!(id.as_str(), "app:main");
    let options = overriding(&["app:pg:max_groups=3"]);
    let (registry, _) = Registry::of_script(&root.path().join("chat.lua"), &options).unwrap();
    assert_eq!(entry(&registry, "app:pg").data()["max_groups"], 3);
    assert!(Registry::of_script(&root.path().join("none.lua"), &options).is_err());
}
