use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use crate::id::NodeName;
use crate::pg::message::Frame;
use crate::process::Runtime;

/// The way to the same scope on other nodes.
pub trait Peers: Send + Sync {
    /// Queues a frame for a node. Never waits, and never calls back into a scope. Frames to one
    /// node keep the order of the calls from one thread.
    ///
    /// # Errors
    /// [`SendRefused`]; the frame is gone then.
    fn send(&self, to: &NodeName, frame: Frame) -> Result<(), SendRefused>;
}

/// There is no link to the node, or no room in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the node cannot be sent to")]
pub struct SendRefused;

/// The time since some fixed moment; never goes back.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// The machine's steady clock.
    pub fn steady() -> Self {
        let start = Instant::now();
        Self(Arc::new(move || start.elapsed()))
    }

    /// A clock of another making, as for tests.
    pub fn from_fn(read: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// What it says now.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

/// What all scopes of a node use.
pub(super) struct Shared {
    pub(super) runtime: Runtime,
    pub(super) clock: Clock,
    pub(super) peers: ArcSwapOption<Box<dyn Peers>>,
}

impl Shared {
    pub(super) fn send(&self, to: &NodeName, frame: Frame) -> Result<(), SendRefused> {
        match &*self.peers.load() {
            Some(peers) => peers.send(to, frame),
            None => Err(SendRefused),
        }
    }
}
