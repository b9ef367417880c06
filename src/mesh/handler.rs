use std::fmt;
use std::net::SocketAddr;

use crate::id::Origin;
use crate::wire::Lane;

/// What the mesh tells the layer above.
///
/// All calls come from the mesh's own thread and must not block it. For one node they come in this
/// order: `member` Joined, then any number of `session_up` .. `session_down` with that session's
/// frames between them, then `member` Left or Failed. [`super::Mesh::send`] may be called from
/// within, and reaches the peer from its `session_up` on.
pub trait MeshHandler: Send + Sync {
    /// A session with `peer` begins. Nothing of an earlier session is still on its way.
    fn session_up(&self, peer: &Origin);

    /// The session is over; frames that were not yet read by the peer are lost. The peer itself may
    /// well be alive.
    fn session_down(&self, peer: &Origin);

    /// The cluster has changed.
    fn member(&self, event: MemberEvent);

    /// A frame of `peer`, in the order in which it was sent on `lane`. An error says that the frame
    /// makes no sense; it is counted, and too many of them end the session.
    fn frame(&self, peer: &Origin, lane: Lane, payload: &[u8]) -> Result<(), BadFrame>;

    /// Queued frames of `lane` to `peer` were thrown away because the peer is too slow: whatever
    /// state they carried has to be sent anew. Told when the lane moves again, for what is sent
    /// before that would only overflow once more.
    fn needs_resync(&self, peer: &Origin, lane: Lane);
}

/// The layer above cannot make sense of a frame; the text says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadFrame(pub &'static str);

/// A change of the cluster's members, never about this node itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberEvent {
    /// The node, in the run that the event is about.
    pub origin: Origin,
    /// Where the node accepts connections.
    pub addr: SocketAddr,
    /// What has happened to it.
    pub kind: MemberChange,
}

/// What has happened to a member. A node that restarts under its name is first Failed in its old
/// run and then Joined in its new one, even if both are noticed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberChange {
    /// It is new, or back after it was taken for dead.
    Joined,
    /// It has left on purpose.
    Left,
    /// It does not answer any more, or was replaced by a later run.
    Failed,
    /// It has moved to another address.
    Updated,
}

impl MemberChange {
    /// The name used in logs.
    pub fn as_str(self) -> &'static str {
        match self {
            MemberChange::Joined => "joined",
            MemberChange::Left => "left",
            MemberChange::Failed => "failed",
            MemberChange::Updated => "updated",
        }
    }
}

impl fmt::Display for MemberChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
