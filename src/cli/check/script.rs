use std::ops::Range;

use super::tokens::{Kind, Token, tokens};

/// What can be said about a Lua source without running it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// Every `require` of a plain string, with the bytes of that string.
    pub(super) requires: Vec<(String, Range<usize>)>,
    /// The names in the table that the source returns, if it ends with `return { ... }` and every
    /// field of that table has a plain name.
    pub(super) returned: Option<Vec<String>>,
}

impl Script {
    /// Reads `source`, which may be broken.
    pub(super) fn read(source: &str) -> Self {
        let tokens = tokens(source);
        Self { requires: requires(&tokens), returned: returned(&tokens) }
    }
}

fn requires(tokens: &[Token]) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        // `x.require` and `x:require` are functions of somebody else.
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_field = before.is_some_and(|token| matches!(token.kind, Kind::Symbol('.' | ':')));
        if is_field || !is_name(Some(token), "require") {
            continue;
        }
        let next = tokens.get(at + 1);
        let (argument, after) = match next.map(|token| &token.kind) {
            Some(Kind::Symbol('(')) => (tokens.get(at + 2), tokens.get(at + 3)),
            Some(Kind::Text(_)) => (next, None),
            _ => continue,
        };
        // `require("a" .. b)` is known only when it runs.
        let whole = after.is_none_or(|token| token.kind == Kind::Symbol(')'));
        if let Some(Token { kind: Kind::Text(name), range }) = argument.filter(|_| whole) {
            found.push((name.clone(), range.clone()));
        }
    }
    found
}

fn returned(tokens: &[Token]) -> Option<Vec<String>> {
    let at = tokens.iter().rposition(|token| is_name(Some(token), "return"))?;
    let table = tokens.get(at + 1..)?;
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut field_starts = true;
    for (at, token) in table.iter().enumerate() {
        match token.kind {
            Kind::Symbol('{' | '(' | '[') if depth > 0 || at == 0 => depth += 1,
            Kind::Symbol('}' | ')' | ']') => depth = depth.checked_sub(1)?,
            Kind::Symbol(',' | ';') if depth == 1 => field_starts = true,
            Kind::Name(ref name) if depth == 1 && field_starts => {
                let equals = table.get(at + 1)?.kind == Kind::Symbol('=');
                let comparison = table.get(at + 2)?.kind == Kind::Symbol('=');
                if !equals || comparison {
                    return None;
                }
                names.push(name.clone());
                field_starts = false;
            }
            _ if depth == 1 && field_starts => return None,
            _ => {}
        }
        if at == 0 && token.kind != Kind::Symbol('{') {
            return None;
        }
        if depth == 0 {
            let ends = table.get(at + 1).is_none_or(|token| token.kind == Kind::Symbol(';'));
            return ends.then_some(names);
        }
    }
    None
}

fn is_name(token: Option<&Token>, name: &str) -> bool {
    matches!(token, Some(Token { kind: Kind::Name(found), .. }) if found == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requires_of_plain_strings() {
        let source = "local pg = require(\"pg\")\nlocal t = require 'time'\nx.require('no')\n\
                      -- require(\"no\")\nrequire(\"a\" .. b) require(name)";
        let script = Script::read(source);
        let names: Vec<_> = script.requires.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["pg", "time"]);
        assert_eq!(&source[script.requires[0].1.clone()], "\"pg\"");
    }

    #[test]
    fn names_of_a_returned_table() {
        let names = |source| Script::read(source).returned;
        let some =
            |all: &[&str]| Some(all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names("return { main = main, stop = f(1, {2}), }"), some(&["main", "stop"]));
        assert_eq!(names("return {};"), some(&[]));
        for unknown in [
            "return main",
            "return setmetatable({ main = main }, m)",
            "return { [name] = main }",
            "return { main }",
            "return { main = main }.main",
            "return { a == b }",
            "local x = 1",
            "return { main = main",
            "return { main = function(a) return { b = a } end }",
        ] {
            assert_eq!(names(unknown), None, "{unknown}");
        }
    }
}
