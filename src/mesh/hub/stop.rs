//! Leaving the cluster.

use std::sync::atomic::Ordering;
use std::time::Duration;

use quinn::VarInt;
use tokio::time::Instant;

use super::Hub;
use crate::wire::{CloseCode, LinkMessage};

/// How long the close frames get to leave this machine.
const LINGER: Duration = Duration::from_millis(100);

/// A stop under way.
pub(super) struct Stopping {
    deadline: Instant,
}

impl Stopping {
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl Hub {
    /// Takes no more frames, tells every peer, and gives the queued ones a little time.
    pub(super) fn stop(&mut self) {
        if self.stopping.is_some() {
            return;
        }
        self.shared.stopped.store(true, Ordering::Relaxed);
        self.dialler.endpoint.set_server_config(None);
        let deadline = Instant::now() + self.shared.config.times.flush;
        self.stopping = Some(Stopping { deadline });
        self.publish();
        for conn in self.conns.values() {
            if let Some(session) = &conn.session {
                session.route.finish();
            }
            conn.link.say(LinkMessage::Leaving);
        }
    }

    /// Whether every peer has taken leave, or there is no time left.
    pub(super) fn is_done(&self) -> bool {
        self.stopping.as_ref().is_some_and(|stopping| {
            let waiting = self.conns.values().any(|conn| conn.session.is_some());
            !waiting || Instant::now() >= stopping.deadline
        })
    }

    /// Closes what is left.
    pub(super) async fn farewell(self) {
        let endpoint = &self.dialler.endpoint;
        endpoint.close(VarInt::from_u32(CloseCode::Shutdown.number()), b"shutdown");
        let _ = tokio::time::timeout(LINGER, endpoint.wait_idle()).await;
    }
}
