use std::sync::Arc;

use serde_saphyr::granit_parser::{self, ErrorKind, Event, Parser, ScanError};

use super::build::Builder;
use super::code;
use super::diagnostic::Diagnostic;
use super::limits::{MAX_DEPTH, MAX_DOCUMENT_BYTES};
use super::node::Node;
use super::report::Report;
use super::source::{Source, Span};

/// Reads the one YAML (or JSON) document of `source`. What is wrong with it goes into `report`;
/// the answer is `None` if there is no tree to go on with. An empty document is a bare null.
/// Duplicate keys are reported too, the first one of each stays in the tree.
pub fn parse(source: &Arc<Source>, report: &mut Report) -> Option<Node> {
    if source.text().len() as u64 > MAX_DOCUMENT_BYTES {
        let message = format!("the document is longer than {MAX_DOCUMENT_BYTES} bytes");
        report.push(Diagnostic::error(code::TOO_LARGE, Span::top(source.clone()), message));
        return None;
    }
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder = Builder::new(source);
    let mut documents = 0;
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let step = match event {
            Ok((Event::DocumentStart(..), _)) if documents == 0 => {
                documents = 1;
                Ok(())
            }
            Ok((Event::DocumentStart(..), at)) => Err(second_document(source, &at).into()),
            Ok((event, at)) => builder.event(event, &at),
            Err(error) => Err(syntax(source, &error).into()),
        };
        if let Err(diagnostic) = step {
            builder.problems.push(*diagnostic);
            report.extend(builder.problems);
            return None;
        }
    }
    let (root, problems) = builder.finish();
    report.extend(problems);
    root
}

/// The span of a parser event in `source`.
pub(super) fn span(source: &Arc<Source>, at: &granit_parser::Span) -> Span {
    Span::new(source.clone(), at.byte_range().unwrap_or(0..0))
}

fn second_document(source: &Arc<Source>, at: &granit_parser::Span) -> Diagnostic {
    let message = "a second document starts here: a file holds one";
    Diagnostic::error(code::MULTIPLE_DOCUMENTS, span(source, at), message)
        .help("put it into a file of its own, or remove the `---`")
}

fn syntax(source: &Arc<Source>, error: &ScanError) -> Diagnostic {
    let start = error.marker().byte_offset().unwrap_or(0);
    let place = Span::new(source.clone(), start..start);
    let (code, message, help) = explain(error.kind());
    let message = message.map_or_else(|| error.kind().to_string(), str::to_owned);
    let diagnostic = Diagnostic::error(code, place, message);
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Clearer words for the faults that people make most, where the parser's own are terse.
fn explain(kind: &ErrorKind) -> (&'static str, Option<&'static str>, Option<&'static str>) {
    match kind {
        ErrorKind::TabInIndentation
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => (
            code::YAML_SYNTAX,
            Some("a tab is used for indentation"),
            Some("YAML is indented with spaces only"),
        ),
        ErrorKind::RecursionLimitExceeded => {
            (code::TOO_DEEP, Some("lists and maps are nested more than 64 levels deep"), None)
        }
        ErrorKind::UnknownAnchor => (
            code::BAD_ALIAS,
            Some("there is no anchor of this name above"),
            Some("`*name` refers to an earlier `&name`; put a text that starts with * in quotes"),
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidMappingValueWhitespace => (
            code::YAML_SYNTAX,
            Some("a `:` is not allowed here"),
            Some("check the indentation; put a text that holds `: ` in quotes"),
        ),
        ErrorKind::UnclosedQuotedScalar => {
            (code::YAML_SYNTAX, Some("a quoted text has no end"), None)
        }
        ErrorKind::UnclosedFlowCollection { open: '[' } => {
            (code::YAML_SYNTAX, Some("a `[` has no `]`"), None)
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            (code::YAML_SYNTAX, Some("a `{` has no `}`"), None)
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::ExpectedBlockMappingKey => (
            code::YAML_SYNTAX,
            None,
            Some("check the indentation and that each key is followed by `: `"),
        ),
        _ => (code::YAML_SYNTAX, None, None),
    }
}
