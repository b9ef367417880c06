use std::sync::Arc;

use smol_str::SmolStr;

use super::code;
use super::diagnostic::Diagnostic;
use super::node::{Kind, MapEntry, Node, Scalar, Spelling};
use super::parse::parse;
use super::report::Report;
use super::source::{Medium, Source, Span};

/// A value that is given from outside a document, for the place that its key names.
pub type Assignment = MapEntry;

impl Node {
    /// The text of `span` as a value that takes the type its reader wants; a list or map where the
    /// text is one in JSON (cli.md section 9).
    pub fn assigned(text: impl Into<SmolStr>, span: Span) -> Self {
        let text = text.into();
        let alternative = text.starts_with(['[', '{']).then(|| json(&text, &span)).flatten();
        let scalar = Scalar { text, spelling: Spelling::Assigned(alternative.map(Arc::new)) };
        Self { span, kind: Kind::Scalar(scalar) }
    }
}

/// Reads `key=value` as given with `flag`; the value may hold further `=`.
///
/// # Errors
/// A diagnostic that points into the text, if there is no `=` or nothing before it.
pub fn assignment(flag: &str, text: &str) -> Result<Assignment, Box<Diagnostic>> {
    let source = Source::new(flag, text, Medium::CommandLine);
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok(MapEntry {
            key: SmolStr::from(key.trim()),
            key_span: Span::new(source.clone(), 0..key.len()),
            value: Node::assigned(value, Span::new(source, key.len() + 1..text.len())),
        }),
        _ => {
            let message = format!("{flag} takes key=value, not {text:?}");
            Err(Diagnostic::error(code::BAD_ASSIGNMENT, Span::whole(source), message).into())
        }
    }
}

/// The list or map that `text` is in JSON.
fn json(text: &str, span: &Span) -> Option<Node> {
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    let copy = Source::new(span.file().clone(), text, span.source().medium());
    let mut problems = Report::new();
    parse(&copy, &mut problems).filter(|_| problems.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_split_at_the_first_equals_sign() {
        let given = assignment("-o", "app:x:data.q=a=b,c").unwrap();
        assert_eq!(given.key, "app:x:data.q");
        assert_eq!(given.value.as_scalar().unwrap().text, "a=b,c");
        assert_eq!(given.value.span.to_string(), "-o:1:14");
        for bad in ["", "x", "=1", " =1"] {
            assert_eq!(assignment("--set", bad).unwrap_err().code, code::BAD_ASSIGNMENT);
        }
        assert_eq!(assignment("-o", "a=").unwrap().value.as_scalar().unwrap().text, "");
    }

    #[test]
    fn json_lists_are_lists_where_one_is_wanted() {
        let list = assignment("-o", r#"k=["a", "b"]"#).unwrap().value;
        assert_eq!(list.as_list().unwrap().len(), 2);
        assert_eq!(list.as_scalar().unwrap().text, r#"["a", "b"]"#);
        assert!(assignment("-o", "k=[a").unwrap().value.as_list().is_none());
        assert!(assignment("-o", r#"k={"a": 1}"#).unwrap().value.as_map().is_some());
        assert!(assignment("-o", r#"k={"a": 1, "a": 2}"#).unwrap().value.as_map().is_none());
    }
}
