//! Rules broken on purpose, to see the checks notice. They are broken on the wire, so that the code
//! under test has no switch for it.

use std::collections::BTreeMap;

use moonmesh::id::{NodeName, Origin};
use moonmesh::pg::message::{Body, Envelope, Frame, Generation, Message, Run};
use moonmesh::pg::{Change, State};

/// Which rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sabotage {
    /// A receiver does not notice that announcements are missing.
    SkipGapCheck,
    /// One slot of one leave gets lost within an announcement.
    DropOneLeave,
    /// State of an earlier run of a node is taken for that of the present one.
    AcceptOldIncarnation,
}

/// Breaks a rule, and keeps what it needs for that.
pub struct Saboteur {
    rule: Sabotage,
    /// The last full state that each node sent, with members in it.
    kept: BTreeMap<NodeName, (Run, Frame)>,
    done: usize,
}

impl Saboteur {
    pub fn new(rule: Sabotage) -> Self {
        Self { rule, kept: BTreeMap::new(), done: 0 }
    }

    /// A frame was sent.
    pub fn watch(&mut self, frame: &Frame) {
        if self.rule == Sabotage::AcceptOldIncarnation
            && let Ok(Message { node, run, body: Body::Sync(chunk), .. }) = Message::decode(frame)
            && !chunk.groups.is_empty()
            && let Ok(node) = node.parse()
        {
            self.kept.insert(node, (run, frame.clone()));
        }
    }

    /// What the receiver reads in the stead of `frame`.
    pub fn spoil(&mut self, frame: &Frame, receiver: &State) -> Option<Frame> {
        let mut message = Message::decode(frame).ok()?;
        let node: NodeName = message.node.parse().ok()?;
        let Body::Announce { from, steps, .. } = &mut message.body else { return None };
        match self.rule {
            Sabotage::SkipGapCheck => {
                let (run, held) = receiver.held(&node)?;
                if run != message.run || held.version >= *from {
                    return None;
                }
                *from = held.version;
            }
            Sabotage::DropOneLeave if self.done == 0 => {
                let leaves = steps.iter_mut().filter(|step| step.change == Change::Left);
                let mut slots = leaves.flat_map(|step| &mut step.groups);
                slots.find(|(_, times)| *times > 1)?.1 -= 1;
            }
            _ => return None,
        }
        self.done += 1;
        Some(again(&message))
    }

    /// Something of an earlier run of `origin`, made up as if it were of the present one.
    pub fn ghost(&self, origin: &Origin, receiver: &State) -> Option<Frame> {
        let (run, frame) = self.kept.get(&origin.node)?;
        if run.incarnation >= origin.incarnation {
            return None;
        }
        let mut message = Message::decode(frame).ok()?;
        message.run = Run { incarnation: origin.incarnation, generation: Generation(1) };
        let Body::Sync(chunk) = &mut message.body else { return None };
        chunk.version = receiver.held(&origin.node)?.1.version;
        Some(again(&message))
    }
}

fn again(message: &Message<'_>) -> Frame {
    let scope = message.scope.parse().expect("the id of a scope");
    let node = message.node.parse().expect("the name of a node");
    Envelope::new(&scope, &node, message.run).frame(&message.body)
}
