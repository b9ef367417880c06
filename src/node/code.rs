//! From registry entries to what the layers below run and decide by.

use crate::id::EntryId;
use crate::lua::{Modules, Program, Role};
use crate::registry::kind::{Effect, SecurityPolicy};
use crate::registry::{Definition, Entry, Registry};
use crate::security::{ConditionSource, Policy, PolicyFault, PolicySource, PolicyWarning};

/// The code of every entry that has some.
pub fn programs(registry: &Registry) -> Vec<Program> {
    registry.iter().filter_map(|entry| program(entry)).collect()
}

fn program(entry: &Entry) -> Option<Program> {
    let code = entry.definition().lua_code()?;
    let (role, method) = match entry.definition() {
        Definition::ProcessLua(process) => (Role::Process, process.method.to_string()),
        Definition::FunctionLua(function) => (Role::Function, function.method.to_string()),
        _ => (Role::Library, String::new()),
    };
    Some(Program {
        id: entry.id().clone(),
        role,
        chunk_name: entry.id().to_string(),
        source: code.text.clone(),
        method,
        modules: Modules::Listed(code.modules.iter().map(|name| name.to_string()).collect()),
        imports: code.imports.iter().map(|i| (i.alias.to_string(), i.id.clone())).collect(),
        default_host: entry.default_host(),
    })
}

/// The `pg.scope` entries.
pub fn scopes(registry: &Registry) -> impl Iterator<Item = EntryId> {
    let is_scope = |entry: &&Entry| matches!(entry.definition(), Definition::PgScope(_));
    registry.iter().map(|entry| &**entry).filter(is_scope).map(|entry| entry.id().clone())
}

/// What is wrong with a policy, or worth a warning.
#[derive(Debug)]
pub enum PolicyRemark {
    /// It cannot be used.
    Fault(EntryId, PolicyFault),
    /// It may surprise.
    Warning(EntryId, PolicyWarning),
}

/// Every policy of a registry, compiled. Faults are left out of the policies.
pub fn policies(registry: &Registry) -> (Vec<Policy>, Vec<PolicyRemark>) {
    let mut remarks = Vec::new();
    let mut policies = Vec::new();
    for entry in registry.iter() {
        let Definition::SecurityPolicy(definition) = entry.definition() else { continue };
        let id = entry.id();
        match source(entry, definition).compile() {
            Ok(compiled) => {
                let warnings = compiled.warnings.into_iter();
                remarks.extend(warnings.map(|w| PolicyRemark::Warning(id.clone(), w)));
                policies.push(compiled.policy);
            }
            Err(faults) => {
                remarks.extend(faults.into_iter().map(|f| PolicyRemark::Fault(id.clone(), f)));
            }
        }
    }
    (policies, remarks)
}

fn source(entry: &Entry, definition: &SecurityPolicy) -> PolicySource {
    let texts = |patterns: &[crate::document::Text]| {
        patterns.iter().map(|pattern| pattern.text.to_string()).collect()
    };
    let conditions = entry.data().pointer("/policy/conditions").and_then(|list| list.as_array());
    PolicySource {
        id: entry.id().clone(),
        actions: texts(&definition.actions),
        resources: texts(&definition.resources),
        effect: match definition.effect {
            Effect::Allow => "allow".into(),
            Effect::Deny => "deny".into(),
        },
        conditions: conditions.into_iter().flatten().map(condition).collect(),
        groups: definition.groups.clone(),
    }
}

fn condition(json: &serde_json::Value) -> ConditionSource {
    let text = |key: &str| json.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    ConditionSource {
        field: text("field").unwrap_or_default(),
        operator: text("operator").unwrap_or_default(),
        value: json.get("value").cloned(),
        value_from: text("value_from"),
    }
}
