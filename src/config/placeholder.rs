use crate::document::{Diagnostic, Kind, Map, MapEntry, Node, Report, Span};

use super::code;
use super::input::ConfigInput;

const OPEN: &str = "${env:";

/// `node` with each `${env:NAME}` in its texts replaced by that variable. A text that had one takes
/// the type that is wanted, even in quotes. `$${env:` stands for `${env:` itself.
pub(super) fn fill(node: &Node, input: &ConfigInput, report: &mut Report) -> Node {
    let kind = match &node.kind {
        Kind::Scalar(scalar) if scalar.text.contains(OPEN) => {
            return match filled(&scalar.text, input) {
                Ok(text) => Node::assigned(text, node.span.clone()),
                Err(problem) => {
                    report.push(problem.diagnostic(&node.span));
                    node.clone()
                }
            };
        }
        Kind::Scalar(_) => return node.clone(),
        Kind::List(items) => {
            Kind::List(items.iter().map(|item| fill(item, input, report)).collect())
        }
        Kind::Map(map) => {
            let entries: Vec<MapEntry> = map
                .iter()
                .map(|entry| MapEntry { value: fill(&entry.value, input, report), ..entry.clone() })
                .collect();
            Kind::Map(Map::from(entries))
        }
    };
    Node { span: node.span.clone(), kind }
}

#[derive(Debug, PartialEq)]
enum Problem {
    Unclosed,
    BadName(String),
    Unset(String),
}

impl Problem {
    fn diagnostic(&self, place: &Span) -> Diagnostic {
        let message = match self {
            Problem::Unclosed => "a `${env:` has no `}`".to_owned(),
            Problem::BadName(name) => format!("`{name}` is no name of a variable"),
            Problem::Unset(name) => format!("the environment variable `{name}` is not set"),
        };
        Diagnostic::error(code::BAD_PLACEHOLDER, place.clone(), message)
    }
}

fn filled(text: &str, input: &ConfigInput) -> Result<String, Problem> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        if let Some(before) = before.strip_suffix('$') {
            out.push_str(before);
            out.push_str(OPEN);
            rest = after;
            continue;
        }
        let (name, after) = after.split_once('}').ok_or(Problem::Unclosed)?;
        let is_name = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err(Problem::BadName(name.to_owned()));
        }
        let value = input.variable(name).ok_or_else(|| Problem::Unset(name.to_owned()))?;
        out.push_str(before);
        out.push_str(value);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_variables() {
        let variables =
            vec![("A".to_owned(), "1".to_owned()), ("B_2".to_owned(), "${env:A}".to_owned())];
        let input = ConfigInput { variables, ..ConfigInput::default() };
        let filled = |text: &str| filled(text, &input);
        assert_eq!(filled("x${env:A}y${env:A}"), Ok("x1y1".to_owned()));
        assert_eq!(filled("${env:B_2}"), Ok("${env:A}".to_owned()));
        assert_eq!(filled("$${env:A} ${name}"), Ok("${env:A} ${name}".to_owned()));
        assert_eq!(filled("${env:A"), Err(Problem::Unclosed));
        assert_eq!(filled("${env:C}"), Err(Problem::Unset("C".to_owned())));
        for bad in ["", "2A", "a b", "A:-x"] {
            assert_eq!(filled(&format!("${{env:{bad}}}")), Err(Problem::BadName(bad.to_owned())));
        }
    }
}
