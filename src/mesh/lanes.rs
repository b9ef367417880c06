//! The streams of one session: a writer and a reader for each lane.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use quinn::{Connection, RecvStream, SendStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::counters::DropReason;
use super::greeting::refuse;
use super::hub::Event;
use super::outbox::Task;
use super::shared::{ConnectionId, Route, Shared};
use crate::wire::{CloseCode, FrameDecoder, Lane, Malformed, Refusal};

/// Chunks that one read takes at most.
const CHUNKS: usize = 32;

/// Bytes that a lane may read before the other tasks get their turn.
const TURN_BYTES: usize = 64 * 1024;

/// So many bad frames within [`BAD_FRAME_WINDOW`] end the session.
const MAX_BAD_FRAMES: usize = 100;
const BAD_FRAME_WINDOW: Duration = Duration::from_secs(60);

/// What the tasks of one session share.
struct Session {
    id: ConnectionId,
    route: Arc<Route>,
    shared: Arc<Shared>,
    events: mpsc::Sender<Event>,
    bad_frames: Mutex<BadFrames>,
}

/// Runs the lanes of a session until the peer has ended all of them or the connection is lost. To
/// drop the future ends them at once.
pub(super) async fn run(
    id: ConnectionId,
    route: Arc<Route>,
    shared: Arc<Shared>,
    events: mpsc::Sender<Event>,
) {
    let bad_frames = Mutex::new(BadFrames::default());
    let session = Arc::new(Session { id, route, shared, events, bad_frames });
    let mut writers = JoinSet::new();
    for lane in Lane::ALL {
        writers.spawn(write_lane(session.clone(), lane));
    }
    let mut readers = JoinSet::new();
    let mut waiting = Lane::ALL.to_vec();
    while !waiting.is_empty() {
        let Ok(mut stream) = session.connection().accept_uni().await else { break };
        let mut tag = [0];
        let lane = match stream.read_exact(&mut tag).await {
            Ok(()) => Lane::from_tag(tag[0]).filter(|lane| waiting.contains(lane)),
            Err(_) => None,
        };
        let Some(lane) = lane else {
            let text = "stream without a lane of its own";
            refuse(session.connection(), &Refusal::new(CloseCode::Protocol, text));
            break;
        };
        waiting.retain(|other| *other != lane);
        readers.spawn(read_lane(session.clone(), lane, stream));
    }
    while let Some(ended) = readers.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, peer = %session.route.origin, "frame handler has failed");
            let text = "the receiving side has failed";
            refuse(session.connection(), &Refusal::new(CloseCode::Protocol, text));
        }
    }
    let _ = session.events.send(Event::LanesEnded(id)).await;
    // Frames may still be queued for the peer; the hub decides when the session is over.
    while writers.join_next().await.is_some() {}
}

async fn write_lane(session: Arc<Session>, lane: Lane) {
    let Ok(mut stream) = session.connection().open_uni().await else { return };
    if stream.write_all(&[lane.tag()]).await.is_err() {
        return;
    }
    let outbox = session.route.outbox(lane);
    let counters = session.shared.counters.lane(lane);
    while let Some(task) = outbox.next().await {
        match task {
            Task::Write(mut batch) => {
                if session.write(&mut stream, lane, &mut batch.blocks).await.is_none() {
                    return;
                }
                outbox.written(&batch, counters);
            }
            Task::Resync => {
                let _ = session.events.send(Event::Overflowed(session.id, lane)).await;
            }
            Task::Finish => {
                let _ = stream.finish();
                let _ = stream.stopped().await;
                return;
            }
        }
    }
}

