use super::{app, codes, entry, load_with, loaded, options, problems};
use crate::document::Style;
use crate::registry::Registry;

/// Some entries for others to refer to.
const BASE: &str = "
  - {name: processes, kind: process.host}
  - {name: worker, kind: process.lua, source: return 1}
  - {name: fn, kind: function.lua, source: return 1, method: run}
  - {name: lib, kind: library.lua, source: return 1}
  - {name: pg, kind: pg.scope}
  - name: users
    kind: security.policy
    policy: {actions: '*', resources: '*', effect: allow}
    groups: [members, 'other:group']
";

fn with(entry: &str) -> String {
    app(&format!("{BASE}  - {{name: x, {entry}}}\n"))
}

/// The only problem, without the place.
fn problem(entry: &str) -> String {
    let faults = problems(&with(entry));
    assert_eq!(faults.len(), 1, "{entry}: {faults:?}");
    faults[0].split_once("app:x: ").unwrap().1.to_owned()
}

fn rendered(entry: &str) -> String {
    load_with(&with(entry), &options()).unwrap_err().render(Style::Plain)
}

#[test]
fn bare_names_are_of_the_own_namespace() {
    let registry = loaded(&with(
        "kind: process.service, process: worker, host: processes, lifecycle: {requires: [pg, 'app:pg'], depends_on: [pg, processes], \
         security: {actor: {id: me, meta: {a: 1}}, groups: [members, 'other:group'], policies: [users]}}",
    ));
    let service = entry(&registry, "app:x");
    let ids = |wanted: &str| -> Vec<String> {
        let fits = |r: &&crate::registry::kind::Reference| r.field.starts_with(wanted);
        service.references().iter().filter(fits).map(|r| r.target.to_string()).collect()
    };
    assert_eq!(
        (ids("process"), ids("host")),
        (vec!["app:worker".to_owned()], vec!["app:processes".to_owned()])
    );
    assert_eq!(ids("lifecycle.security.groups"), ["app:members", "other:group"]);
    let lifecycle = service.definition().lifecycle().unwrap();
    let requires: Vec<&str> = lifecycle.requires.iter().map(|id| id.as_str()).collect();
    assert_eq!(requires, ["app:pg", "app:processes"]);
    let security = lifecycle.security.as_ref().unwrap();
    assert_eq!((security.actor_id.as_str(), security.actor_meta["a"].as_i64()), ("me", Some(1)));
}

#[test]
fn references_lead_to_entries_of_the_right_kind() {
    for (entry, message) in [
        (
            "kind: process.service, process: workr, host: processes",
            "process: no entry \"app:workr\"",
        ),
        (
            "kind: process.service, process: fn, host: processes",
            "process: \"app:fn\" is a function.lua, expected process.lua",
        ),
        (
            "kind: process.service, process: worker, host: 'app:procs'",
            "host: no entry \"app:procs\"",
        ),
        (
            "kind: process.service, process: worker, host: worker",
            "host: \"app:worker\" is a process.lua, expected process.host",
        ),
        (
            "kind: process.service, process: worker, host: 'node:control'",
            "host: `node:control` belongs to the node itself: name a process.host",
        ),
        (
            "kind: pg.scope, lifecycle: {requires: [none]}",
            "lifecycle.requires[0]: no entry \"app:none\"",
        ),
        (
            "kind: pg.scope, lifecycle: {depends_on: ['a b']}",
            "lifecycle.depends_on[0]: \"app:a b\" is not an entry id: ' ' is not allowed, use letters, digits, '_', '.' and '-'",
        ),
        (
            "kind: process.lua, source: x, imports: {p: 'app:none'}",
            "imports.p: no entry \"app:none\"",
        ),
        (
            "kind: process.lua, source: x, imports: {p: 'app:pg'}",
            "imports.p: \"app:pg\" is a pg.scope, expected library.lua, function.lua or process.lua",
        ),
        (
            "kind: pg.scope, lifecycle: {security: {actor: {id: a}, policies: [none]}}",
            "lifecycle.security.policies[0]: no entry \"app:none\"",
        ),
        (
            "kind: pg.scope, lifecycle: {security: {actor: {id: a}, policies: [pg]}}",
            "lifecycle.security.policies[0]: \"app:pg\" is a pg.scope, expected security.policy",
        ),
        (
            "kind: pg.scope, lifecycle: {security: {actor: {id: a}, groups: [none]}}",
            "lifecycle.security.groups[0]: no policy is in the group \"app:none\"",
        ),
        (
            "kind: process.lua, source: x, meta: {default_host: none}",
            "meta.default_host: no entry \"app:none\"",
        ),
        (
            "kind: process.lua, source: x, meta: {options: {default_host: pg}}",
            "meta.options.default_host: \"app:pg\" is a pg.scope, expected process.host",
        ),
        (
            "kind: env.variable, storage: pg",
            "storage: \"app:pg\" is a pg.scope, expected one of the env.storage kinds",
        ),
    ] {
        assert_eq!(problem(entry), message, "{entry}");
    }
}

