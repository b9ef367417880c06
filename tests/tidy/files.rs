//! Sizes, names and first lines of files.

use crate::source::{Source, words};

/// A file should not be longer; longer ones are listed.
pub const WANTED_LINES: usize = 300;
/// A longer file fails.
const MOST_LINES: usize = 600;

/// Words that say nothing about what a module does.
const BANNED: [&str; 8] =
    ["util", "utils", "common", "helper", "helpers", "manager", "misc", "stuff"];

/// What the user fixed; names that start with a dot are free.
const TOP_LEVEL: [&str; 9] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "src",
    "lua",
    "registry",
    "examples",
    "tests",
    "target",
];

/// Files that fail for their length.
pub fn too_long(sources: &[Source]) -> Vec<String> {
    over(sources, MOST_LINES)
}

/// Files that are longer than wanted.
pub fn longer_than_wanted(sources: &[Source]) -> Vec<String> {
    over(sources, WANTED_LINES)
}

/// Files, folders and inline modules with an empty name.
pub fn banned_names(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let parts = source.path.split(['/', '.', '_', '-']);
        if parts.into_iter().any(|part| BANNED.contains(&part)) {
            complaints.push(format!("{}: the name says nothing", source.path));
        }
        let code = source.code();
        let names: Vec<_> = words(&code).map(|(word, ..)| word).collect();
        for pair in names.windows(2).filter(|pair| pair[0] == "mod") {
            if pair[1].split('_').any(|part| BANNED.contains(&part)) {
                complaints
                    .push(format!("{}: the name of `mod {}` says nothing", source.path, pair[1]));
            }
        }
    }
    complaints
}

/// Public Rust modules (and the roots) that do not start with a `//!` comment.
pub fn undocumented(sources: &[Source]) -> Vec<String> {
    let mut public = vec!["src/lib.rs".to_owned(), "src/main.rs".to_owned()];
    for source in sources {
        let folder = match source.path.rsplit_once('/') {
            Some((folder, "mod.rs" | "lib.rs" | "main.rs")) => folder.to_owned(),
            _ => source.path.trim_end_matches(".rs").to_owned(),
        };
        for line in source.code().lines() {
            let name = line.trim().strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';'));
            if let Some(name) = name {
                public.push(format!("{folder}/{name}.rs"));
                public.push(format!("{folder}/{name}/mod.rs"));
            }
        }
    }
    let silent =
        |source: &&Source| public.contains(&source.path) && !source.text.starts_with("//!");
    let silent = sources.iter().filter(silent);
    silent.map(|source| format!("{}: starts without a `//!` comment", source.path)).collect()
}

/// Lua files that do not start with a comment.
pub fn uncommented_lua(sources: &[Source]) -> Vec<String> {
    let silent = sources.iter().filter(|source| !source.text.starts_with("--"));
    silent.map(|source| format!("{}: starts without a comment", source.path)).collect()
}

/// Lua files that are no Lua.
pub fn unparsable_lua(sources: &[Source]) -> Vec<String> {
    let lua = mlua::Lua::new();
    let parsed = sources.iter().map(|source| {
        let chunk = lua.load(&source.text).set_name(format!("@{}", source.path));
        chunk.into_function().map(drop)
    });
    parsed.filter_map(Result::err).map(|error| error.to_string()).collect()
}

/// Names at the top level that are not of the fixed set.
pub fn stray_top_level(names: &[String]) -> Vec<String> {
    let stray =
        names.iter().filter(|name| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str()));
    stray.map(|name| format!("{name}: not one of {}", TOP_LEVEL.join(", "))).collect()
}

fn over(sources: &[Source], most: usize) -> Vec<String> {
    let counted = sources.iter().map(|source| (source, source.text.lines().count()));
    let long = counted.filter(|(_, lines)| *lines > most);
    long.map(|(source, lines)| format!("{}: {lines} lines, at most {most}", source.path)).collect()
}
