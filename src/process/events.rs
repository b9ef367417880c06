//! The events of `process.events()` (process.md section 6).

use std::time::{SystemTime, UNIX_EPOCH};

use smol_str::SmolStr;

use super::{Message, Outcome, Source};
use crate::value::{Encoder, ErrorValue, Values};

/// `kind` of a CANCEL event (process.md section 6).
pub const CANCEL: &str = "pid.cancel";
/// `kind` of an EXIT event.
pub const EXIT: &str = "pid.exit";
/// `kind` of a LINK_DOWN event.
pub const LINK_DOWN: &str = "pid.link.down";
/// `kind` of an OUTDATED event.
pub const OUTDATED: &str = "pid.outdated";

/// The topics of events: all reach `process.events()`. They differ so that unmonitor and unlink can
/// take back what is still queued.
pub(super) mod topic {
    pub const CANCEL: &str = "@pid/events/cancel";
    pub const EXIT: &str = "@pid/events/exit";
    pub const LINK_DOWN: &str = "@pid/events/link";
    pub const OUTDATED: &str = "@pid/events/outdated";
}

/// The sender that scripts see when the system itself cancels.
pub const NOBODY: &str = "{|}";

/// A request to stop, with a reason that may be empty.
pub fn cancel(from: &str, reason: &str) -> Message {
    event(topic::CANCEL, CANCEL, from, |encoder| {
        encoder.str(b"reason");
        encoder.str(reason.as_bytes());
    })
}

/// The end of a monitored process.
pub fn exit(from: &str, outcome: &Outcome) -> Message {
    event(topic::EXIT, EXIT, from, |encoder| result(encoder, &outcome.result()))
}

/// The end of a linked process with an error.
pub fn link_down(from: &str, error: &ErrorValue) -> Message {
    event(topic::LINK_DOWN, LINK_DOWN, from, |encoder| result(encoder, &Err(error.clone())))
}

/// Changed code: the entries that changed or were affected through an import.
pub fn outdated(from: &str, sources: &[String]) -> Message {
    event(topic::OUTDATED, OUTDATED, from, |encoder| {
        encoder.str(b"sources");
        let (_, mark) = encoder.begin_table();
        sources.iter().for_each(|source| encoder.str(source.as_bytes()));
        encoder.end_table(mark, sources.len() as u32, 0);
    })
}

/// A table `{kind, from, at, ...}`, where `last` writes one more key and its value.
fn event(topic: &'static str, kind: &str, from: &str, last: impl FnOnce(&mut Encoder)) -> Message {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut encoder = Encoder::new();
    let (_, mark) = encoder.begin_table();
    encoder.str(b"kind");
    encoder.str(kind.as_bytes());
    encoder.str(b"from");
    encoder.str(from.as_bytes());
    encoder.str(b"at");
    encoder.int(now.as_secs() as i64);
    last(&mut encoder);
    encoder.end_table(mark, 0, 4);
    Message { source: Source::System, topic: SmolStr::new_static(topic), values: encoder.finish() }
}

fn result(encoder: &mut Encoder, result: &Result<Values, ErrorValue>) {
    encoder.str(b"result");
    let (_, mark) = encoder.begin_table();
    let mut pairs = 0;
    match result {
        Ok(value) if *value == Values::NIL || value.is_empty() => {}
        Ok(value) => {
            encoder.str(b"value");
            encoder.embed(value);
            pairs = 1;
        }
        Err(error) => {
            encoder.str(b"error");
            encoder.error(error);
            pairs = 1;
        }
    }
    encoder.end_table(mark, 0, pairs);
}
