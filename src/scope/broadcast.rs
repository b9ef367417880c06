use std::sync::Arc;

use super::Scope;
use crate::id::{GroupName, NodeName, Serial};
use crate::pg::message::{BroadcastFrame, Envelope};
use crate::pg::{FrameError, Members, Outcome, Recipients};
use crate::process::{Address, Deliver, Message, Source};

/// Who a broadcast goes to, as of one point of the serial order. It is not sent before
/// [`Scope::deliver`].
pub struct Addressed {
    pub(super) recipients: Recipients,
    pub(super) envelope: Option<Envelope>,
}

impl Addressed {
    /// Member slots of the group on all nodes that it goes to.
    pub fn slots(&self) -> u64 {
        let local = self.recipients.local.as_ref().map_or(0, Members::slots);
        local + self.recipients.remote.iter().map(|target| target.slots).sum::<u64>()
    }
}

impl Scope {
    /// Sends `message`, which is from the process `sender`, to this node's members with `deliver`
    /// and as one frame to each other node. Outside the serial section: a slow member holds nobody
    /// up. Never waits; what does not fit a mailbox or queue is dropped and counted there.
    pub fn deliver(
        &self,
        addressed: &Addressed,
        deliver: &dyn Deliver,
        (sender, group): (Serial, &GroupName),
        message: &Message,
    ) {
        if let Some(members) = &addressed.recipients.local {
            deliver_here(members, deliver, message);
        }
        let Some(envelope) = &addressed.envelope else { return };
        let Some(host) = self.shared.runtime.hosts().get(sender.host_index()) else { return };
        let frame = envelope.broadcast(&BroadcastFrame {
            group: group.as_str(),
            topic: &message.topic,
            sender,
            host: &host.id,
            values: &message.values,
        });
        for target in &addressed.recipients.remote {
            let outcome = match self.shared.send(&target.to, frame.clone()) {
                Ok(()) => Outcome::Accepted,
                Err(_) => Outcome::Refused,
            };
            self.enter(|run, now| {
                if let Some(run) = run {
                    let random = run.random();
                    run.state.handle_sent(now, target.ticket, outcome, random);
                }
            });
        }
    }

    /// A frame of this scope came from the authenticated peer `from`.
    ///
    /// # Errors
    /// Why it was refused, which has been counted; nothing happened then.
    pub fn handle_frame(&self, from: &NodeName, frame: &[u8]) -> Result<(), FrameError> {
        if frame.len() > LARGE_FRAME_BYTES {
            self.refresh();
        }
        let received = self.enter(|run, now| -> Result<_, FrameError> {
            let Some(run) = run else { return Ok(None) };
            let broadcast = run.state.handle_frame(now, from, frame)?;
            Ok(match broadcast {
                Some(broadcast) => {
                    let members = run.state.view().local(broadcast.group.as_str()).cloned();
                    members.map(|members| (members, broadcast))
                }
                None => {
                    self.snapshots.changed();
                    None
                }
            })
        })?;
        if let Some((members, broadcast)) = received {
            let source = Source::Process(Address::Remote(Arc::clone(&broadcast.sender)));
            let message = Message { source, topic: broadcast.topic, values: broadcast.values };
            deliver_here(&members, &self.shared.runtime, &message);
        }
        Ok(())
    }
}

/// Applying a larger frame takes long enough for readers to notice.
const LARGE_FRAME_BYTES: usize = 4 * 1024;

fn deliver_here(members: &Members, deliver: &dyn Deliver, message: &Message) {
    let clamp = |(member, times): (Serial, u64)| (member, u32::try_from(times).unwrap_or(u32::MAX));
    deliver.deliver_many(&mut members.iter().map(clamp), message);
}
