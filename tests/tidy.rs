//! The architecture of `contracts` that a compiler does not check: layers, sizes, names.
//!
//! Every rule is a function from sources to complaints, so that the tests below can show that a
//! violation is caught. Run with `cargo test --test tidy`.

#[path = "tidy/dependencies.rs"]
mod dependencies;
#[path = "tidy/files.rs"]
mod files;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/source.rs"]
mod source;

use std::path::Path;

use source::Source;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn assert_clean(rule: &str, complaints: Vec<String>) {
    assert!(
        complaints.is_empty(),
        "{rule}: {} complaint(s)\n  {}\n",
        complaints.len(),
        complaints.join("\n  ")
    );
}

fn rust_sources() -> Vec<Source> {
    Source::walk(root(), &["src"], "rs")
}

#[test]
fn imports_go_down_only() {
    assert_clean("layers", layers::imports(&rust_sources()));
}

#[test]
fn layers_do_not_name_what_they_must_not_know() {
    assert_clean("forbidden names", layers::forbidden_names(&rust_sources()));
}

#[test]
fn unsafe_and_state_stay_where_they_were_put() {
    assert_clean("unsafe and statics", layers::guarded_words(&rust_sources()));
}

#[test]
fn files_are_small_and_named_for_what_they_do() {
    let mut sources = Source::walk(root(), &["src", "tests", "examples"], "rs");
    sources.extend(Source::walk(root(), &["lua", "registry", "examples", "tests"], "lua"));
    let long = files::longer_than_wanted(&sources);
    if !long.is_empty() {
        eprintln!(
            "{} file(s) over {} lines:\n  {}",
            long.len(),
            files::WANTED_LINES,
            long.join("\n  ")
        );
    }
    assert_clean("file sizes", files::too_long(&sources));
    assert_clean("module names", files::banned_names(&sources));
}

#[test]
fn public_files_say_what_they_are() {
    assert_clean("file docs", files::undocumented(&rust_sources()));
    let lua = Source::walk(root(), &["lua", "registry", "examples"], "lua");
    assert_clean("file docs", files::uncommented_lua(&lua));
}

#[test]
fn lua_files_parse() {
    let lua = Source::walk(root(), &["lua", "registry", "examples", "tests"], "lua");
    assert_clean("Lua syntax", files::unparsable_lua(&lua));
}

#[test]
fn top_level_is_the_fixed_one() {
    let names = std::fs::read_dir(root()).unwrap().map(|e| e.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert_clean("top level", files::stray_top_level(&names));
}

#[test]
fn every_dependency_has_a_line_in_the_readme() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert_clean("dependencies", dependencies::without_readme_line(&manifest, &readme));
}

mod the_rules_can_fail {
    use super::*;

    fn one(path: &str, text: &str) -> Vec<Source> {
        vec![Source::new(path, text)]
    }

    #[test]
    fn upward_and_sideways_imports() {
        for (path, text) in [
            ("src/pg/state.rs", "use crate::scope::Scope;"),
            ("src/pg/state.rs", "use crate::registry::Entry;"),
            ("src/pg/state.rs", "use crate::{\n    id::Pid,\n    process::{Runtime, Message},\n};"),
            ("src/id/pid.rs", "fn f() -> crate::value::Values { todo!() }"),
            ("src/mesh/a/b.rs", "pub(in crate::node) struct X;"),
            ("src/mesh/peer.rs", "use super::super::node::Node;"),
            ("src/mesh/peer.rs", "use moonmesh::node::Node;"),
            ("src/mystery/mod.rs", "//! Not in the table."),
        ] {
            assert_eq!(layers::imports(&one(path, text)).len(), 1, "{path}: {text}");
        }
        for (path, text) in [
            ("src/pg/state.rs", "use crate::id::Pid;\nuse crate::pg::members::Members;"),
            ("src/pg/state.rs", "/// See [`crate::scope`].\nconst X: &str = \"use crate::scope\";"),
            ("src/scope/a.rs", "use super::b;\n#[cfg(test)]\nmod tests { use super::super::b; }"),
            ("src/lib.rs", "pub mod cli;"),
            ("src/main.rs", "fn main() { moonmesh::cli::main(); }"),
        ] {
            assert_eq!(layers::imports(&one(path, text)), [""; 0], "{path}: {text}");
        }
    }

