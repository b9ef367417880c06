//! `moonmesh new`: what it writes, and what it leaves alone.

use std::fs;

use crate::support::run_in;

#[test]
fn an_application_is_written_with_everything_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run_in(folder.path(), &["new", "shop"]).with_code(0);
    assert_eq!(ended.out, "shop is ready. Next:\n  cd shop\n  moonmesh run\n  moonmesh test\n");
    let shop = folder.path().join("shop");
    for file in [
        "registry/_index.yaml",
        "registry/greeter.lua",
        "registry/greeter_spec.lua",
        "moonmesh.yaml",
        ".gitignore",
        ".moonmesh/meta/pg.lua",
    ] {
        assert!(shop.join(file).is_file(), "{file}");
    }
    assert!(fs::read_to_string(shop.join("README.md")).unwrap().starts_with("# shop\n"));
    let luarc = fs::read_to_string(shop.join(".luarc.json")).unwrap();
    let luarc: serde_json::Value = serde_json::from_str(&luarc).unwrap();
    assert_eq!(luarc["workspace.library"][0], ".moonmesh/meta");
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run_in(folder.path(), &["new", "."]).with_code(0);
    assert!(ended.out.starts_with("The application is ready."), "{}", ended.out);
    assert!(folder.path().join("registry/_index.yaml").is_file());
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("shop")).unwrap();
    fs::write(folder.path().join("shop/notes.txt"), "mine").unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    let ended = run_in(folder.path(), &["new", "shop"]).with_code(1);
    assert_eq!(
        ended.err,
        "Error: shop is not empty\n  try: another name: nothing that exists is overwritten\n"
    );
    let ended = run_in(folder.path(), &["new", "file"]).with_code(1);
    assert!(ended.err.starts_with("Error: file cannot be used: "), "{}", ended.err);
    run_in(folder.path(), &["new"]).with_code(2);
    assert_eq!(fs::read_dir(folder.path().join("shop")).unwrap().count(), 1);
}
