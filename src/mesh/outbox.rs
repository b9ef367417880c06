use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::counters::{DropReason, LaneCounters};
use super::error::SendError;
use crate::wire::{Lane, frame_header};

/// Payloads up to this size are copied next to each other; larger ones are queued as they are.
const COPY_BYTES: usize = 4 * 1024;

/// Size of the blocks that small frames are copied into.
const BLOCK_BYTES: usize = 32 * 1024;

/// Upper bound of what a writer takes at once, in bytes, unless one frame is larger.
const BATCH_BYTES: usize = 256 * 1024;

/// How much may wait in one lane to one peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Frames.
    pub messages: usize,
    /// Bytes, frame headers included.
    pub bytes: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self { messages: 10_000, bytes: 64 * 1024 * 1024 }
    }
}

/// What waits in a lane at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// Frames that the transport has not taken yet.
    pub messages: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// The queue of one lane to one peer for one session. Any thread pushes; one writer task takes.
/// Frames are encoded as they are pushed, so a burst is one block of memory and one write.
#[derive(Debug)]
pub(super) struct Outbox {
    lane: Lane,
    limits: QueueLimits,
    limit_bytes: usize,
    queue: Mutex<Queue>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    blocks: VecDeque<Block>,
    open: BytesMut,
    open_frames: usize,
    depth: QueueDepth,
    sequence: u64,
    state: State,
    overflowed: bool,
}

/// Bytes that are written, or thrown away, as a whole.
#[derive(Debug)]
struct Block {
    /// The frame header of a payload that is not copied; else empty.
    header: Bytes,
    bytes: Bytes,
    frames: usize,
}

impl Block {
    fn len(&self) -> usize {
        self.header.len() + self.bytes.len()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The writer looks again by itself before it sleeps.
    #[default]
    Busy,
    /// The writer sleeps and has to be woken.
    Idle,
    /// Nothing more may be pushed; what is queued is still written.
    Finishing,
    /// Nothing more is pushed or written.
    Closed,
}

/// What the writer is to do next.
#[derive(Debug)]
pub(super) enum Task {
    /// Write these bytes, then report to [`Outbox::written`].
    Write(Batch),
    /// The queue was thrown away: report that the peer needs a resync.
    Resync,
    /// Everything is written and nothing follows.
    Finish,
}

/// Whole frames, in order.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) blocks: Vec<Bytes>,
    pub(super) frames: usize,
    pub(super) bytes: usize,
}

impl Outbox {
    /// An empty queue; the peer accepts payloads up to `limit_bytes`.
    pub(super) fn new(lane: Lane, limits: QueueLimits, limit_bytes: usize) -> Self {
        let queue = Mutex::new(Queue::default());
        Self { lane, limits, limit_bytes, queue, wake: Notify::new() }
    }

    /// Queues a frame. Never blocks for longer than another push takes.
    pub(super) fn push(&self, payload: &Bytes, counters: &LaneCounters) -> Result<(), SendError> {
        if payload.len() > self.limit_bytes {
            counters.dropped(DropReason::Oversize, 1);
            let (found_bytes, limit_bytes) = (payload.len(), self.limit_bytes);
            return Err(SendError::TooLarge { found_bytes, limit_bytes });
        }
        let mut queue = self.queue.lock();
        if matches!(queue.state, State::Finishing | State::Closed) {
            counters.dropped(DropReason::LinkLost, 1);
            return Err(SendError::Disconnected);
        }
        let outcome = match queue.refusal(payload.len(), self.limits) {
            None => {
                queue.append(self.lane, payload);
                Ok(())
            }
            Some(reason) => {
                let mut lost = 1;
                if self.lane == Lane::Control {
                    lost += queue.clear();
                    queue.overflowed = true;
                }
                counters.dropped(reason, lost as u64);
                Err(SendError::Overloaded)
            }
        };
        let asleep = queue.state == State::Idle && (outcome.is_ok() || queue.overflowed);
        if asleep {
            queue.state = State::Busy;
        }
        drop(queue);
        if asleep {
            self.wake.notify_one();
        }
        outcome
    }

    /// What to do next, waiting for it if there is nothing; `None` once the queue is closed.
    pub(super) async fn next(&self) -> Option<Task> {
        loop {
            if let Some(outcome) = self.take() {
                return outcome;
            }
            self.wake.notified().await;
        }
    }

