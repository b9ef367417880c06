use std::time::Duration;

use serde_json::{Map as JsonMap, Value as Json};
use smol_str::SmolStr;

use crate::document::{Diagnostic, Fields, Zero, code};
use crate::id::EntryId;

use super::context::{EntryContext, Wanted};
use super::ordered;

/// How a service is started, restarted and stopped (supervision.md section 2).
#[derive(Debug, Clone, PartialEq)]
pub struct Lifecycle {
    /// Start with the node. Default `false`.
    pub auto_start: bool,
    /// Whether the node waits for it. Default [`Startup::Required`].
    pub startup: Startup,
    /// What has to be up before; from `requires` and the older `depends_on`, each id once.
    pub requires: Vec<EntryId>,
    /// Bound on one start. Default 10 s.
    pub start_timeout: Duration,
    /// Bound on one stop. Default 10 s.
    pub stop_timeout: Duration,
    /// How long it has to run for the next failure to count as the first. Default 5 s.
    pub stable_threshold: Duration,
    /// What happens after a failure.
    pub restart: RestartPolicy,
    /// As whom it acts; `None` without a `security` block.
    pub security: Option<ServiceSecurity>,
}

/// Whether the start of the node depends on a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Startup {
    /// The node is ready only with it.
    Required,
    /// The node is ready without it; failures are retried in the background.
    Optional,
}

/// The waits between a failure and the next start (supervision.md section 5).
#[derive(Debug, Clone, PartialEq)]
pub struct RestartPolicy {
    /// Wait after the first failure. Default 1 s.
    pub initial_delay: Duration,
    /// Longest wait. Default 90 s.
    pub max_delay: Duration,
    /// Growth of the wait with each failure, at least 1. Default 2.
    pub backoff_factor: f64,
    /// Random share of the wait, 0 to 1. Default 0.1.
    pub jitter: f64,
    /// Failures in a row after which it stays down; 0 is without limit, the default.
    pub max_attempts: u32,
}

/// The actor and the policies of a service (security.md section 6).
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceSecurity {
    /// Id of the actor.
    pub actor_id: SmolStr,
    /// What else is known of the actor.
    pub actor_meta: JsonMap<String, Json>,
    /// Groups whose policies apply.
    pub groups: Vec<EntryId>,
    /// Policies that apply.
    pub policies: Vec<EntryId>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self {
            auto_start: false,
            startup: Startup::Required,
            requires: Vec::new(),
            start_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(10),
            stable_threshold: Duration::from_secs(5),
            restart: RestartPolicy::default(),
            security: None,
        }
    }
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            initial_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(90),
            backoff_factor: 2.0,
            jitter: 0.1,
            max_attempts: 0,
        }
    }
}

impl Lifecycle {
    /// Reads the `lifecycle` block of a service.
    pub(super) fn of(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Self {
        fields.block("lifecycle", |fields| Self::read(fields, context)).unwrap_or_default()
    }

    fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Self {
        use Zero::{Allowed, Refused};
        let d = Self::default();
        let startups = [("required", Startup::Required), ("optional", Startup::Optional)];
        let auto_start = fields.flag_or("auto_start", d.auto_start);
        let startup = fields.optional("startup").and_then(|field| field.choice(&startups));
        let mut requires: Vec<EntryId> = Vec::new();
        for name in ["requires", "depends_on"] {
            let ids = fields.optional(name).map(|field| context.ids(&field, Wanted::Any));
            for id in ids.unwrap_or_default() {
                if !requires.contains(&id) {
                    requires.push(id);
                }
            }
        }
        Self {
            auto_start,
            startup: startup.unwrap_or(d.startup),
            requires,
            start_timeout: fields.duration_or("start_timeout", Refused, d.start_timeout),
            stop_timeout: fields.duration_or("stop_timeout", Refused, d.stop_timeout),
            stable_threshold: fields.duration_or("stable_threshold", Allowed, d.stable_threshold),
            restart: fields.block("restart", RestartPolicy::read).unwrap_or_default(),
            security: fields
                .block("security", |fields| ServiceSecurity::read(fields, context))
                .flatten(),
        }
    }
}

impl RestartPolicy {
    fn read(fields: &mut Fields<'_>) -> Self {
        let d = Self::default();
        let (initial_delay, max_delay) =
            ordered::delays(fields, ("initial_delay", d.initial_delay), ("max_delay", d.max_delay));
        Self {
            initial_delay,
            max_delay,
            backoff_factor: fields.number_or("backoff_factor", 1.0..=f64::MAX, d.backoff_factor),
            jitter: fields.number_or("jitter", 0.0..=1.0, d.jitter),
            max_attempts: fields.integer_or("max_attempts", 0..=u32::MAX, d.max_attempts),
        }
    }
}

impl ServiceSecurity {
    fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        let actor = fields.block("actor", |actor| {
            let id = actor.required("id").and_then(|field| field.filled_text());
            let meta = actor.optional("meta").and_then(|field| {
                field.pairs()?;
                field.json().as_object().cloned()
            });
            id.map(|id| (id.text, meta.unwrap_or_default()))
        });
        if actor.is_none() && fields.is_present() {
            let message = "the field `actor` is missing: a `security` block says who acts";
            let missing = Diagnostic::error(code::MISSING_FIELD, fields.place().clone(), message);
            fields.report(missing.help("add `actor: {id: \"...\"}`"));
        }
        let mut ids = |name, wanted| {
            fields.optional(name).map(|field| context.ids(&field, wanted)).unwrap_or_default()
        };
        let groups = ids("groups", Wanted::PolicyGroup);
        let policies = ids("policies", Wanted::Policy);
        let (actor_id, actor_meta) = actor.flatten()?;
        Some(Self { actor_id, actor_meta, groups, policies })
    }
}
