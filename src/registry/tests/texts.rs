use std::os::unix::fs::symlink;

use super::{directory, entry, options, problems, problems_in};
use crate::document::Style;
use crate::registry::limits::MAX_TEXT_BYTES;
use crate::registry::{Definition, Registry};

/// A registry directory with the process `app:w` whose source is `file://<path>`.
fn with_source(path: &str) -> tempfile::TempDir {
    let text = format!("namespace: app\nname: w\nkind: process.lua\nsource: \"file://{path}\"\n");
    directory(&[
        ("sub/_index.yaml", &text),
        ("sub/w.lua", "return 'sub'\n"),
        ("w.lua", "return 'top'"),
        ("sub/deep/x.lua", "return 'deep'"),
    ])
}

fn code_of(root: &std::path::Path) -> (String, String) {
    let registry = Registry::load(root, &options()).unwrap_or_else(|report| panic!("{report}"));
    match entry(&registry, "app:w").definition() {
        Definition::ProcessLua(process) => {
            let place = process.code.place.to_string();
            let name = place.replace(&format!("{}/", root.display()), "");
            (process.code.text.to_string(), name)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_are_found_from_the_entry_file_or_the_root() {
    for (path, text, place) in [
        ("w.lua", "return 'sub'\n", "sub/w.lua:1:1"),
        ("./deep/../w.lua", "return 'sub'\n", "sub/w.lua:1:1"),
        ("deep/x.lua", "return 'deep'", "sub/deep/x.lua:1:1"),
        ("../w.lua", "return 'top'", "w.lua:1:1"),
        ("/w.lua", "return 'top'", "w.lua:1:1"),
        ("/sub/w.lua", "return 'sub'\n", "sub/w.lua:1:1"),
    ] {
        let root = with_source(path);
        assert_eq!(code_of(root.path()), (text.to_owned(), place.to_owned()), "{path}");
    }
}

#[test]
fn every_text_of_an_entry_can_be_a_file() {
    let root = directory(&[
        (
            "a.yaml",
            "namespace: app\nmeta: {doc: 'file://doc.txt'}\nentries:\n  - {name: x, kind: registry.entry, list: [{t: 'file://doc.txt'}], other: 'file:/x'}\n",
        ),
        ("doc.txt", "0123"),
    ]);
    let registry = Registry::load(root.path(), &options()).unwrap();
    let x = entry(&registry, "app:x");
    assert_eq!(x.meta()["doc"], "0123");
    assert_eq!(*x.data(), serde_json::json!({"list": [{"t": "0123"}], "other": "file:/x"}));
    assert_eq!(x.field("list.0.t").unwrap(), "0123");
    assert_eq!(x.field("meta.doc").unwrap(), "0123");
    assert_eq!(x.field("list.9"), None);
}

#[test]
fn files_that_cannot_be_had_are_reported() {
    for (path, message) in [
        ("", "`file://` names no file"),
        ("/", "`file:///` names no file"),
        (".", "`file://.` names no file"),
        ("none.lua", "sub/none.lua: no such file"),
        ("deep", "sub/deep: not a regular file"),
        ("../../w.lua", "`file://../../w.lua` leads out of the registry directory"),
        ("/../w.lua", "`file:///../w.lua` leads out of the registry directory"),
        ("../sub/../../x.lua", "`file://../sub/../../x.lua` leads out of the registry directory"),
    ] {
        let root = with_source(path);
        assert_eq!(
            problems_in(root.path()),
            [format!("sub/_index.yaml:4:9: app:w: source: {message}")],
            "{path}"
        );
    }
    assert_eq!(
        problems("namespace: app\nname: w\nkind: process.lua\nsource: file://w.lua\n"),
        ["4:9: app:w: source: `file://w.lua`: these entries are in no directory"]
    );
}

#[test]
fn links_do_not_lead_out() {
    let outside = directory(&[("secret.lua", "return 'secret'"), ("d/secret.lua", "")]);
    let root = with_source("link.lua");
    symlink(outside.path().join("secret.lua"), root.path().join("sub/link.lua")).unwrap();
    assert_eq!(
        problems_in(root.path()),
        [
            "sub/_index.yaml:4:9: app:w: source: `file://link.lua` leads out of the registry directory"
        ]
    );
    let root = with_source("dir/secret.lua");
    symlink(outside.path().join("d"), root.path().join("sub/dir")).unwrap();
    let faults = problems_in(root.path());
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(
        faults[0].ends_with("`file://dir/secret.lua` leads out of the registry directory"),
        "{faults:?}"
    );
    let root = with_source("link.lua");
    symlink("w.lua", root.path().join("sub/link.lua")).unwrap();
    assert_eq!(code_of(root.path()).0, "return 'sub'\n");
}

#[test]
fn files_are_utf8_and_not_too_long() {
    let root = with_source("w.lua");
    let file = root.path().join("sub/w.lua");
    std::fs::write(&file, b"return '\xff'").unwrap();
    assert_eq!(
        problems_in(root.path()),
        [
            "sub/_index.yaml:4:9: app:w: source: sub/w.lua: the file is not UTF-8 text: byte 8 does not fit"
        ]
    );
    std::fs::File::create(&file).unwrap().set_len(MAX_TEXT_BYTES + 1).unwrap();
    let faults = problems_in(root.path());
    assert_eq!(
        faults,
        [format!(
            "sub/_index.yaml:4:9: app:w: source: sub/w.lua: the file is longer than {MAX_TEXT_BYTES} bytes, the most that is read"
        )]
    );
}

#[test]
fn a_forgotten_scheme_is_noticed() {
    let text = "namespace: app\nname: w\nkind: process.lua\nsource: worker.lua\n";
    let report = super::load_with(text, &options()).unwrap_err().render(Style::Plain);
    assert!(report.contains("write `file://worker.lua`"), "{report}");
}