    /// The transport has taken a batch.
    pub(super) fn written(&self, batch: &Batch, counters: &LaneCounters) {
        {
            let depth = &mut self.queue.lock().depth;
            depth.messages = depth.messages.saturating_sub(batch.frames);
            depth.bytes = depth.bytes.saturating_sub(batch.bytes);
        }
        counters.frames_out.add(batch.frames as u64);
        counters.bytes_out.add(batch.bytes as u64);
    }

    /// Nothing more is to be pushed; the writer finishes after what is queued.
    pub(super) fn finish(&self) {
        let mut queue = self.queue.lock();
        if queue.state != State::Closed {
            queue.state = State::Finishing;
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// The session is over; what was not written is lost.
    pub(super) fn close(&self, counters: &LaneCounters) {
        let mut queue = self.queue.lock();
        let lost = queue.depth.messages;
        queue.state = State::Closed;
        queue.clear();
        queue.depth = QueueDepth::default();
        drop(queue);
        counters.dropped(DropReason::LinkLost, lost as u64);
        self.wake.notify_one();
    }

    /// What waits now.
    pub(super) fn depth(&self) -> QueueDepth {
        self.queue.lock().depth
    }

    /// `None` when there is nothing to do yet.
    fn take(&self) -> Option<Option<Task>> {
        let mut queue = self.queue.lock();
        if queue.state == State::Closed {
            return Some(None);
        }
        if std::mem::take(&mut queue.overflowed) {
            return Some(Some(Task::Resync));
        }
        if let Some(batch) = queue.batch() {
            return Some(Some(Task::Write(batch)));
        }
        if queue.state == State::Finishing {
            queue.state = State::Closed;
            return Some(Some(Task::Finish));
        }
        queue.state = State::Idle;
        None
    }
}

impl Queue {
    fn refusal(&self, payload_bytes: usize, limits: QueueLimits) -> Option<DropReason> {
        if self.depth.messages >= limits.messages {
            Some(DropReason::QueueFull)
        } else if self.depth.bytes + payload_bytes > limits.bytes && self.depth.messages > 0 {
            Some(DropReason::QueueBytes)
        } else {
            None
        }
    }

    fn append(&mut self, lane: Lane, payload: &Bytes) {
        self.sequence += 1;
        let header = frame_header(lane, self.sequence, payload.len());
        let header = header.as_bytes();
        let size = header.len() + payload.len();
        if payload.len() > COPY_BYTES {
            self.seal();
            let header = Bytes::copy_from_slice(header);
            self.blocks.push_back(Block { header, bytes: payload.clone(), frames: 1 });
        } else {
            if self.open.capacity() - self.open.len() < size {
                self.seal();
                self.open.reserve(BLOCK_BYTES);
            }
            self.open.extend_from_slice(header);
            self.open.extend_from_slice(payload);
            self.open_frames += 1;
        }
        self.depth.messages += 1;
        self.depth.bytes += size;
    }

    fn seal(&mut self) {
        if !self.open.is_empty() {
            let bytes = self.open.split().freeze();
            let frames = std::mem::take(&mut self.open_frames);
            self.blocks.push_back(Block { header: Bytes::new(), bytes, frames });
        }
    }

    fn batch(&mut self) -> Option<Batch> {
        self.seal();
        let mut batch = Batch { blocks: Vec::new(), frames: 0, bytes: 0 };
        while let Some(block) = self.blocks.front() {
            if batch.frames > 0 && batch.bytes + block.len() > BATCH_BYTES {
                break;
            }
            let Some(block) = self.blocks.pop_front() else { break };
            batch.bytes += block.len();
            batch.frames += block.frames;
            batch.blocks.extend([block.header, block.bytes].into_iter().filter(|b| !b.is_empty()));
        }
        (!batch.blocks.is_empty()).then_some(batch)
    }

    /// Throws away what no writer has taken; returns how many frames that were.
    fn clear(&mut self) -> usize {
        self.seal();
        let (mut frames, mut bytes) = (0, 0);
        for block in self.blocks.drain(..) {
            frames += block.frames;
            bytes += block.len();
        }
        self.depth.messages = self.depth.messages.saturating_sub(frames);
        self.depth.bytes = self.depth.bytes.saturating_sub(bytes);
        frames
    }
}

#[cfg(test)]
mod tests;
