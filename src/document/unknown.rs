use smol_str::SmolStr;

use super::code;
use super::diagnostic::Diagnostic;
use super::json::child_path;
use super::source::Span;
use super::suggest::nearest;

/// The fields that exist in the map at one path; indexes of lists are left out of it.
pub(super) struct Level {
    pub path: String,
    pub names: Vec<&'static str>,
}

/// A key that nobody asked for.
pub(super) struct Stray {
    pub path: String,
    pub key: SmolStr,
    pub key_span: Span,
}

/// The report of `stray`, with what was likely meant and where it belongs. `levels` are all that
/// the `subject` has.
pub(super) fn field(subject: &str, levels: &[Level], stray: &Stray) -> Diagnostic {
    let here = level_path(&stray.path);
    let known = levels.iter().find(|level| level.path == here);
    let names = known.map(|level| level.names.as_slice()).unwrap_or_default();
    let message = format!("unknown field `{}`", stray.key);
    let diagnostic = Diagnostic::error(code::UNKNOWN_FIELD, stray.key_span.clone(), message)
        .field(child_path(&stray.path, &stray.key));
    let elsewhere: Vec<&Level> = levels.iter().filter(|level| level.path != here).collect();
    let owner = |name: &str| {
        elsewhere.iter().find(|level| level.names.contains(&name)).map(|level| &level.path)
    };
    let diagnostic = if let Some(path) = owner(&stray.key) {
        let advice = move_there(subject, &stray.key, &here, path);
        diagnostic.label("not at this level").help(advice)
    } else if let Some(name) = nearest(&stray.key, names.iter().copied()) {
        diagnostic.label(format!("did you mean `{name}`?"))
    } else {
        let all = elsewhere.iter().flat_map(|level| level.names.iter().copied());
        match nearest(&stray.key, all) {
            Some(name) => {
                let path = owner(name).map_or(String::new(), |path| child_path(path, name));
                diagnostic.label(format!("did you mean `{path}`?"))
            }
            None => diagnostic,
        }
    };
    let whose = match here.as_str() {
        "" => format!("the fields of {subject}"),
        path => format!("the fields of `{path}` in {subject}"),
    };
    let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    diagnostic.note(format!("{whose} are {all}"))
}

/// The path without the indexes of lists: `a[3].b` becomes `a[].b`.
pub(super) fn level_path(path: &str) -> String {
    let mut parts = path.split('[');
    let mut level = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        level.push_str("[]");
        level.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
    }
    level
}

fn move_there(subject: &str, key: &str, here: &str, there: &str) -> String {
    match there {
        "" => format!("`{key}` belongs at the top level of {subject}"),
        _ if here.starts_with(there) => format!("`{key}` belongs one level up, in `{there}`"),
        _ => format!("`{key}` belongs in `{there}`"),
    }
}
