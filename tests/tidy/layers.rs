//! Which module may name which: the table of the design.

use crate::source::{Source, words};

/// Layer of each top-level module; a module imports from lower layers only.
const LAYERS: [(&str, u8); 16] = [
    ("id", 0),
    ("value", 0),
    ("document", 0),
    ("pg", 1),
    ("registry", 1),
    ("config", 1),
    ("security", 1),
    ("wire", 1),
    ("process", 2),
    ("mesh", 2),
    ("scope", 3),
    ("relay", 3),
    ("lua", 4),
    ("node", 5),
    ("cli", 6),
    ("main", 6),
];

const CLOCK_AND_CHANCE: [&str; 4] = ["Instant::now", "SystemTime", "rand", "getrandom"];

/// Names that a module must not use in code outside tests, whatever its layer.
const FORBIDDEN: [(&str, &[&str]); 11] = [
    ("id", &["tokio", "quinn", "mlua"]),
    ("value", &["tokio", "quinn", "mlua"]),
    ("pg", &["tokio", "quinn", "mlua"]),
    ("registry", &["tokio", "mlua"]),
    ("config", &["tokio", "mlua"]),
    ("security", &["tokio", "mlua"]),
    ("wire", &["tokio", "quinn"]),
    ("process", &["crate::pg", "crate::mesh", "crate::registry"]),
    ("mesh", &["crate::pg", "mlua"]),
    ("scope", &["mlua"]),
    ("node::supervisor", &["tokio", "mlua"]),
];

/// Modules that get time and chance as arguments.
const SANS_IO: [&str; 2] = ["pg", "node::supervisor"];

/// Files that may hold `unsafe`, each with its argument written inside.
const UNSAFE_FILES: &[&str] = &[
    "src/lua/raw/call.rs",
    "src/lua/raw/coroutine.rs",
    "src/lua/raw/object.rs",
    "src/lua/raw/preempt.rs",
    "src/lua/raw/stack.rs",
    "src/lua/raw/thread.rs",
    "src/lua/sandbox/closures_ffi.rs",
    "src/lua/sandbox/functions_ffi.rs",
];

/// Files that may hold state outside of values, and why no value would do.
const STATE_FILES: [&str; 1] = [
    // A signal handler can find the coroutine that its thread runs nowhere else.
    "src/lua/raw/preempt.rs",
];

/// Imports that go up or sideways, or that hide where they go.
pub fn imports(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let path = source.module_path();
        let Some(own) = path.first() else { continue };
        let Some(layer) = layer_of(own) else {
            complaints.push(format!("{}: module `{own}` is not in the layer table", source.path));
            continue;
        };
        let code = source.code();
        for (target, line) in crate_paths(&code) {
            let allowed = target == *own || layer_of(&target).is_some_and(|found| found < layer);
            if !allowed {
                complaints.push(format!("{}:{line}: `{own}` imports `{target}`", source.path));
            }
        }
        complaints.extend(hidden_paths(source, &code, path.len()));
    }
    complaints
}

/// Uses of names that the module must not know.
pub fn forbidden_names(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let module = source.module_path().join("::");
        let code = source.code_outside_tests();
        let mut names: Vec<&str> = Vec::new();
        let belongs = |to: &str| module == to || module.starts_with(&format!("{to}::"));
        for (to, forbidden) in FORBIDDEN {
            names.extend(forbidden.iter().filter(|_| belongs(to)));
        }
        if SANS_IO.iter().any(|to| belongs(to)) {
            names.extend(CLOCK_AND_CHANCE);
        }
        if !belongs("cli") && !module.is_empty() {
            names.push("anyhow");
        }
        for name in names {
            complaints.extend(
                uses(&code, name).map(|line| format!("{}:{line}: names `{name}`", source.path)),
            );
        }
    }
    complaints
}

/// `unsafe` and mutable statics outside the files that were chosen for them.
pub fn guarded_words(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let code = source.code();
        for (number, line) in code.lines().enumerate() {
            let has = |word: &str| words(line).any(|(found, ..)| found == word);
            let stateful = ["Mutex", "RwLock", "Atomic", "Cell", "OnceLock", "mut"];
            let is_static = has("static") && !line.contains("'static");
            let state =
                has("thread_local") || is_static && stateful.iter().any(|word| line.contains(word));
            if has("unsafe") && !UNSAFE_FILES.contains(&source.path.as_str()) {
                complaints.push(format!("{}:{}: `unsafe`", source.path, number + 1));
            }
            if state && !STATE_FILES.contains(&source.path.as_str()) {
                complaints.push(format!(
                    "{}:{}: a static that holds state",
                    source.path,
                    number + 1
                ));
            }
        }
    }
    complaints
}

fn layer_of(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// The first segment of every `crate::` path, groups included, with its line.
fn crate_paths(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (word, end, line) in words(code) {
        let Some(rest) = code[end..].strip_prefix("::").filter(|_| word == "crate") else {
            continue;
        };
        match rest.trim_start().strip_prefix('{') {
            Some(group) => found.extend(group_heads(group).into_iter().map(|head| (head, line))),
            None => found.extend(words(rest).next().map(|(head, ..)| (head.to_owned(), line))),
        }
    }
    // `pub(in crate::x)` widens visibility to a module that must be an ancestor: the same rule.
    found
}

/// The first word of each element of a `{...}` import list whose brace is already eaten.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 1;
    let mut wanted = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => wanted = true,
            c if wanted && c.is_alphanumeric() => {
                heads.extend(words(&group[at..]).next().map(|(head, ..)| head.to_owned()));
                wanted = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// `super` chains that reach the crate root, and the package naming itself.
fn hidden_paths(source: &Source, code: &str, depth: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in code.lines().enumerate() {
        // A module of tests inside the file is one level deeper.
        let chain = "super::".repeat(depth + 1);
        let outside_tests = !code.contains("#[cfg(test)]");
        let at_root = line.contains(&chain)
            || outside_tests && depth > 0 && line.contains(&"super::".repeat(depth));
        if at_root && depth > 0 {
            complaints.push(format!("{}:{}: write `crate::`", source.path, number + 1));
        }
        if line.contains("moonmesh::") {
            complaints.push(format!("{}:{}: names its own package", source.path, number + 1));
        }
    }
    complaints
}

/// Lines of `code` where `name` stands as a whole path segment, or as a whole path.
fn uses(code: &str, name: &str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut lines: Vec<usize> = code
        .match_indices(name)
        .filter(|(at, _)| !code[..*at].ends_with(is_word))
        .filter(|(at, _)| !code[at + name.len()..].starts_with(is_word))
        .map(|(at, _)| code[..at].matches('\n').count() + 1)
        .collect();
    lines.dedup();
    lines.into_iter()
}
