use crate::document::{Diagnostic, Field, Fields, Text, code as document_code};
use crate::id::EntryId;

use super::super::code;
use super::condition::Condition;
use super::context::EntryContext;

/// A rule of what is allowed (`security.policy`, security.md sections 2 to 5). The texts are
/// checked, so that compiling them cannot fail.
#[derive(Debug, Clone)]
pub struct SecurityPolicy {
    /// Patterns of actions, at least one. A `*` stands only at the end.
    pub actions: Vec<Text>,
    /// Patterns of resources, at least one. A `*` stands only at the end.
    pub resources: Vec<Text>,
    /// What it says where it applies.
    pub effect: Effect,
    /// All of them have to hold for it to apply.
    pub conditions: Vec<Condition>,
    /// The groups that it is in.
    pub groups: Vec<EntryId>,
}

/// What a policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Yes, unless another one says no.
    Allow,
    /// No.
    Deny,
}

impl SecurityPolicy {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        fields.required("policy");
        let rule = fields.block("policy", Rule::read);
        let mut groups = Vec::new();
        for item in fields.optional("groups").and_then(|field| field.items()).unwrap_or_default() {
            if let Some(group) = context.new_group(&item).filter(|group| !groups.contains(group)) {
                groups.push(group);
            }
        }
        let Rule { actions, resources, effect, conditions } = rule??;
        Some(Self { actions, resources, effect, conditions, groups })
    }
}

/// The block `policy`.
struct Rule {
    actions: Vec<Text>,
    resources: Vec<Text>,
    effect: Effect,
    conditions: Vec<Condition>,
}

impl Rule {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let effects = [("allow", Effect::Allow), ("deny", Effect::Deny)];
        let actions = fields.required("actions");
        let resources = fields.required("resources");
        let effect = fields.required("effect").and_then(|field| field.choice(&effects));
        let patterns = |field: Option<Field<'_>>| {
            let patterns = patterns(&field?)?;
            if effect == Some(Effect::Deny) {
                patterns.iter().for_each(|(field, text)| warn_of_narrow_deny(field, text));
            }
            Some(patterns.into_iter().map(|(_, text)| text).collect::<Vec<_>>())
        };
        let (actions, resources) = (patterns(actions), patterns(resources));
        let conditions = fields.blocks("conditions", Condition::read).unwrap_or_default();
        let conditions: Option<Vec<Condition>> = conditions.into_iter().collect();
        Some(Self {
            actions: actions?,
            resources: resources?,
            effect: effect?,
            conditions: conditions?,
        })
    }
}

/// The patterns in `field`, a text or a list of texts; `None` if there is none that is right.
fn patterns<'a>(field: &Field<'a>) -> Option<Vec<(Field<'a>, Text)>> {
    let items = match field.node().as_list() {
        Some([]) => return field.refuse(document_code::INVALID_VALUE, "the list is empty"),
        Some(_) => field.items()?,
        None => vec![field.clone()],
    };
    let pattern = |item: Field<'a>| {
        let text = item.filled_text()?;
        let body = text.text.strip_suffix('*').unwrap_or(&text.text);
        if !body.contains('*') {
            return Some((item, text));
        }
        let message = format!("the pattern `{}` has a `*` before its end", text.text);
        let problem = item.problem(code::BAD_PATTERN, message);
        let help = "`*` matches everything, `name.*` a name and all below it, `text*` a beginning";
        item.report(problem.help(help));
        None
    };
    let patterns: Vec<_> = items.into_iter().filter_map(pattern).collect();
    Some(patterns).filter(|patterns| !patterns.is_empty())
}

/// `X.*` does not match what merely begins with `X`, so a deny may let through more than meant.
fn warn_of_narrow_deny(field: &Field<'_>, pattern: &Text) {
    let Some(family) = pattern.text.strip_suffix(".*") else { return };
    let message = format!(
        "this denies `{family}` and what begins with `{family}.`, but nothing else that begins with `{family}`"
    );
    let warning = Diagnostic::warning(code::NARROW_DENY, pattern.span.clone(), message);
    let help = format!("write `{family}*` to deny all that begins with `{family}`");
    field.report(warning.field(field.path()).help(help));
}
