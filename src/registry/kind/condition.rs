use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::document::{Diagnostic, Field, Fields, Span, code as document_code, nearest};

use super::super::{code, pattern};

/// One condition of a policy (security.md section 4).
#[derive(Debug, Clone)]
pub struct Condition {
    /// What is looked at.
    pub field: ConditionField,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub operand: Operand,
    /// Where the condition stands.
    pub place: Span,
}

/// What a condition can look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionField {
    /// `actor.id`
    ActorId,
    /// `actor.meta.<key>...`; at least one key.
    ActorMeta(Vec<SmolStr>),
    /// `meta.<key>...`, of the attributes of the check; at least one key.
    Meta(Vec<SmolStr>),
    /// `action`
    Action,
    /// `resource`
    Resource,
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A value, of a type that the operator can take. For `matches` a valid regular expression.
    Value(Json),
    /// Another field, looked up at the check.
    Field(ConditionField),
}

/// How a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Eq,
    Ne,
    Lt,
    Gt,
    Lte,
    Gte,
    In,
    Nin,
    Contains,
    Ncontains,
    Matches,
    Nmatches,
    Exists,
    Nexists,
}

impl Operator {
    const NAMES: [(&str, Operator); 14] = [
        ("eq", Operator::Eq),
        ("ne", Operator::Ne),
        ("lt", Operator::Lt),
        ("gt", Operator::Gt),
        ("lte", Operator::Lte),
        ("gte", Operator::Gte),
        ("in", Operator::In),
        ("nin", Operator::Nin),
        ("contains", Operator::Contains),
        ("ncontains", Operator::Ncontains),
        ("matches", Operator::Matches),
        ("nmatches", Operator::Nmatches),
        ("exists", Operator::Exists),
        ("nexists", Operator::Nexists),
    ];

    fn tests_presence(self) -> bool {
        matches!(self, Operator::Exists | Operator::Nexists)
    }

    /// Why `value` could never be compared, if that is so.
    fn refuses(self, value: &Json) -> Option<String> {
        let problem = match (self, value) {
            (Operator::Exists | Operator::Nexists, Json::Bool(_)) => return None,
            (Operator::Exists | Operator::Nexists, _) => "expected true or false",
            (_, Json::Null) => "no field is equal to nothing: use `exists` or `nexists`",
            (Operator::Lt | Operator::Gt | Operator::Lte | Operator::Gte, value) => match value {
                Json::Number(_) => return None,
                Json::String(text) if text.parse::<f64>().is_ok_and(f64::is_finite) => return None,
                _ => "expected a number",
            },
            (Operator::In | Operator::Nin, Json::Array(_) | Json::String(_)) => return None,
            (Operator::In | Operator::Nin, _) => "expected a list or a text",
            (Operator::Matches | Operator::Nmatches, Json::String(text)) => {
                let reason = pattern::regex(text).err()?;
                return Some(format!("not a regular expression: {reason}"));
            }
            (Operator::Matches | Operator::Nmatches, _) => "expected a regular expression",
            _ => return None,
        };
        Some(problem.to_owned())
    }
}

impl Condition {
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let place = fields.place().clone();
        let field = fields.required("field").and_then(|field| condition_field(&field));
        let operator = fields.required("operator").and_then(|f| f.choice(&Operator::NAMES));
        let value = fields.optional("value");
        let value_from = fields.optional("value_from");
        let operand = operand(fields, operator?, value, value_from);
        Some(Self { field: field?, operator: operator?, operand: operand?, place })
    }
}

fn operand(
    fields: &Fields<'_>,
    operator: Operator,
    value: Option<Field<'_>>,
    value_from: Option<Field<'_>>,
) -> Option<Operand> {
    match (value, value_from) {
        (Some(_), Some(from)) => {
            from.refuse(code::BAD_CONDITION, "give either `value` or `value_from`, not both")
        }
        (None, None) if operator.tests_presence() => Some(Operand::Value(Json::Bool(true))),
        (None, None) => {
            let message = "the field `value` is missing (or `value_from`)";
            let place = fields.place().clone();
            fields.report(Diagnostic::error(document_code::MISSING_FIELD, place, message));
            None
        }
        (Some(value), None) => {
            let json = value.json();
            match operator.refuses(&json) {
                Some(reason) => value.refuse(code::BAD_CONDITION, reason),
                None => Some(Operand::Value(json)),
            }
        }
        (None, Some(from)) => match operator {
            Operator::Matches | Operator::Nmatches | Operator::Exists | Operator::Nexists => {
                let message = "`value_from` cannot be used with this operator: use `value`";
                from.refuse(code::BAD_CONDITION, message)
            }
            _ => condition_field(&from).map(Operand::Field),
        },
    }
}

fn condition_field(field: &Field<'_>) -> Option<ConditionField> {
    let text = field.filled_text()?.text;
    let keys = |path: &str| {
        let keys: Vec<SmolStr> = path.split('.').map(SmolStr::from).collect();
        Some(keys).filter(|keys| keys.iter().all(|key| !key.is_empty()))
    };
    let found = match text.as_str() {
        "actor.id" => Some(ConditionField::ActorId),
        "action" => Some(ConditionField::Action),
        "resource" => Some(ConditionField::Resource),
        path => match (path.strip_prefix("actor.meta."), path.strip_prefix("meta.")) {
            (Some(path), _) => keys(path).map(ConditionField::ActorMeta),
            (None, Some(path)) => keys(path).map(ConditionField::Meta),
            (None, None) => None,
        },
    };
    if found.is_none() {
        let message = format!("`{text}` is nothing that a condition can look at");
        let problem = field.problem(code::BAD_CONDITION, message);
        let problem = match nearest(&text, ["actor.id", "action", "resource"]) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None => problem,
        };
        field.report(problem.help("use actor.id, actor.meta.KEY, meta.KEY, action or resource"));
    }
    found
}
