use super::primitives::{put_text, put_varint};
use super::{Body, CHUNK_BYTES, Frame, Generation, Message, Run, SyncChunk, WIRE_VERSION, kind};
use crate::id::{EntryId, HostIndex, NodeName, Origin, ScopeId, Serial};
use crate::pg::Change;
use crate::pg::digest::Digest;
use crate::value::Values;

/// What every frame of one start of a scope begins with.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// From the scope on, to be put after version and kind.
    head: Vec<u8>,
}

/// A broadcast to be encoded once for all nodes that have members.
#[derive(Clone, Copy, Debug)]
pub struct BroadcastFrame<'a> {
    /// Which group.
    pub group: &'a str,
    /// The topic of the message.
    pub topic: &'a str,
    /// The process that broadcasts.
    pub sender: Serial,
    /// The host of that process.
    pub host: &'a EntryId,
    /// The payload.
    pub values: &'a Values,
}

impl Envelope {
    /// The envelope of one start of `scope` on `node`.
    pub fn new(scope: &ScopeId, node: &NodeName, run: Run) -> Self {
        let mut head = Vec::new();
        put_text(&mut head, scope.as_str());
        put_text(&mut head, node.as_str());
        put_run(&mut head, run);
        Self { head }
    }

    /// A frame that says `body`.
    pub fn frame(&self, body: &Body<'_>) -> Frame {
        match body {
            Body::Discover { own, held } => self.close(kind::DISCOVER, |out| {
                put_digest(out, own);
                out.push(u8::from(held.is_some()));
                if let Some((run, digest)) = held {
                    put_run(out, *run);
                    put_digest(out, digest);
                }
            }),
            Body::Announce { from, hosts, steps } => {
                let mut encoded = Vec::new();
                for step in steps {
                    let groups = step.groups.iter().copied();
                    put_step(&mut encoded, step.change, step.member, groups.len(), groups);
                }
                self.announce(*from, hosts.iter().copied(), steps.len() as u64, &encoded)
            }
            Body::Sync(chunk) => self.close(kind::SYNC, |out| put_sync(out, chunk)),
            Body::Digest(digest) => self.close(kind::DIGEST, |out| put_digest(out, digest)),
            Body::SyncRequest => self.close(kind::SYNC_REQUEST, |_| {}),
            Body::Absent => self.close(kind::ABSENT, |_| {}),
            Body::Broadcast { group, topic, sender, host, values } => {
                self.close(kind::BROADCAST, |out| {
                    put_broadcast(out, group, topic, *sender, host);
                    out.extend_from_slice(values);
                })
            }
        }
    }

    /// A broadcast, its payload copied straight into the frame.
    pub fn broadcast(&self, broadcast: &BroadcastFrame<'_>) -> Frame {
        let BroadcastFrame { group, topic, sender, host, values } = *broadcast;
        self.close(kind::BROADCAST, |out| {
            out.reserve(group.len() + topic.len() + 64 + values.size_bytes());
            put_broadcast(out, group, topic, sender, host.as_str());
            values.to_wire(out);
        })
    }

    /// An announcement of `count` steps that [`put_step`] wrote.
    pub(in crate::pg) fn announce<'a>(
        &self,
        from: u64,
        hosts: impl ExactSizeIterator<Item = (HostIndex, &'a str)>,
        count: u64,
        steps: &[u8],
    ) -> Frame {
        self.close(kind::ANNOUNCE, |out| {
            out.reserve(steps.len() + 64);
            put_varint(out, from);
            put_hosts(out, hosts);
            put_varint(out, count);
            out.extend_from_slice(steps);
        })
    }

    fn close(&self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) -> Frame {
        let mut out = Vec::with_capacity(self.head.len() + 64);
        out.extend_from_slice(&[WIRE_VERSION, kind]);
        out.extend_from_slice(&self.head);
        body(&mut out);
        out.into()
    }
}

/// What a node that does not run the scope of `frame` answers to it: that it does not, if the frame
/// asks for something.
pub fn answer_for_absent_scope(frame: &[u8], own: &Origin) -> Option<Frame> {
    let message = Message::decode(frame).ok()?;
    let asks = matches!(message.body, Body::Discover { .. } | Body::Digest(_) | Body::SyncRequest);
    let scope = message.scope.parse().ok().filter(|_| asks)?;
    let run = Run { incarnation: own.incarnation, generation: Generation::default() };
    Some(Envelope::new(&scope, &own.node, run).frame(&Body::Absent))
}

