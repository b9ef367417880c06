use smallvec::SmallVec;

use super::primitives::Cursor;
use super::{
    Body, Generation, MAX_SYNC_CHUNKS, MAX_TOPIC_BYTES, Message, NamedHosts, Run, Step, SyncChunk,
    WIRE_VERSION, kind,
};
use crate::id::{HostIndex, Incarnation, MAX_GROUP_NAME_BYTES, Serial};
use crate::pg::Change;
use crate::pg::digest::Digest;

/// Why a frame cannot be read. Whatever it is, the frame is refused as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedFrame {
    /// It ends too early, or counts more than it holds.
    #[error("the frame ends too early")]
    Truncated,
    /// Bytes follow its end.
    #[error("bytes follow the end of the frame")]
    Trailing,
    /// It is of a protocol version that this node does not speak.
    #[error("protocol version {0} is not supported")]
    Version(u8),
    /// It is of a kind that does not exist.
    #[error("there is no message kind {0}")]
    Kind(u8),
    /// A number is out of its range.
    #[error("a number is out of range")]
    Number,
    /// A text is not UTF-8, or not what its place allows.
    #[error("a text is not valid")]
    Text,
    /// Members are not in ascending order, a group comes twice, or something that must not be
    /// empty is.
    #[error("a list is not well-formed")]
    List,
    /// The payload is not a sequence of values.
    #[error("the payload is not valid")]
    Payload,
}

/// The scope that `frame` belongs to, without a look at the rest.
///
/// # Errors
/// [`MalformedFrame`] if not even that can be read.
pub fn frame_scope(frame: &[u8]) -> Result<&str, MalformedFrame> {
    let mut cursor = Cursor::new(frame);
    expect_version(&mut cursor)?;
    cursor.byte()?;
    cursor.text()
}

impl<'a> Message<'a> {
    /// Reads and checks `frame`.
    ///
    /// # Errors
    /// [`MalformedFrame`], whatever the bytes are.
    pub fn decode(frame: &'a [u8]) -> Result<Self, MalformedFrame> {
        let mut cursor = Cursor::new(frame);
        expect_version(&mut cursor)?;
        let kind = cursor.byte()?;
        let scope = cursor.text()?;
        let node = cursor.text()?;
        let run = run(&mut cursor)?;
        let body = match kind {
            kind::DISCOVER => discover(&mut cursor)?,
            kind::ANNOUNCE => announce(&mut cursor)?,
            kind::SYNC => Body::Sync(sync(&mut cursor)?),
            kind::DIGEST => Body::Digest(digest(&mut cursor)?),
            kind::SYNC_REQUEST => Body::SyncRequest,
            kind::ABSENT => Body::Absent,
            kind::BROADCAST => broadcast(&mut cursor)?,
            other => return Err(MalformedFrame::Kind(other)),
        };
        if !cursor.is_empty() {
            return Err(MalformedFrame::Trailing);
        }
        Ok(Self { scope, node, run, body })
    }
}

fn expect_version(cursor: &mut Cursor<'_>) -> Result<(), MalformedFrame> {
    match cursor.byte()? {
        WIRE_VERSION => Ok(()),
        other => Err(MalformedFrame::Version(other)),
    }
}

fn run(cursor: &mut Cursor<'_>) -> Result<Run, MalformedFrame> {
    let incarnation = Incarnation(u64::from_le_bytes(cursor.array()?));
    Ok(Run { incarnation, generation: Generation(cursor.varint()?) })
}

fn digest(cursor: &mut Cursor<'_>) -> Result<Digest, MalformedFrame> {
    let (version, slots) = (cursor.varint()?, cursor.varint()?);
    Ok(Digest { version, slots, hash: u64::from_le_bytes(cursor.array()?) })
}

fn discover<'a>(cursor: &mut Cursor<'a>) -> Result<Body<'a>, MalformedFrame> {
    let own = digest(cursor)?;
    let held = match cursor.byte()? {
        0 => None,
        1 => Some((run(cursor)?, digest(cursor)?)),
        _ => return Err(MalformedFrame::Number),
    };
    Ok(Body::Discover { own, held })
}

fn announce<'a>(cursor: &mut Cursor<'a>) -> Result<Body<'a>, MalformedFrame> {
    let from = cursor.varint()?;
    let hosts = hosts(cursor)?;
    let count = cursor.varint()?;
    let mut steps = SmallVec::with_capacity(cursor.capacity(count, 4));
    for _ in 0..count {
        steps.push(step(cursor, &hosts)?);
    }
    from.checked_add(count).filter(|_| count > 0).ok_or(MalformedFrame::Number)?;
    Ok(Body::Announce { from, hosts, steps })
}

