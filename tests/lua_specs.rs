//! The Lua specs of `tests/lua`, the default registry and the examples, run by the binary.

use std::process::Command;

fn passes(paths: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moonmesh"));
    let output = command.arg("test").args(paths).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
}

#[test]
fn every_spec_of_tests_lua_passes() {
    passes(&["tests/lua"]);
}

#[test]
fn the_default_registry_and_the_examples_pass_their_specs() {
    passes(&["registry", "examples"]);
}

#[test]
fn a_failing_spec_fails_the_run_and_no_spec_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, source: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, source).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_moonmesh"));
        let output = command.arg("test").arg(folder.path()).output().unwrap();
        std::fs::remove_file(&file).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, out) = run("a_spec.lua", "it('differs', function() assert.equal(1, 2) end)");
    assert_eq!(code, Some(1));
    assert!(
        out.contains("expected 1") && out.ends_with("0 passed, 1 failed, 0 skipped\n"),
        "{out}"
    );
    assert_eq!(run("a_spec.lua", "local = 1").0, Some(1));
    assert_eq!(run("notes.txt", "").0, Some(2));
    let upvalue = "local x = 1 it('s', function() spec.spawn(function() return x end) end)";
    assert!(run("a_spec.lua", upvalue).1.contains("the function uses x from around it"));
}
