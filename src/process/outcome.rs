use crate::value::{ErrorValue, Values, kind};

/// How a process ended (process.md section 9).
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Main returned; its first value, exactly one.
    Normal(Values),
    /// Main failed.
    Failed(ErrorValue),
    /// Somebody forced the end.
    Terminated,
}

impl Outcome {
    /// The result as monitors and callers see it.
    pub fn result(&self) -> Result<Values, ErrorValue> {
        match self {
            Self::Normal(value) => Ok(value.clone()),
            Self::Failed(error) => Err(error.clone()),
            Self::Terminated => Err(ErrorValue::new(kind::INTERNAL, "process terminated")),
        }
    }

    /// Whether links fire.
    pub fn is_error(&self) -> bool {
        !matches!(self, Self::Normal(_))
    }
}
