//! `moonmesh check`: problems of entries and of Lua code, their places, filters and exit codes.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::run_in;

const INDEX: &str = "\
namespace: app
entries:
  - name: lib
    kind: library.lua
    source: file://lib.lua
  - name: worker
    kind: process.lua
    source: file://worker.lua
    modules: [pg, time]
    imports: {lib: 'app:lib'}
  - name: inline
    kind: process.lua
    source: |
      local json = require(\"json\")
      return function() end
";

fn application(index: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let registry = folder.path().join("registry");
    fs::create_dir(&registry).unwrap();
    fs::write(registry.join("_index.yaml"), index).unwrap();
    for (name, text) in files {
        fs::write(registry.join(name), text).unwrap();
    }
    folder
}

#[test]
fn our_own_applications_have_no_problem() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [
        "registry",
        "examples/chat",
        "examples/work-pool",
        "examples/presence",
        "src/cli/new/template",
    ] {
        let ended = run_in(root, &["check", folder, "--level", "hint"]).with_code(0);
        assert!(ended.out.ends_with(" entries, no problem found\n"), "{folder}: {}", ended.out);
    }
}

#[test]
fn lua_is_checked_without_running_it() {
    let worker = "local lib = require(\"lib\")\nlocal x = require('jsn')\nrequire(\"pg\")\nreturn { start = x }\n";
    let folder =
        application(INDEX, &[("lib.lua", "return {\n  a = = 1\n}"), ("worker.lua", worker)]);
    let ended = run_in(folder.path(), &["check", "--level", "hint"]).with_code(1);
    assert_eq!(
        ended.out,
        "\
registry/_index.yaml:6:5: hint: app:worker: modules: the module \"time\" is listed and never required [unused-module]
  |
6 |   - name: worker
  |     ^^^^^^^^^^^^

registry/_index.yaml:14:1: app:inline: \"json\" is required, but neither a module nor an import of the entry [unknown-module]
   |
14 |       local json = require(\"json\")
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   = help: add it: modules: [json]

registry/lib.lua:2:1: app:lib: unexpected symbol near '=' [lua-syntax]
  |
2 |   a = = 1
  | ^^^^^^^^^

registry/worker.lua:2:19: app:worker: \"jsn\" is required, but neither a module nor an import of the entry [unknown-module]
  |
2 | local x = require('jsn')
  |                   ^^^^^
  = help: did you mean \"json\"?

registry/worker.lua:4:1: app:worker: method: the code returns a table without the method \"main\" [missing-method]
  |
4 | return { start = x }
  | ^^^^^^^^^^^^^^^^^^^^
  = help: it has start

4 errors, 1 hint
"
    );
}

#[test]
fn filters_choose_what_is_shown_and_all_is_counted() {
    let folder =
        application(INDEX, &[("lib.lua", "return"), ("worker.lua", "require('a') require('b')")]);
    let check = |more: &[&str]| run_in(folder.path(), &[&["check"], more].concat());
    let json = check(&["--json"]).with_code(1).json();
    assert_eq!((&json["error_count"], &json["total_entries"]), (&3.into(), &3.into()));
    let limited = check(&["--json", "--limit", "1"]).with_code(1).json();
    assert_eq!(
        (limited["diagnostics"].as_array().unwrap().len(), &limited["error_count"]),
        (1, &3.into())
    );
    assert!(
        check(&["--limit", "1"]).with_code(1).out.ends_with("the first 1 of 3 errors (--limit)\n")
    );
    let none = check(&["--code", "lua-syntax"]).with_code(0);
    assert_eq!(none.out, "3 entries, no problem found\n");
    check(&["--ns", "other*"]).with_code(0);
    let summary = check(&["--summary", "--level", "hint"]).with_code(1).out;
    let expected =
        "COUNT  SEVERITY  CODE\n3      error     unknown-module\n1      hint      unused-import\n";
    assert!(summary.starts_with(expected), "{summary}");
    check(&["--cache-reset", "--level", "loud"]).with_code(2);
    check(&["--cache-reset"]).with_code(1);
}

#[test]
fn every_problem_of_every_file_is_told_at_once() {
    let folder = application("namespace: app\nentries:\n  - name: a\n    kind: pg.scop\n", &[]);
    let second = "namespace: app\nentries:\n  - {name: b, kind: pg.scope, max_group: 3}\n";
    fs::write(folder.path().join("registry/second.yaml"), second).unwrap();
    let json = run_in(folder.path(), &["check", "--json"]).with_code(1).json();
    let codes: Vec<_> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["unknown-kind", "unknown-field"]);
    assert_eq!(json["diagnostics"][1]["file"], "registry/second.yaml");
}

#[test]
fn where_there_is_no_registry_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run_in(folder.path(), &["check"]).with_code(1);
    assert_eq!(
        ended.err,
        "Error: there is no registry here\n  where: ./registry and the current folder\n  \
         try: name its folder as an argument, or make one: moonmesh new NAME\n"
    );
    run_in(folder.path(), &["check", "nowhere"]).with_code(1);
}
