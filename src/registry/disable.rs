use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::document::{Diagnostic, Report, Text};
use crate::id::EntryId;

use super::code;
use super::find::canonical_text;
use super::raw::RawEntry;

/// Entries that are taken out before anything else looks at them (registry.md section 5). In a
/// pattern `*` stands for one part between dots, `**` for any number, `(a|b)` for a choice.
#[derive(Debug, Clone, Default)]
pub struct Disable {
    /// Patterns of namespaces.
    pub namespaces: Vec<Text>,
    /// Patterns of ids, `namespace:name`.
    pub entries: Vec<Text>,
    /// A field of the metadata, and the values of it that take an entry out.
    pub meta: Vec<(SmolStr, Vec<Text>)>,
}

impl Disable {
    /// Splits off the ids of the entries that are disabled; patterns that are wrong are reported.
    pub(super) fn take_out(
        &self,
        entries: &mut Vec<RawEntry>,
        report: &mut Report,
    ) -> Vec<EntryId> {
        let compiled = |texts: &[Text], report: &mut Report, compile: Compile| {
            texts.iter().filter_map(|text| compile(text, report)).collect::<Vec<_>>()
        };
        let namespaces = compiled(&self.namespaces, report, namespace_pattern);
        let ids = compiled(&self.entries, report, entry_pattern);
        let mut disabled = Vec::new();
        entries.retain(|entry| {
            let (namespace, name) = (entry.id.namespace(), entry.id.name());
            let is_disabled = namespaces.iter().any(|pattern| pattern.namespace.matches(namespace))
                || ids.iter().any(|pattern| {
                    pattern.namespace.matches(namespace)
                        && pattern.name.as_ref().is_some_and(|pattern| pattern.matches(name))
                })
                || self.meta.iter().any(|(key, values)| has_meta(entry, key, values));
            if is_disabled {
                disabled.push(entry.id.clone());
            }
            !is_disabled
        });
        disabled
    }
}

type Compile = fn(&Text, &mut Report) -> Option<IdPattern>;

struct IdPattern {
    namespace: Segments,
    name: Option<Segments>,
}

/// A pattern of text in parts between dots.
struct Segments(Vec<Segment>);

enum Segment {
    One,
    Any,
    Of(Vec<String>),
}

impl Segments {
    fn parse(text: &str) -> Option<Self> {
        let segment = |part: &str| match part {
            "*" => Some(Segment::One),
            "**" => Some(Segment::Any),
            part => {
                let inner = part.strip_prefix('(').map_or(Some(part), |p| p.strip_suffix(')'))?;
                let words: Vec<String> = inner.split('|').map(str::to_owned).collect();
                let is_word = |word: &String| !word.is_empty() && !word.contains(['*', '(', ')']);
                let is_choice = inner.len() < part.len() || words.len() == 1;
                (is_choice && words.iter().all(is_word)).then_some(Segment::Of(words))
            }
        };
        text.split('.').map(segment).collect::<Option<Vec<_>>>().map(Self)
    }

    fn matches(&self, text: &str) -> bool {
        let parts: Vec<&str> = text.split('.').collect();
        matches(&self.0, &parts)
    }
}

fn matches(pattern: &[Segment], parts: &[&str]) -> bool {
    match (pattern.split_first(), parts.split_first()) {
        (None, first) => first.is_none(),
        (Some((Segment::Any, rest)), first) => {
            matches(rest, parts) || first.is_some_and(|(_, parts)| matches(pattern, parts))
        }
        (Some(_), None) => false,
        (Some((Segment::One, rest)), Some((_, parts))) => matches(rest, parts),
        (Some((Segment::Of(words), rest)), Some((part, parts))) => {
            words.iter().any(|word| word == part) && matches(rest, parts)
        }
    }
}

fn namespace_pattern(text: &Text, report: &mut Report) -> Option<IdPattern> {
    let namespace = Segments::parse(&text.text);
    if namespace.is_none() {
        report.push(bad_pattern(text, "write a namespace such as app.tools or app.**"));
    }
    Some(IdPattern { namespace: namespace?, name: None })
}

fn entry_pattern(text: &Text, report: &mut Report) -> Option<IdPattern> {
    let parsed = text.text.split_once(':').and_then(|(namespace, name)| {
        Some(IdPattern {
            namespace: Segments::parse(namespace)?,
            name: Some(Segments::parse(name)?),
        })
    });
    if parsed.is_none() {
        report.push(bad_pattern(text, "write namespace:name, such as app:worker or app.**:*"));
    }
    parsed
}

fn bad_pattern(text: &Text, help: &str) -> Diagnostic {
    let message = format!("the pattern `{}` cannot match as written", text.text);
    Diagnostic::error(code::BAD_PATTERN, text.span.clone(), message).help(help)
}

fn has_meta(entry: &RawEntry, key: &str, values: &[Text]) -> bool {
    let json = entry.meta.to_json("", &mut Report::new());
    let Some(found) = json.get(key) else { return false };
    let is_one = |json: &Json| {
        canonical_text(json).is_some_and(|text| values.iter().any(|value| value.text == text))
    };
    match found {
        Json::Array(items) => items.iter().any(is_one),
        found => is_one(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_go_by_parts() {
        for (pattern, matching, other) in [
            ("app", vec!["app"], vec!["app.x", "ap"]),
            ("app.*", vec!["app.x"], vec!["app", "app.x.y", "apps"]),
            ("app.**", vec!["app", "app.x", "app.x.y"], vec!["apps", "x.app"]),
            ("**.test", vec!["test", "a.test", "a.b.test"], vec!["a.tests"]),
            ("app.(a|b).x", vec!["app.a.x", "app.b.x"], vec!["app.c.x", "app.a"]),
            ("**", vec!["", "a", "a.b"], vec![]),
        ] {
            let compiled = Segments::parse(pattern).unwrap();
            matching.iter().for_each(|text| assert!(compiled.matches(text), "{pattern} {text}"));
            other.iter().for_each(|text| assert!(!compiled.matches(text), "{pattern} {text}"));
        }
        for bad in ["", "a..b", "app*", "(a|b", "a|b", "(a|)", "***", "a.(b*)"] {
            assert!(Segments::parse(bad).is_none(), "{bad}");
        }
    }
}