fn step<'a>(cursor: &mut Cursor<'a>, hosts: &NamedHosts<'_>) -> Result<Step<'a>, MalformedFrame> {
    let change = match cursor.byte()? {
        0 => Change::Joined,
        1 => Change::Left,
        _ => return Err(MalformedFrame::Number),
    };
    let member = member(cursor.varint()?, hosts)?;
    let count = cursor.varint()?;
    let mut groups = SmallVec::with_capacity(cursor.capacity(count, 3));
    for _ in 0..count {
        groups.push((group(cursor)?, times(cursor)?));
    }
    if groups.is_empty() {
        return Err(MalformedFrame::List);
    }
    Ok(Step { change, member, groups })
}

fn sync<'a>(cursor: &mut Cursor<'a>) -> Result<SyncChunk<'a>, MalformedFrame> {
    let version = cursor.varint()?;
    let number = |n: u64| u32::try_from(n).map_err(|_| MalformedFrame::Number);
    let (index, total) = (number(cursor.varint()?)?, number(cursor.varint()?)?);
    if index >= total || total > MAX_SYNC_CHUNKS {
        return Err(MalformedFrame::Number);
    }
    let hosts = hosts(cursor)?;
    let mut groups: Vec<(&str, Vec<(Serial, u64)>)> = Vec::new();
    while !cursor.is_empty() {
        groups.push((group(cursor)?, members(cursor, &hosts)?));
    }
    Ok(SyncChunk { version, index, total, hosts, groups })
}

fn members(
    cursor: &mut Cursor<'_>,
    hosts: &NamedHosts<'_>,
) -> Result<Vec<(Serial, u64)>, MalformedFrame> {
    let count = cursor.varint()?;
    let mut members = Vec::with_capacity(cursor.capacity(count, 2));
    let mut last = 0u64;
    for place in 0..count {
        let distance = cursor.varint()?;
        if place > 0 && distance == 0 {
            return Err(MalformedFrame::List);
        }
        last = last.checked_add(distance).ok_or(MalformedFrame::Number)?;
        members.push((member(last, hosts)?, times(cursor)?));
    }
    if members.is_empty() { Err(MalformedFrame::List) } else { Ok(members) }
}

fn hosts<'a>(cursor: &mut Cursor<'a>) -> Result<NamedHosts<'a>, MalformedFrame> {
    let count = cursor.varint()?;
    let mut hosts = SmallVec::with_capacity(cursor.capacity(count, 2));
    for _ in 0..count {
        let index = u16::try_from(cursor.varint()?).map_err(|_| MalformedFrame::Number)?;
        if index > HostIndex::MAX.0 {
            return Err(MalformedFrame::Number);
        }
        hosts.push((HostIndex(index), cursor.text()?));
    }
    Ok(hosts)
}

fn broadcast<'a>(cursor: &mut Cursor<'a>) -> Result<Body<'a>, MalformedFrame> {
    let group = group(cursor)?;
    let topic = cursor.text()?;
    if topic.is_empty() || topic.starts_with('@') || topic.len() > MAX_TOPIC_BYTES {
        return Err(MalformedFrame::Text);
    }
    let sender = Serial(cursor.varint()?);
    let host = cursor.text()?;
    let values = std::mem::replace(cursor, Cursor::new(&[])).rest();
    Ok(Body::Broadcast { group, topic, sender, host, values })
}

fn group<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, MalformedFrame> {
    let name = cursor.text()?;
    let valid = !name.is_empty() && name.len() <= MAX_GROUP_NAME_BYTES;
    if valid { Ok(name) } else { Err(MalformedFrame::Text) }
}

/// A member whose host the message names: it has an address then.
fn member(serial: u64, hosts: &NamedHosts<'_>) -> Result<Serial, MalformedFrame> {
    let member = Serial(serial);
    let named = hosts.iter().any(|(index, _)| *index == member.host_index());
    if named { Ok(member) } else { Err(MalformedFrame::List) }
}

fn times(cursor: &mut Cursor<'_>) -> Result<u64, MalformedFrame> {
    let times = cursor.varint()?;
    let in_range = (1..=u64::from(u32::MAX)).contains(&times);
    if in_range { Ok(times) } else { Err(MalformedFrame::Number) }
}
