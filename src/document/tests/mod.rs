mod decode;
mod limits;
mod parse;

use super::{Medium, Node, Report, Source, parse as parse_source};

/// The tree of `text` and what is wrong with it, each as `line:column code`.
fn parsed(text: &str) -> (Option<Node>, Vec<String>) {
    let source = Source::new("t.yaml", text, Medium::File);
    let mut report = Report::new();
    let node = parse_source(&source, &mut report);
    let place =
        |d: &&super::Diagnostic| format!("{}:{} {}", d.span.line(), d.span.column(), d.code);
    let problems = report.diagnostics().iter().map(place).collect();
    (node, problems)
}

/// The tree of `text`, which has no problem.
fn tree(text: &str) -> Node {
    let (node, problems) = parsed(text);
    assert_eq!(problems, Vec::<String>::new(), "{text}");
    node.unwrap()
}

/// The problems of `text`.
fn problems(text: &str) -> Vec<String> {
    parsed(text).1
}

/// The untyped reading of `text`, which has no problem.
fn json(text: &str) -> serde_json::Value {
    let mut report = Report::new();
    let json = tree(text).to_json("", &mut report);
    assert!(report.is_empty(), "{report}");
    json
}
