use super::check::Field;
use super::operator::{Operator, Undecidable};
use super::source::{ConditionSource, PolicyFault, Problem};
use super::{Actor, Check};

/// A compiled condition of a policy.
#[derive(Clone, Debug)]
pub struct Condition {
    field: Field,
    operator: Operator,
}

/// What the conditions of a policy say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All hold.
    Hold,
    /// At least one is false, so the policy does not apply whatever the others say.
    Fail,
    /// None is false, and at least one cannot be decided.
    Undecidable(Undecidable),
}

impl Condition {
    /// Compiles `source`, which stands at `place` (`conditions[0]`) of its policy. Each fault of it
    /// is added to `faults`.
    pub fn compile(
        source: &ConditionSource,
        place: &str,
        faults: &mut Vec<PolicyFault>,
    ) -> Option<Self> {
        let mut note = |key: &str, problem: Problem| {
            faults.push(PolicyFault { field: format!("{place}.{key}"), problem });
        };
        let field = Field::parse(&source.field).map_err(|problem| note("field", problem)).ok();
        let operator = Operator::compile(source).map_err(|(key, problem)| note(key, problem)).ok();
        Some(Self { field: field?, operator: operator? })
    }

    fn holds(&self, actor: Option<&Actor>, check: &Check<'_>) -> Result<bool, Undecidable> {
        self.operator.holds(self.field.resolve(actor, check), actor, check)
    }
}

impl Verdict {
    /// The conjunction of `conditions`, in any order.
    pub fn of(conditions: &[Condition], actor: Option<&Actor>, check: &Check<'_>) -> Self {
        let mut verdict = Self::Hold;
        for condition in conditions {
            match condition.holds(actor, check) {
                Ok(true) => {}
                Ok(false) => return Self::Fail,
                Err(reason) => verdict = Self::Undecidable(reason),
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests;