    #[test]
    fn forbidden_names() {
        for (path, text) in [
            ("src/pg/state.rs", "use tokio::sync::mpsc;"),
            ("src/pg/state.rs", "let now = std::time::Instant::now();"),
            ("src/pg/retry.rs", "let x = rand::random::<f64>();"),
            ("src/process/table.rs", "use crate::pg::State;"),
            ("src/mesh/peer.rs", "use crate::pg::State;"),
            ("src/value/read.rs", "use mlua::Value;"),
            ("src/node/supervisor/mod.rs", "use tokio::time::sleep;"),
            ("src/pg/state.rs", "fn f() -> anyhow::Result<()> { Ok(()) }"),
        ] {
            assert_eq!(layers::forbidden_names(&one(path, text)).len(), 1, "{path}: {text}");
        }
        for (path, text) in [
            ("src/pg/state.rs", "// no tokio here\nlet tokio_free = 1;"),
            ("src/pg/state.rs", "fn a() {}\n#[cfg(test)]\nmod tests { use rand::Rng; }"),
            ("src/pg/tests.rs", "use rand::Rng;"),
            ("src/node/boot.rs", "use tokio::time::sleep;"),
            ("src/cli/run.rs", "use anyhow::Context;"),
        ] {
            assert_eq!(layers::forbidden_names(&one(path, text)), [""; 0], "{path}: {text}");
        }
    }

    #[test]
    fn unsafe_and_statics() {
        for text in [
            "unsafe { f() }",
            "static mut X: u8 = 0;",
            "static X: Mutex<u8> = Mutex::new(0);",
            "pub static X: std::sync::atomic::AtomicU64 = AtomicU64::new(0);",
            "thread_local! { }",
        ] {
            assert_eq!(layers::guarded_words(&one("src/scope/a.rs", text)).len(), 1, "{text}");
        }
        for text in ["fn f(x: &'static str) {}", "static NAMES: [&str; 1] = [\"unsafe\"];"] {
            assert_eq!(layers::guarded_words(&one("src/scope/a.rs", text)), [""; 0], "{text}");
        }
    }

    #[test]
    fn sizes_and_names() {
        let lines = |n: usize| "x\n".repeat(n);
        assert_eq!(files::too_long(&one("src/a.rs", &lines(601))).len(), 1);
        assert!(files::too_long(&one("src/a.rs", &lines(600))).is_empty());
        assert_eq!(files::longer_than_wanted(&one("src/a.rs", &lines(301))).len(), 1);
        assert!(files::longer_than_wanted(&one("src/a.rs", &lines(300))).is_empty());
        for path in
            ["src/util.rs", "src/common/mod.rs", "src/pg/queue_manager.rs", "lua/helpers.lua"]
        {
            assert_eq!(files::banned_names(&one(path, "")).len(), 1, "{path}");
        }
        assert_eq!(files::banned_names(&one("src/a.rs", "mod utils {}")).len(), 1);
        assert!(files::banned_names(&one("src/commonality.rs", "mod u {}")).is_empty());
    }

    #[test]
    fn missing_docs_stray_files_and_dependencies() {
        assert_eq!(files::undocumented(&one("src/lib.rs", "pub mod a;")).len(), 1);
        let tree =
            [Source::new("src/lib.rs", "//! A.\npub mod a;\nmod b;"), Source::new("src/a.rs", "")];
        assert_eq!(files::undocumented(&tree), ["src/a.rs: starts without a `//!` comment"]);
        assert_eq!(files::uncommented_lua(&one("lua/a.lua", "return 1")).len(), 1);
        assert_eq!(files::unparsable_lua(&one("lua/a.lua", "retrun 1")).len(), 1);
        let names = ["src", ".git", "README.md", "deny.toml"].map(String::from);
        assert_eq!(files::stray_top_level(&names).len(), 1);
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na-b = \"1\"\nc = { version = \"1\" }\n[lints.rust]\nd = 1\n";
        let complaints = dependencies::without_readme_line(manifest, "| `a-b` | what it does |");
        assert_eq!(complaints, ["c: no row \"| `c` | ... |\" in README.md"]);
    }
}
