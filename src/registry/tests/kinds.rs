use super::{app, codes, entry, load_with, loaded, options, problems};
use crate::document::Style;
use crate::registry::Definition;
use crate::registry::kind::{HostLimits, PoolType};

#[test]
fn hosts_have_limits() {
    let host = |fields: &str| {
        let registry = loaded(&app(&format!("  - {{name: h, kind: process.host, {fields}}}\n")));
        match entry(&registry, "app:h").definition() {
            Definition::ProcessHost(host) => host.limits.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(host(""), HostLimits::default());
    assert_eq!(
        host("host: {workers: 0, queue_size: 0, mailbox_bytes: 0, max_processes: 0}"),
        HostLimits::default()
    );
    let limits = host(
        "host: {workers: 2, queue_size: 3, local_queue_size: 4, max_processes: 5, mailbox_messages: 6, mailbox_bytes: 7K, memory_bytes: 64M}",
    );
    assert_eq!(limits.workers.unwrap().get(), 2);
    assert_eq!((limits.queue_size, limits.local_queue_size, limits.max_processes), (3, 4, 5));
    assert_eq!(
        (limits.mailbox_messages, limits.mailbox_bytes, limits.memory_bytes),
        (6, 7 << 10, 64 << 20)
    );
    for bad in [
        "workers: -1",
        "workers: 1025",
        "queue_size: x",
        "mailbox_bytes: 1.5G",
        "max_processes: -1",
        "worker: 1",
    ] {
        assert_eq!(
            problems(&app(&format!("  - {{name: h, kind: process.host, host: {{{bad}}}}}\n")))
                .len(),
            1,
            "{bad}"
        );
    }
    let text = app("  - {name: h, kind: process.host, max_processes: 3}\n");
    let report = load_with(&text, &options()).unwrap_err().render(Style::Plain);
    assert!(report.contains("`max_processes` belongs in `host`"), "{report}");
}

#[test]
fn code_entries_are_read() {
    let text = app("
  - name: lib
    kind: library.lua
    source: return {}
  - name: worker
    kind: process.lua
    source: |
      local pg = require('pg')
      return pg
    modules: [pg, time]
    imports: {lib: app:lib, fn: 'app:fn'}
  - name: fn
    kind: function.lua
    source: return {run = function() end}
    method: run
    pool: {type: lazy, size: 2, workers: 3, buffer: 4, warm_start: true, max_size: 5}
");
    let registry = loaded(&text);
    let Definition::ProcessLua(worker) = entry(&registry, "app:worker").definition() else {
        panic!()
    };
    assert_eq!(
        (worker.method.as_str(), &*worker.code.text),
        ("main", "local pg = require('pg')\nreturn pg\n")
    );
    assert_eq!((worker.code.place.line(), worker.code.place.file().as_ref()), (10, "a.yaml"));
    assert_eq!(worker.code.modules, ["pg", "time"]);
    assert_eq!(worker.code.imports.len(), 2);
    let Definition::FunctionLua(function) = entry(&registry, "app:fn").definition() else {
        panic!()
    };
    assert_eq!(
        (function.method.as_str(), function.pool.pool_type, function.pool.max_size),
        ("run", Some(PoolType::Lazy), Some(5))
    );
    let imports: Vec<&str> =
        entry(&registry, "app:worker").imports().map(|id| id.as_str()).collect();
    assert_eq!(imports, ["app:lib", "app:fn"]);
}

#[test]
fn code_knows_its_lines_in_the_entry_file() {
    for (source, line) in [
        ("|\n      return 1\n", 6),
        ("|\n\n\n      return 1\n", 6),
        ("return 1\n", 5),
        ("'return 1'\n", 5),
        (">-\n      return 1\n", 6),
    ] {
        let registry =
            loaded(&app(&format!("  - name: x\n    kind: library.lua\n    source: {source}")));
        let code = entry(&registry, "app:x").definition().lua_code().unwrap();
        assert_eq!(code.place.line(), line, "{source:?} {:?}", code.text);
    }
}

#[test]
fn code_entries_refuse_what_makes_no_sense() {
    let one = |kind: &str, fields: &str| {
        let faults = problems(&app(&format!("  - {{name: x, kind: {kind}, {fields}}}\n")));
        assert_eq!(faults.len(), 1, "{fields}: {faults:?}");
        faults[0].split_once("app:x: ").unwrap().1.to_owned()
    };
    for (kind, fields, message) in [
        ("process.lua", "", "source: the field `source` is missing"),
        ("process.lua", "source: ''", "source: the text is blank"),
        (
            "process.lua",
            "source: worker.lua",
            "source: `source` is Lua code, not a path: `worker.lua`",
        ),
        ("process.lua", "source: x, method: ''", "method: the text is blank"),
        (
            "process.lua",
            "source: x, lifecycle: {auto_start: true}",
            "lifecycle: unknown field `lifecycle`",
        ),
        ("process.lua", "source: x, modules: pg", "modules: expected a list, found `pg`"),
        ("process.lua", "source: x, modules: [pg, pg]", "modules[1]: `pg` is listed twice"),
        (
            "process.lua",
            "source: x, modules: [pgg]",
            "modules[0]: there is no built-in module `pgg`",
        ),
        ("process.lua", "source: x, modules: ['']", "modules[0]: the text is blank"),
        (
            "process.lua",
            "source: x, modules: ['a:b']",
            "modules[0]: there is no built-in module `a:b`",
        ),
        (
            "process.lua",
            "source: x, imports: {p: pg}",
            "imports.p: `pg` is no full id: write namespace:name",
        ),
        (
            "process.lua",
            "source: x, imports: {p: 'a:b:c'}",
            "imports.p: \"a:b:c\" is not an entry id: ':' is not allowed, use letters, digits, '_', '.' and '-'",
        ),
        ("process.lua", "source: x, imports: [a]", "imports: expected a map, found a list"),
        (
            "process.lua",
            "source: x, modules: [pg], imports: {pg: 'app:x'}",
            "imports.pg: `pg` is listed in `modules` too: `require` could mean both",
        ),
        ("library.lua", "source: x, method: main", "method: unknown field `method`"),
        ("function.lua", "source: x", "method: the field `method` is missing"),
        (
            "function.lua",
            "source: x, method: m, pool: {type: eager}",
            "pool.type: `eager` is not one of lazy, static, inline, adaptive",
        ),
        (
            "function.lua",
            "source: x, method: m, pool: {size: -1}",
            "pool.size: must be at least 0, not -1",
        ),
        ("process.service", "host: 'app:h'", "process: the field `process` is missing"),
    ] {
        let faults = problems(&app(&format!("  - {{name: x, kind: {kind}, {fields}}}\n")));
        let first = faults.iter().find(|fault| fault.ends_with(message));
        assert!(first.is_some(), "{fields}: {faults:?}");
    }
    assert_eq!(
        one("process.lua", "source: x, lifecycle: {restart: {}}"),
        "lifecycle: unknown field `lifecycle`"
    );
    let text = app("  - {name: x, kind: process.lua, source: x, lifecycle: {}}\n");
    let report = load_with(&text, &options()).unwrap_err().render(Style::Plain);
    assert!(report.contains("a `process.service` entry keeps a process of it running"), "{report}");
}

#[test]
fn variables_and_their_storages_are_read() {
    let text = app("
  - {name: mem, kind: env.storage.memory}
  - {name: os, kind: env.storage.os}
  - {name: fixed, kind: env.storage.static, values: {A: 0123, B: no}}
  - {name: file, kind: env.storage.file, file_path: .env, file_mode: 0640}
  - {name: all, kind: env.storage.router, storages: [mem, os, app:fixed]}
  - {name: token, kind: env.variable, variable: TOKEN, storage: all, default: 007}
");
    let registry = loaded(&text);
    let debug = |id: &str| format!("{:?}", entry(&registry, id).definition());
    assert!(
        debug("app:fixed").contains("[(\"A\", \"0123\"), (\"B\", \"no\")]"),
        "{}",
        debug("app:fixed")
    );
    assert!(debug("app:file").contains(&format!("file_mode: {}", 0o640)), "{}", debug("app:file"));
    assert!(debug("app:token").contains("default: Some(\"007\")"), "{}", debug("app:token"));
    assert_eq!(
        codes(&app("  - {name: a, kind: env.storage.router, storages: []}\n")),
        ["invalid-value"]
    );
    assert_eq!(codes(&app("  - {name: a, kind: env.storage.file}\n")), ["missing-field"]);
    assert_eq!(
        codes(&app("  - {name: a, kind: env.storage.file, file_path: x, dir_mode: 999}\n")),
        ["invalid-value"]
    );
    assert_eq!(
        codes(&app(
            "  - {name: m, kind: env.storage.memory}\n  - {name: a, kind: env.variable, variable: a-b, storage: m}\n"
        )),
        ["invalid-value"]
    );
    let twice = app(
        "  - {name: m, kind: env.storage.memory}\n  - {name: a, kind: env.variable, variable: V, storage: m}\n  - {name: b, kind: env.variable, variable: V, storage: m}\n",
    );
    assert_eq!(codes(&twice), ["duplicate-variable"]);
}
