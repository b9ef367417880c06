use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// What the spec library in `lua/spec` tells while a file runs; `lua/spec/init.lua` has the table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The declarations of a file were read.
    SuiteStart {
        /// The file or entry.
        path: String,
        /// How many tests are selected.
        tests: u32,
    },
    /// A selected test, instead of running it.
    TestListed(Test),
    /// A test begins.
    TestStart(Test),
    /// A test held.
    TestPass {
        /// Which.
        #[serde(flatten)]
        test: Test,
        /// How long it took.
        duration_ms: f64,
    },
    /// A test did not hold.
    TestFail {
        /// Which.
        #[serde(flatten)]
        test: Test,
        /// How long it took.
        duration_ms: f64,
        /// Why.
        failure: Failure,
    },
    /// A test was not run.
    TestSkip {
        /// Which.
        #[serde(flatten)]
        test: Test,
        /// Why; empty if nobody said.
        #[serde(default)]
        reason: String,
    },
    /// Something went wrong outside of any test.
    Error(Mishap),
    /// The file left something behind.
    Leaked(Leaks),
    /// The file is done.
    SuiteEnd {
        /// How long it took.
        duration_ms: f64,
    },
}

/// One test of a file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Test {
    /// Its number in the file, from 1, in the order written.
    pub id: u32,
    /// Its own name.
    pub name: String,
    /// The names of the blocks around it, outermost first.
    #[serde(default, deserialize_with = "list")]
    pub blocks: Vec<String>,
    /// Blocks and name in one text.
    pub full_name: String,
    /// Every `#word` of the full name.
    #[serde(default, deserialize_with = "list")]
    pub tags: Vec<String>,
    /// Where it is written.
    #[serde(default)]
    pub file: Option<String>,
    /// The line in that file.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Why a test did not hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
pub struct Failure {
    /// What was expected, or what was raised.
    pub message: String,
    /// The kind of the error object that was raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The expected value, written out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The actual value, written out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The places in which the two differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How the code got there, or where its coroutines wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}

/// A failure outside of any test.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Mishap {
    /// `load`, `describe`, `teardown`, `coroutine` or `node`.
    pub stage: String,
    /// Of what.
    pub name: String,
    /// Why.
    pub failure: Failure,
}

/// What a file left behind.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
pub struct Leaks {
    /// Processes that still ran and were terminated.
    #[serde(default, deserialize_with = "list")]
    pub processes: Vec<String>,
    /// Memberships of processes that nobody ended.
    #[serde(default, deserialize_with = "list")]
    pub members: Vec<String>,
}

/// A list from Lua, whose empty table may arrive as an empty object.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct List<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(item) = items.next_element()? {
                all.push(item);
            }
            Ok(all)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Vec<T>, A::Error> {
            match fields.next_key::<String>()? {
                None => Ok(Vec::new()),
                Some(key) => Err(serde::de::Error::unknown_field(&key, &[])),
            }
        }
    }

    from.deserialize_any(List(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_of_the_library_are_understood() {
        let event: Event = serde_json::from_value(json!({
            "event": "test_fail", "id": 2, "name": "adds", "blocks": {}, "full_name": "adds",
            "tags": ["slow"], "file": "a_spec.lua", "line": 3, "duration_ms": 1.5,
            "failure": {"message": "no", "line": 4},
        }))
        .unwrap();
        let Event::TestFail { test, duration_ms, failure } = event else { panic!("{event:?}") };
        assert_eq!(
            (test.blocks.len(), test.tags, test.line),
            (0, vec!["slow".to_owned()], Some(3))
        );
        assert_eq!((duration_ms, failure.line, failure.diff), (1.5, Some(4), None));
        let end: Event = serde_json::from_value(json!({
            "event": "suite_end", "path": "x", "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 3,
        }))
        .unwrap();
        assert_eq!(end, Event::SuiteEnd { duration_ms: 3.0 });
        assert!(serde_json::from_value::<Event>(json!({"event": "test_flail"})).is_err());
    }
}