async fn read_lane(session: Arc<Session>, lane: Lane, mut stream: RecvStream) {
    let mut decoder = FrameDecoder::new(lane, session.shared.config.max_frame_bytes as usize);
    let mut chunks: [Bytes; CHUNKS] = std::array::from_fn(|_| Bytes::new());
    let mut turn_bytes = 0;
    while let Ok(Some(count)) = stream.read_chunks(&mut chunks).await {
        for chunk in chunks.iter_mut().take(count) {
            let chunk = std::mem::take(chunk);
            turn_bytes += chunk.len();
            if let Err(refusal) = session.read(lane, &mut decoder, &chunk) {
                refuse(session.connection(), &refusal);
                return;
            }
        }
        if turn_bytes >= TURN_BYTES {
            turn_bytes = 0;
            tokio::task::yield_now().await;
        }
    }
}

impl Session {
    fn connection(&self) -> &Connection {
        &self.route.connection
    }

    /// Writes all blocks; `None` if the connection is lost or nothing moves for too long.
    async fn write(&self, stream: &mut SendStream, lane: Lane, blocks: &mut [Bytes]) -> Option<()> {
        let patience = self.shared.config.times.write_progress;
        let mut rest = blocks;
        while !rest.is_empty() {
            match tokio::time::timeout(patience, stream.write_chunks(rest)).await {
                Ok(Ok(written)) => rest = std::mem::take(&mut rest).get_mut(written.chunks..)?,
                Ok(Err(_)) => return None,
                Err(_) => {
                    let text = format!("no progress on lane {lane} for {patience:?}");
                    refuse(self.connection(), &Refusal::new(CloseCode::Stalled, text));
                    return None;
                }
            }
        }
        Some(())
    }

    /// Hands the frames of a chunk to the layer above.
    fn read(&self, lane: Lane, decoder: &mut FrameDecoder, chunk: &[u8]) -> Result<(), Refusal> {
        let handler = &self.shared.handler;
        let peer = &self.route.origin;
        let mut frames = 0;
        let mut excess = None;
        let outcome = decoder.feed(chunk, |frame| {
            frames += 1;
            let handled = frame.and_then(|payload| {
                handler.frame(peer, lane, payload).map_err(|bad| Malformed::Payload(bad.0))
            });
            if let Err(malformed) = handled {
                excess = self.bad_frame(lane, malformed).or(excess.take());
            }
        });
        let counters = self.shared.counters.lane(lane);
        counters.frames_in.add(frames);
        counters.bytes_in.add(chunk.len() as u64);
        outcome?;
        excess.map_or(Ok(()), Err)
    }

    /// Counts a bad frame; the refusal says that there have been too many.
    fn bad_frame(&self, lane: Lane, malformed: Malformed) -> Option<Refusal> {
        self.shared.counters.lane(lane).dropped(DropReason::Decode, 1);
        tracing::warn!(peer = %self.route.origin, %lane, error = %malformed, "skipped a frame");
        let too_many = self.bad_frames.lock().is_one_too_many(Instant::now());
        too_many.then(|| {
            let text = format!("{MAX_BAD_FRAMES} bad frames in {BAD_FRAME_WINDOW:?}: {malformed}");
            Refusal::new(CloseCode::DecodeErrors, text)
        })
    }
}

/// When the last bad frames came.
#[derive(Debug, Default)]
struct BadFrames(VecDeque<Instant>);

impl BadFrames {
    fn is_one_too_many(&mut self, now: Instant) -> bool {
        self.0.push_back(now);
        if self.0.len() > MAX_BAD_FRAMES {
            self.0.pop_front();
        }
        let full = self.0.len() == MAX_BAD_FRAMES;
        full && self.0.front().is_some_and(|first| now - *first <= BAD_FRAME_WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_bad_frames_a_minute_are_too_many() {
        let start = Instant::now();
        let mut bad = BadFrames::default();
        let slow = (0..500).any(|i| bad.is_one_too_many(start + Duration::from_secs(i)));
        assert!(!slow, "one a second is tolerated");
        let mut bad = BadFrames::default();
        for _ in 0..99 {
            assert!(!bad.is_one_too_many(start));
        }
        assert!(bad.is_one_too_many(start + Duration::from_secs(60)));
    }
}
