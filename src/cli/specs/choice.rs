use std::hash::{BuildHasher, BuildHasherDefault};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use regex::Regex;
use rustc_hash::FxHasher;

/// Which tests run, and in which order.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Runs a test if this is found in its full name.
    pub pattern: Option<Regex>,
    /// Runs a test if it has one of these tags; empty: whatever its tags.
    pub tags: Vec<String>,
    /// The seed of the order; without one tests run as written.
    pub seed: Option<u64>,
}

impl Choice {
    /// Whether a test is to run.
    pub fn accepts(&self, full_name: &str, tags: &[String]) -> bool {
        let named = self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(full_name));
        named && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
    }

    /// The source of the order inside one file. Every file has its own, so that files which run at
    /// the same time do not change each other's order.
    pub fn order(&self, path: &str) -> Option<Order> {
        let of_path = BuildHasherDefault::<FxHasher>::default().hash_one(path);
        self.seed.map(|seed| Order(StdRng::seed_from_u64(seed ^ of_path)))
    }
}

/// Gives one order after the other.
#[derive(Debug)]
pub struct Order(StdRng);

impl Order {
    /// The numbers 1 to `count`, shuffled.
    pub fn next(&mut self, count: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (1..=count).collect();
        numbers.shuffle(&mut self.0);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_tag_must_both_fit() {
        let tags = |all: &[&str]| all.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let choice = Choice {
            pattern: Some(Regex::new("join.*twice").unwrap()),
            tags: tags(&["slow", "net"]),
            seed: None,
        };
        assert!(choice.accepts("pg joins twice #net", &tags(&["net"])));
        assert!(!choice.accepts("pg joins twice", &[]));
        assert!(!choice.accepts("pg leaves #net", &tags(&["net"])));
        assert!(Choice::default().accepts("anything", &[]));
    }

    #[test]
    fn a_seed_repeats_its_order() {
        let choice = Choice { seed: Some(7), ..Choice::default() };
        let orders = |path| {
            let mut order = choice.order(path).unwrap();
            [order.next(20), order.next(20)]
        };
        assert_eq!(orders("a"), orders("a"));
        assert_ne!(orders("a"), orders("b"));
        let mut sorted = orders("a")[0].clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..=20).collect::<Vec<_>>());
        assert!(Choice::default().order("a").is_none());
    }
}
