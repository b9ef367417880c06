use std::ops::Range;

/// A piece of Lua source, with the bytes it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// What a piece is. Numbers are names here: nobody asks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Name(String),
    /// A string, with what is between its quotes; escapes are not resolved.
    Text(String),
    Symbol(char),
}

/// The tokens of `source` without comments. Source that is no Lua gives tokens all the same; its
/// faults are for the compiler to tell.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let (kind, length) = if let Some(comment) = rest.strip_prefix("--") {
            let length = long_bracket(comment).map(|(_, length)| length);
            (None, 2 + length.unwrap_or_else(|| comment.find('\n').unwrap_or(comment.len())))
        } else if let Some((body, length)) = long_bracket(rest) {
            (Some(Kind::Text(body.to_owned())), length)
        } else if first == '"' || first == '\'' {
            let length = quoted(rest, first);
            let body = rest[1..length].trim_end_matches(first);
            (Some(Kind::Text(body.to_owned())), length)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (Some(Kind::Name(rest[..length].to_owned())), length)
        } else {
            let kind = (!first.is_whitespace()).then_some(Kind::Symbol(first));
            (kind, first.len_utf8())
        };
        found.extend(kind.map(|kind| Token { kind, range: at..at + length }));
        at += length;
    }
    found
}

/// The inside of the `[[...]]` or `[==[...]==]` that `rest` starts with, and its whole length.
fn long_bracket(rest: &str) -> Option<(&str, usize)> {
    let level = rest.strip_prefix('[')?;
    let signs = level.len() - level.trim_start_matches('=').len();
    let body = level[signs..].strip_prefix('[')?;
    let end = format!("]{}]", "=".repeat(signs));
    let length = body.find(&end).unwrap_or(body.len());
    let whole = rest.len() - body.len() + length + end.len();
    Some((&body[..length], whole.min(rest.len())))
}

/// The length of the string that `rest` starts with; it ends with its line at the latest.
fn quoted(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_strings_are_whole() {
        let source = "local a = \"x\\\"--\" --[==[ no ]] ]==] .. [[b\n]] -- end\nreturn 'c'";
        let kinds: Vec<_> = tokens(source).into_iter().map(|token| token.kind).collect();
        let name = |text: &str| Kind::Name(text.to_owned());
        let text = |text: &str| Kind::Text(text.to_owned());
        assert_eq!(
            kinds,
            [
                name("local"),
                name("a"),
                Kind::Symbol('='),
                text("x\\\"--"),
                Kind::Symbol('.'),
                Kind::Symbol('.'),
                text("b\n"),
                name("return"),
                text("c"),
            ]
        );
    }

    #[test]
    fn broken_source_ends() {
        for source in ["\"open", "[[open", "--[[open", "'\\", "ä ö \"ü", "["] {
            assert!(tokens(source).iter().all(|token| token.range.end <= source.len()), "{source}");
        }
    }
}
