use std::ops::RangeInclusive;
use std::time::Duration;

use super::decode::Fields;
use super::field::Zero;

impl Fields<'_> {
    /// The truth value in field `name`; `default` if it is absent, or wrong and reported.
    pub fn flag_or(&mut self, name: &'static str, default: bool) -> bool {
        self.optional(name).and_then(|field| field.flag()).unwrap_or(default)
    }

    /// The whole number in field `name`; `default` if it is absent, or wrong and reported.
    pub fn integer_or<T>(&mut self, name: &'static str, range: RangeInclusive<T>, default: T) -> T
    where
        T: Copy + Into<i128> + TryFrom<i128>,
    {
        self.optional(name).and_then(|field| field.integer(range)).unwrap_or(default)
    }

    /// The number in field `name`; `default` if it is absent, or wrong and reported.
    pub fn number_or(
        &mut self,
        name: &'static str,
        range: RangeInclusive<f64>,
        default: f64,
    ) -> f64 {
        self.optional(name).and_then(|field| field.number(range)).unwrap_or(default)
    }

    /// The duration in field `name`; `default` if it is absent, or wrong and reported.
    pub fn duration_or(&mut self, name: &'static str, zero: Zero, default: Duration) -> Duration {
        self.optional(name).and_then(|field| field.duration(zero)).unwrap_or(default)
    }

    /// The amount of memory in field `name`, in bytes; `default` if it is absent, or wrong and
    /// reported.
    pub fn size_or(&mut self, name: &'static str, range: RangeInclusive<u64>, default: u64) -> u64 {
        self.optional(name).and_then(|field| field.size(range)).unwrap_or(default)
    }
}