#[test]
fn what_was_meant_is_suggested() {
    let text = rendered("kind: process.service, process: workr, host: 'ap:processes'");
    assert!(text.contains("did you mean `app:worker`?"), "{text}");
    assert!(text.contains("did you mean `app:processes`?"), "{text}");
    let text = rendered("kind: process.service, process: worker, host: zzz");
    assert!(text.contains("what fits here: app:processes"), "{text}");
    let text =
        rendered("kind: pg.scope, lifecycle: {security: {actor: {id: a}, groups: [member]}}");
    assert!(text.contains("did you mean `app:members`?"), "{text}");
    let text = rendered("kind: env.variable, storage: none");
    assert!(text.contains("there is no one of the env.storage kinds at all"), "{text}");
    let text = rendered("kind: process.lua, source: x, imports: {json: json}");
    assert!(text.contains("`json` is a built-in: list it in `modules`"), "{text}");
    let text = rendered("kind: process.lua, source: x, modules: [tme, 'app:lib']");
    assert!(
        text.contains("did you mean `time`?") && text.contains("belong in `imports`"),
        "{text}"
    );
}

#[test]
fn circles_are_printed() {
    let import = |name: &str, to: &str| {
        format!("  - {{name: {name}, kind: library.lua, source: x, imports: {{o: 'app:{to}'}}}}\n")
    };
    let text = app(&format!("{}{}{}", import("a", "b"), import("b", "c"), import("c", "a")));
    assert_eq!(
        problems(&text),
        ["5:58: app:c: imports.o: a circle: app:a imports app:b imports app:c imports app:a"]
    );
    assert_eq!(codes(&app(&import("a", "a"))), ["import-cycle"]);
    let scope = |name: &str, to: &str| {
        format!("  - {{name: {name}, kind: pg.scope, lifecycle: {{requires: [{to}]}}}}\n")
    };
    let text = app(&format!("{}{}", scope("a", "b"), scope("b", "a")));
    assert_eq!(
        problems(&text),
        ["4:54: app:b: lifecycle.requires[0]: a circle: app:a requires app:b requires app:a"]
    );
    let host = "  - {name: h, kind: process.host, lifecycle: {requires: [s]}}\n";
    let service = "  - {name: s, kind: process.service, process: p, host: h}\n  - {name: p, kind: process.lua, source: x}\n";
    assert_eq!(codes(&app(&format!("{host}{service}"))), ["requires-cycle"]);
}

#[test]
fn an_unreadable_file_causes_no_further_reports() {
    let broken = crate::document::Source::new(
        "b.yaml",
        "namespace: app\nentries:\n  - {name: gone, kind: [\n",
        crate::document::Medium::File,
    );
    let good = crate::document::Source::new(
        "a.yaml",
        app("  - {name: s, kind: process.service, process: gone, host: missing}\n"),
        crate::document::Medium::File,
    );
    let report = Registry::from_sources(&[good, broken], &options()).unwrap_err();
    let codes: Vec<&str> = report.diagnostics().iter().map(|d| d.code).collect();
    assert_eq!(codes, ["missing-reference", "yaml-syntax"], "{report}");
}

#[test]
fn a_fault_in_an_entry_does_not_make_it_missing() {
    let text = with("kind: process.service, process: bad, host: processes")
        .replace("entries:\n", "entries:\n  - {name: bad, kind: process.lua}\n");
    assert_eq!(problems(&text), ["3:5: app:bad: source: the field `source` is missing"]);
    let text = text.replace("kind: process.lua}", "kind: process.luaa}");
    assert_eq!(codes(&text), ["unknown-kind"]);
    let text = text.replace(", kind: process.luaa}", "}");
    assert_eq!(codes(&text), ["missing-field"]);
    let policy = "  - {name: p, kind: security.policy, groups: [g], policy: {}}\n";
    let scope = "  - {name: s, kind: pg.scope, lifecycle: {security: {actor: {id: a}, groups: [g], policies: [p]}}}\n";
    assert_eq!(codes(&app(&format!("{policy}{scope}"))), ["missing-field"; 3]);
}

#[test]
fn a_flood_of_missing_entries_takes_no_time() {
    let entry = |n: usize| {
        format!("  - {{name: n{n}, kind: pg.scope, lifecycle: {{requires: [zz{n}]}}}}\n")
    };
    let text = app(&(0..5_000).map(entry).collect::<String>());
    let start = std::time::Instant::now();
    let report = load_with(&text, &options()).unwrap_err();
    assert_eq!(report.count(crate::document::Severity::Error), 5_000);
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn command_names_are_unique() {
    let command = |name: &str, command: &str| {
        format!(
            "  - {{name: {name}, kind: process.lua, source: x, meta: {{command: {{name: {command}, short: does it, main: true}}}}}}\n"
        )
    };
    let registry = loaded(&app(&format!("{}{}", command("a", "go"), command("b", "stop"))));
    let found = entry(&registry, "app:a").command().unwrap();
    assert_eq!(
        (found.name.as_str(), found.short.as_str(), found.is_main, found.use_case.as_str()),
        ("go", "does it", true, "run")
    );
    let faults = problems(&app(&format!("{}{}", command("a", "go"), command("b", "go"))));
    assert_eq!(faults, ["4:5: app:b: meta.command.name: the command `go` is that of `app:a` too"]);
}
