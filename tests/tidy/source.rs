//! A file of the package, and its text without comments and literals.

use std::path::Path;

/// One file: its path below the package and what it holds.
pub struct Source {
    /// Path below the package root, with forward slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source from memory.
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Every file below `folders` with this extension, sorted by path.
    pub fn walk(root: &Path, folders: &[&str], extension: &str) -> Vec<Self> {
        let mut pending: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
        let mut found = Vec::new();
        while let Some(folder) = pending.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    pending.push(path);
                } else if path.extension().is_some_and(|found| found == extension) {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let below = path.strip_prefix(root).unwrap();
                    found.push(Self::new(&below.to_string_lossy(), &text));
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// The text with comments and the insides of literals blanked; lines stay lines.
    pub fn code(&self) -> String {
        blank(&self.text)
    }

    /// As [`Self::code`], up to the first `#[cfg(test)]`; nothing of a file of tests.
    pub fn code_outside_tests(&self) -> String {
        if self.path.ends_with("/tests.rs") || self.path.contains("/tests/") {
            return String::new();
        }
        let code = self.code();
        code.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
    }

    /// The parts of the module path below `src`: `src/pg/state.rs` is `["pg", "state"]`.
    pub fn module_path(&self) -> Vec<&str> {
        let below = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let below = below.strip_suffix(".rs").unwrap_or(below);
        let below = below.strip_suffix("/mod").unwrap_or(below);
        below.split('/').filter(|part| !matches!(*part, "lib" | "main")).collect()
    }
}

/// The identifiers of `code`, each with the byte offset just behind it and its 1-based line.
pub fn words(code: &str) -> impl Iterator<Item = (&str, usize, usize)> {
    let mut rest = 0;
    let mut line = 1;
    std::iter::from_fn(move || {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = rest + code[rest..].find(is_word)?;
        let end = code[start..].find(|c| !is_word(c)).map_or(code.len(), |n| start + n);
        line += code[rest..start].matches('\n').count();
        rest = end;
        Some((&code[start..end], end, line))
    })
}

fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else if let Some(length) = raw_string(rest, &out) {
            length
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' && is_char_literal(rest) {
            quoted(rest, '\'')
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        out.extend(rest[..skipped].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[skipped..];
    }
    out
}

/// The length of the raw string that `rest` starts with.
fn raw_string(rest: &str, before: &str) -> Option<usize> {
    let inside_word = before.ends_with(|c: char| c.is_alphanumeric() && c != 'b');
    let hashes = rest.strip_prefix('r').filter(|_| !inside_word)?;
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    let body = hashes[count..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(count));
    Some(rest.len() - body.len() + body.find(&end).map_or(body.len(), |n| n + end.len()))
}

fn is_char_literal(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    rest.len()
}

#[test]
fn comments_and_literals_are_blanked() {
    let code = blank("a /* b */ \"c \\\" d\" 'e' '\\'' <'f> r#\"g \" h\"# br\"i\" // j\nk");
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "<'f>", "b", "k"]);
}
