use std::collections::HashMap;

use crate::document::{Diagnostic, MapEntry, Medium, Node, Report, Source, Span, nearest};

use super::code;
use super::input::ConfigInput;
use super::layers;

const PREFIX: &str = "MOONMESH_";

/// Name of the node below all settings (cli.md section 9).
pub(super) const NODE_ID: &str = "MOONMESH_NODE_ID";

/// The variable that mirrors the setting at `path`: `cluster.name` is `MOONMESH_CLUSTER_NAME`.
pub(super) fn variable_of(path: &str) -> String {
    format!("{PREFIX}{}", path.to_uppercase().replace('.', "_"))
}

/// A tree for each variable that mirrors one of the settings `paths`. A `MOONMESH_*` variable that
/// mirrors none is reported, since it is likely a misspelt one.
pub(super) fn trees(paths: &[String], input: &ConfigInput, report: &mut Report) -> Vec<Node> {
    let known: HashMap<String, &String> =
        paths.iter().map(|path| (variable_of(path), path)).collect();
    let mut trees = Vec::new();
    for (name, value) in &input.variables {
        if !name.starts_with(PREFIX) {
            continue;
        }
        let Some(path) = known.get(name) else {
            if name != NODE_ID && !input.other_variables.contains(name) && !is_injected(name, value)
            {
                report.push(unknown(name, value, known.keys().map(String::as_str)));
            }
            continue;
        };
        let place = Span::whole(Source::new(name.as_str(), value.as_str(), Medium::Environment));
        let given = MapEntry {
            key: path.as_str().into(),
            key_span: place.clone(),
            value: Node::assigned(value.as_str(), place),
        };
        let parts: Vec<&str> = path.split('.').collect();
        trees.push(layers::single(&parts, &given));
    }
    trees
}

/// Whether Kubernetes makes the variable for a service called `moonmesh...`, or Docker for a link.
fn is_injected(name: &str, value: &str) -> bool {
    let is_url = value.starts_with("tcp://") || value.starts_with("udp://");
    let of_port = |rest: &str| {
        let mut parts = rest.split('_');
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        parts.next().is_some_and(is_number) && matches!(parts.next(), Some("TCP" | "UDP"))
    };
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || (name.ends_with("_PORT") && is_url)
        || name.split("_PORT_").skip(1).any(of_port)
}

fn unknown<'a>(name: &str, value: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let place = Span::whole(Source::new(name, value, Medium::Environment));
    let message = format!("the environment variable `{name}` is no setting");
    let diagnostic = Diagnostic::error(code::UNKNOWN_VARIABLE, place, message);
    match nearest(name, known) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("`moonmesh config show` lists all settings"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_orchestrators_are_known() {
        for name in [
            "MOONMESH_SERVICE_HOST",
            "MOONMESH_SERVICE_PORT",
            "MOONMESH_SERVICE_PORT_MESH",
            "MOONMESH_PORT",
            "MOONMESH_PORT_7950_UDP",
            "MOONMESH_PORT_7950_TCP_ADDR",
            "MOONMESH_PORT_7950_TCP_PORT",
            "MOONMESH_WEB_SERVICE_HOST",
            "MOONMESH_WEB_PORT",
            "MOONMESH_WEB_PORT_80_TCP_PROTO",
        ] {
            assert!(is_injected(name, "tcp://10.0.0.1:80"), "{name}");
        }
        for name in [
            "MOONMESH_SECURITY_STRICTMODE",
            "MOONMESH_CLUSTER_INTERNOD_BIND_PORT",
            "MOONMESH_TCP",
            "MOONMESH_PORT_X_TCP",
        ] {
            assert!(!is_injected(name, "80"), "{name}");
        }
    }
}
