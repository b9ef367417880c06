use std::fmt::Write;

use crate::pg::{Change, Event, Member};
use crate::value::{Encoder, Values};

/// An event as scripts get it (pg.md, "Events"): `{system, kind, path, data = {Group, PIDs}}`, with
/// `data.Dropped` if events before it did not fit the subscriber's buffer.
pub(super) fn encode(event: &Event, dropped: u64) -> Values {
    let mut encoder = Encoder::new();
    let group = event.group.as_str().as_bytes();
    let (_, all) = encoder.begin_table();
    pair(&mut encoder, "system", b"pg");
    let kind = match event.change {
        Change::Joined => "member.joined",
        Change::Left => "member.left",
    };
    pair(&mut encoder, "kind", kind.as_bytes());
    pair(&mut encoder, "path", group);
    encoder.str(b"data");
    let (_, data) = encoder.begin_table();
    pair(&mut encoder, "Group", group);
    encoder.str(b"PIDs");
    let (_, list) = encoder.begin_table();
    let mut text = String::new();
    let mut slots = 0;
    for (member, times) in event.members() {
        write_pid(&mut text, member);
        for _ in 0..times {
            encoder.str(text.as_bytes());
            slots += 1;
        }
    }
    encoder.end_table(list, slots, 0);
    if dropped > 0 {
        encoder.str(b"Dropped");
        encoder.int(dropped as i64);
    }
    encoder.end_table(data, 0, 2 + u32::from(dropped > 0));
    encoder.end_table(all, 0, 4);
    encoder.finish()
}

fn pair(encoder: &mut Encoder, key: &str, value: &[u8]) {
    encoder.str(key.as_bytes());
    encoder.str(value);
}

fn write_pid(text: &mut String, member: Member<'_>) {
    text.clear();
    // Writing into a text cannot fail.
    let _ = write!(text, "{}", member.to_pid());
}
