use serde_json::{Map, Value};

use super::Actor;
use super::source::Problem;

/// One question: may this action be done to this resource?
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// For example `pg.join`.
    pub action: &'a str,
    /// What it is done to, for example a group name. Only the pattern `*` matches the empty text.
    pub resource: &'a str,
    /// Facts that conditions read under `meta.`.
    pub attributes: Attributes<'a>,
}

/// Facts about one check, borrowed from the caller so that a check allocates nothing.
#[derive(Clone, Copy, Debug)]
pub enum Attributes<'a> {
    /// No facts.
    None,
    /// One text, which is what the host's own modules pass: `("scope", "app:pg")`.
    One(&'a str, &'a str),
    /// What a script handed to `security.can`.
    Map(&'a Map<String, Value>),
}

/// What a condition looks at (security.md section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// `actor.id`
    ActorId,
    /// `actor.meta.<k>[.<k>…]`
    ActorMeta(Path),
    /// `meta.<k>[.<k>…]`
    Meta(Path),
    /// `action`
    Action,
    /// `resource`
    Resource,
}

/// The keys of a nested look-up, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Box<[Box<str>]>);

/// The value of a field, borrowed from the check.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A text that is not JSON.
    Text(&'a str),
    /// Anything but null.
    Json(&'a Value),
}

impl<'a> Check<'a> {
    /// A check without attributes.
    pub fn new(action: &'a str, resource: &'a str) -> Self {
        Self { action, resource, attributes: Attributes::None }
    }

    /// The same check with `attributes`.
    #[must_use]
    pub fn with(self, attributes: Attributes<'a>) -> Self {
        Self { attributes, ..self }
    }
}

impl Field {
    /// Compiles a dotted name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let unknown = || Problem::UnknownField(text.to_owned());
        match text {
            "actor.id" => return Ok(Self::ActorId),
            "action" => return Ok(Self::Action),
            "resource" => return Ok(Self::Resource),
            _ => {}
        }
        if let Some(keys) = text.strip_prefix("actor.meta.") {
            return Path::parse(keys).map(Self::ActorMeta).ok_or_else(unknown);
        }
        let keys = text.strip_prefix("meta.").ok_or_else(unknown)?;
        Path::parse(keys).map(Self::Meta).ok_or_else(unknown)
    }

    /// The value in this check. An absent or null value is `None`.
    pub fn resolve<'a>(&self, actor: Option<&'a Actor>, check: &Check<'a>) -> Option<Operand<'a>> {
        match self {
            Self::ActorId => actor.map(Actor::id).filter(|id| !id.is_empty()).map(Operand::Text),
            Self::ActorMeta(path) => path.look_up(actor?.meta()),
            Self::Action => Some(Operand::Text(check.action)),
            Self::Resource => Some(Operand::Text(check.resource)),
            Self::Meta(path) => match check.attributes {
                Attributes::None => None,
                Attributes::One(key, value) => path.is(key).then_some(Operand::Text(value)),
                Attributes::Map(map) => path.look_up(map),
            },
        }
    }
}

impl Path {
    fn parse(keys: &str) -> Option<Self> {
        let keys: Box<[Box<str>]> = keys.split('.').map(Into::into).collect();
        keys.iter().all(|key| !key.is_empty()).then_some(Self(keys))
    }

    fn is(&self, only: &str) -> bool {
        matches!(&*self.0, [key] if **key == *only)
    }

    fn look_up<'a>(&self, map: &'a Map<String, Value>) -> Option<Operand<'a>> {
        let (first, rest) = self.0.split_first()?;
        let mut value = map.get(&**first)?;
        for key in rest {
            value = value.as_object()?.get(&**key)?;
        }
        (!value.is_null()).then_some(Operand::Json(value))
    }
}

impl<'a> Operand<'a> {
    /// The text, if it is one.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(value) => value.as_str(),
        }
    }

    /// The items, if it is a list.
    pub fn list(self) -> Option<&'a [Value]> {
        match self {
            Self::Text(_) => None,
            Self::Json(value) => value.as_array().map(Vec::as_slice),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_known_roots_are_fields() {
        for good in ["actor.id", "actor.meta.a", "actor.meta.a.b", "meta.a", "action", "resource"] {
            assert!(Field::parse(good).is_ok(), "{good}");
        }
        let bad = [
            "",
            "actor",
            "actor.",
            "actor.foo",
            "actor.meta",
            "actor.meta.",
            "meta",
            "meta.",
            "meta..a",
            "meta.a.",
            "actor.idx",
            "actions",
            "Action",
            "anything.else",
            "actor.id.x",
        ];
        for text in bad {
            assert_eq!(Field::parse(text), Err(Problem::UnknownField(text.to_owned())));
        }
    }

    #[test]
    fn look_ups_nest_and_null_is_absent() {
        let meta = json!({"team": {"name": "red", "lead": null}, "tier": "gold"});
        let actor = Actor::new("u1", meta.as_object().unwrap().clone());
        let attributes = json!({"scope": "app:pg", "n": {"deep": [1]}});
        let check =
            Check::new("pg.join", "room").with(Attributes::Map(attributes.as_object().unwrap()));
        let text = |field: &str| {
            Field::parse(field).unwrap().resolve(Some(&actor), &check).and_then(Operand::text)
        };
        assert_eq!(text("actor.id"), Some("u1"));
        assert_eq!(text("actor.meta.team.name"), Some("red"));
        assert_eq!(text("actor.meta.tier"), Some("gold"));
        assert_eq!(text("meta.scope"), Some("app:pg"));
        assert_eq!(text("action"), Some("pg.join"));
        assert_eq!(text("resource"), Some("room"));
        for absent in ["actor.meta.team.lead", "actor.meta.tier.x", "actor.meta.none", "meta.n.x"] {
            let field = Field::parse(absent).unwrap();
            assert!(field.resolve(Some(&actor), &check).is_none(), "{absent}");
        }
        let list = Field::parse("meta.n.deep").unwrap().resolve(None, &check).unwrap();
        assert_eq!(list.list(), Some(&[json!(1)][..]));
    }

    #[test]
    fn a_single_attribute_answers_to_its_key_only() {
        let check = Check::new("a", "r").with(Attributes::One("scope", "app:pg"));
        let resolve = |field: &str| Field::parse(field).unwrap().resolve(None, &check);
        assert_eq!(resolve("meta.scope").and_then(Operand::text), Some("app:pg"));
        assert!(resolve("meta.scope.x").is_none());
        assert!(resolve("meta.other").is_none());
    }

    #[test]
    fn an_actor_without_id_has_no_id() {
        let nobody = Actor::new("", Map::new());
        let check = Check::new("a", "r");
        assert!(Field::ActorId.resolve(Some(&nobody), &check).is_none());
        assert!(Field::ActorId.resolve(None, &check).is_none());
        assert!(Field::parse("actor.meta.x").unwrap().resolve(Some(&nobody), &check).is_none());
    }
}