/// Cuts a full state into parts of about [`CHUNK_BYTES`].
pub(in crate::pg) struct SyncChunks {
    done: Vec<(Vec<HostIndex>, Vec<u8>)>,
    hosts: Vec<HostIndex>,
    body: Vec<u8>,
}

impl SyncChunks {
    pub(in crate::pg) fn new() -> Self {
        Self { done: Vec::new(), hosts: Vec::new(), body: Vec::new() }
    }

    /// Adds one group; `members` are in ascending order.
    pub(in crate::pg) fn group(
        &mut self,
        name: &str,
        members: impl Iterator<Item = (Serial, u64)>,
    ) {
        let mut members = members.peekable();
        while members.peek().is_some() {
            self.piece(name, &mut members);
            if self.body.len() >= CHUNK_BYTES {
                self.cut();
            }
        }
    }

    /// The frames, at least one; `host` answers the id of a host by its index.
    pub(in crate::pg) fn finish<'a>(
        mut self,
        envelope: &Envelope,
        version: u64,
        host: impl Fn(HostIndex) -> &'a str,
    ) -> Vec<Frame> {
        if self.done.is_empty() || !self.body.is_empty() {
            self.cut();
        }
        let total = self.done.len() as u64;
        let parts = self.done.into_iter().zip(0u64..);
        let frame = |((hosts, body), index): ((Vec<HostIndex>, Vec<u8>), u64)| {
            envelope.close(kind::SYNC, |out| {
                out.reserve(body.len() + 64);
                put_varint(out, version);
                put_varint(out, index);
                put_varint(out, total);
                put_hosts(out, hosts.iter().map(|index| (*index, host(*index))));
                out.extend_from_slice(&body);
            })
        };
        parts.map(frame).collect()
    }

    /// As many of `members` as fit the present part.
    fn piece(
        &mut self,
        name: &str,
        members: &mut std::iter::Peekable<impl Iterator<Item = (Serial, u64)>>,
    ) {
        let mut list = Vec::new();
        let (mut count, mut last) = (0u64, 0u64);
        let room = CHUNK_BYTES.saturating_sub(self.body.len() + name.len());
        while let Some((member, times)) = members.next_if(|_| count == 0 || list.len() < room) {
            put_varint(&mut list, member.0 - last);
            put_varint(&mut list, times);
            if !self.hosts.contains(&member.host_index()) {
                self.hosts.push(member.host_index());
            }
            last = member.0;
            count += 1;
        }
        put_text(&mut self.body, name);
        put_varint(&mut self.body, count);
        self.body.append(&mut list);
    }

    fn cut(&mut self) {
        self.done.push((std::mem::take(&mut self.hosts), std::mem::take(&mut self.body)));
    }
}

/// Appends one step of an announcement.
pub(in crate::pg) fn put_step<'a>(
    out: &mut Vec<u8>,
    change: Change,
    member: Serial,
    count: usize,
    groups: impl Iterator<Item = (&'a str, u64)>,
) {
    out.push(match change {
        Change::Joined => 0,
        Change::Left => 1,
    });
    put_varint(out, member.0);
    put_varint(out, count as u64);
    for (group, times) in groups {
        put_text(out, group);
        put_varint(out, times);
    }
}

fn put_sync(out: &mut Vec<u8>, chunk: &SyncChunk<'_>) {
    put_varint(out, chunk.version);
    put_varint(out, chunk.index.into());
    put_varint(out, chunk.total.into());
    put_hosts(out, chunk.hosts.iter().copied());
    for (group, members) in &chunk.groups {
        put_text(out, group);
        put_varint(out, members.len() as u64);
        let mut last = 0;
        for (member, times) in members {
            put_varint(out, member.0 - last);
            put_varint(out, *times);
            last = member.0;
        }
    }
}

fn put_broadcast(out: &mut Vec<u8>, group: &str, topic: &str, sender: Serial, host: &str) {
    put_text(out, group);
    put_text(out, topic);
    put_varint(out, sender.0);
    put_text(out, host);
}

fn put_hosts<'a>(out: &mut Vec<u8>, hosts: impl ExactSizeIterator<Item = (HostIndex, &'a str)>) {
    put_varint(out, hosts.len() as u64);
    for (index, host) in hosts {
        put_varint(out, index.0.into());
        put_text(out, host);
    }
}

fn put_run(out: &mut Vec<u8>, run: Run) {
    out.extend_from_slice(&run.incarnation.0.to_le_bytes());
    put_varint(out, run.generation.0);
}

fn put_digest(out: &mut Vec<u8>, digest: &Digest) {
    put_varint(out, digest.version);
    put_varint(out, digest.slots);
    out.extend_from_slice(&digest.hash.to_le_bytes());
}
