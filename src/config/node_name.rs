use crate::document::{Diagnostic, Medium, Report, Source, Span, Text};
use crate::id::NodeName;

use super::code;
use super::environment::NODE_ID;
use super::input::ConfigInput;

/// The names that a configuration may give the node.
pub(super) struct GivenNames {
    /// `cluster.name`
    pub cluster: Option<Text>,
    /// `relay.node_name`
    pub relay: Option<Text>,
}

/// The name of a node in a cluster: `cluster.name`, else `relay.node_name`, else the variable
/// `MOONMESH_NODE_ID`, else that of the machine (cluster.md section 1). `None` after a report.
pub(super) fn choose(
    given: GivenNames,
    input: &ConfigInput,
    report: &mut Report,
) -> Option<NodeName> {
    let GivenNames { cluster, relay } = given;
    if let (Some(name), Some(other)) = (&cluster, &relay)
        && name.text != other.text
    {
        let message = format!("`relay.node_name` has no effect: `cluster.name` is {}", name.text);
        report.push(Diagnostic::warning(code::NO_EFFECT, other.span.clone(), message));
    }
    let from = |name: &str, text: &str, medium| {
        let span = Span::whole(Source::new(name, text, medium));
        Text { text: text.into(), span }
    };
    let variable = || Some(from(NODE_ID, input.variable(NODE_ID)?, Medium::Environment));
    let machine = || {
        let name = input.host_name.as_deref()?;
        Some(from("(name of this machine)", name, Medium::BuiltIn))
    };
    let Some(name) = cluster.or(relay).or_else(variable).or_else(machine) else {
        let place = Span::unread_file("(name of this machine)");
        let message = "the machine tells no name for the node: set `cluster.name`";
        report.push(Diagnostic::error(code::BAD_NODE_NAME, place, message));
        return None;
    };
    let problem = match name.text.parse::<NodeName>() {
        Ok(parsed) if !parsed.is_local() => return Some(parsed),
        Ok(_) => "the name `local` is kept for a node without a cluster".to_owned(),
        Err(error) => error.to_string(),
    };
    let is_from_machine = name.span.source().medium() == Medium::BuiltIn;
    let diagnostic = Diagnostic::error(code::BAD_NODE_NAME, name.span, problem);
    report.push(match is_from_machine {
        true => diagnostic.help("set `cluster.name`"),
        false => diagnostic,
    });
    None
}
