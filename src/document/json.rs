use serde_json::{Map as JsonMap, Number, Value as Json};

use super::code;
use super::diagnostic::Diagnostic;
use super::node::{Kind, Node};
use super::report::Report;
use super::scalar::Implied;

impl Node {
    /// The value as JSON, for data of which nothing says what type it has. Words that may be
    /// numbers or names are reported, with their path below `path`, and left as text.
    pub fn to_json(&self, path: &str, problems: &mut Report) -> Json {
        match &self.kind {
            Kind::List(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| item.to_json(&format!("{path}[{index}]"), problems))
                .collect(),
            Kind::Map(map) => {
                let mut object = JsonMap::new();
                for entry in map {
                    let below = child_path(path, &entry.key);
                    object.insert(entry.key.to_string(), entry.value.to_json(&below, problems));
                }
                Json::Object(object)
            }
            Kind::Scalar(scalar) => match scalar.implied() {
                Ok(Implied::Null) => Json::Null,
                Ok(Implied::Bool(value)) => Json::from(value),
                Ok(Implied::Int(value)) => Json::from(value),
                Ok(Implied::Float(value)) => {
                    Number::from_f64(value).map_or(Json::Null, Json::Number)
                }
                Ok(Implied::Text(text)) => Json::from(text.as_str()),
                Err(ambiguity) => {
                    let message = ambiguity.to_string();
                    let place = self.span.clone();
                    problems
                        .push(Diagnostic::error(code::AMBIGUOUS_VALUE, place, message).field(path));
                    Json::from(scalar.text.as_str())
                }
            },
        }
    }
}

/// The path of `key` in the map at `path`.
pub fn child_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
