use super::*;
use crate::wire::FrameDecoder;

const LIMITS: QueueLimits = QueueLimits { messages: 10, bytes: 100_000 };

struct Fixture {
    outbox: Outbox,
    counters: LaneCounters,
    decoder: FrameDecoder,
}

impl Fixture {
    fn new(lane: Lane) -> Self {
        Self {
            outbox: Outbox::new(lane, LIMITS, 50_000),
            counters: LaneCounters::default(),
            decoder: FrameDecoder::new(lane, 50_000),
        }
    }

    fn push(&self, payload: &[u8]) -> Result<(), SendError> {
        self.outbox.push(&Bytes::copy_from_slice(payload), &self.counters)
    }

    fn batch(&self) -> Batch {
        match self.outbox.take() {
            Some(Some(Task::Write(batch))) => batch,
            other => panic!("{other:?}"),
        }
    }

    /// What the peer reads when everything queued is written.
    fn written(&mut self) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        while self.outbox.depth().messages > 0 {
            let batch = self.batch();
            for block in &batch.blocks {
                self.decoder.feed(block, |frame| frames.push(frame.unwrap().to_vec())).unwrap();
            }
            self.outbox.written(&batch, &self.counters);
        }
        frames
    }

    fn dropped(&self, reason: DropReason) -> u64 {
        self.counters.read().dropped(reason)
    }
}

#[test]
fn a_burst_is_one_block_and_keeps_its_order() {
    let mut fixture = Fixture::new(Lane::Pg);
    for byte in 0..5 {
        fixture.push(&[byte; 100]).unwrap();
    }
    let batch = fixture.batch();
    assert_eq!((batch.blocks.len(), batch.frames), (1, 5));
    fixture.decoder.feed(&batch.blocks[0], |_| ()).unwrap();
    fixture.outbox.written(&batch, &fixture.counters);
    fixture.push(b"small").unwrap();
    fixture.push(&[7; 20_000]).unwrap();
    fixture.push(b"").unwrap();
    assert_eq!(fixture.written(), [b"small".to_vec(), vec![7; 20_000], Vec::new()]);
    assert_eq!(fixture.outbox.depth(), QueueDepth::default());
    assert_eq!(fixture.counters.read().frames_out, 8);
}

#[test]
fn both_limits_refuse_and_are_counted_apart() {
    let mut fixture = Fixture::new(Lane::Message);
    for _ in 0..10 {
        fixture.push(b"x").unwrap();
    }
    assert_eq!(fixture.push(b"x"), Err(SendError::Overloaded));
    assert_eq!(fixture.written().len(), 10);
    for _ in 0..2 {
        fixture.push(&[0; 45_000]).unwrap();
    }
    assert_eq!(fixture.push(&[0; 45_000]), Err(SendError::Overloaded));
    fixture.push(b"fits").unwrap();
    let error = fixture.push(&[0; 50_001]).unwrap_err();
    assert_eq!(error, SendError::TooLarge { found_bytes: 50_001, limit_bytes: 50_000 });
    let reasons = [DropReason::QueueFull, DropReason::QueueBytes, DropReason::Oversize];
    assert_eq!(reasons.map(|reason| fixture.dropped(reason)), [1, 1, 1]);
    assert_eq!(fixture.written().len(), 3, "what was queued before is still sent");
}

#[test]
fn frames_in_the_writers_hands_still_count() {
    let fixture = Fixture::new(Lane::Message);
    for _ in 0..10 {
        fixture.push(b"x").unwrap();
    }
    let batch = fixture.batch();
    assert_eq!(fixture.push(b"x"), Err(SendError::Overloaded));
    fixture.outbox.written(&batch, &fixture.counters);
    fixture.push(b"x").unwrap();
}

#[test]
fn control_is_emptied_and_reported_instead() {
    let mut fixture = Fixture::new(Lane::Control);
    for _ in 0..5 {
        fixture.push(b"old").unwrap();
    }
    let in_hand = fixture.batch();
    for _ in 0..5 {
        fixture.push(b"lost").unwrap();
    }
    assert_eq!(fixture.push(b"lost too"), Err(SendError::Overloaded));
    assert_eq!(fixture.dropped(DropReason::QueueFull), 6);
    assert_eq!(fixture.outbox.depth().messages, 5);
    assert!(matches!(fixture.outbox.take(), Some(Some(Task::Resync))));
    for block in &in_hand.blocks {
        fixture.decoder.feed(block, |_| ()).unwrap();
    }
    fixture.outbox.written(&in_hand, &fixture.counters);
    fixture.push(b"new").unwrap();
    assert_eq!(fixture.written(), [b"new".to_vec()], "the gap does not upset the reader");
}

#[test]
fn finishing_writes_the_rest_and_closing_does_not() {
    let fixture = Fixture::new(Lane::Bulk);
    fixture.push(b"last").unwrap();
    fixture.outbox.finish();
    assert_eq!(fixture.push(b"late"), Err(SendError::Disconnected));
    assert_eq!(fixture.batch().frames, 1);
    assert!(matches!(fixture.outbox.take(), Some(Some(Task::Finish))));
    assert!(matches!(fixture.outbox.take(), Some(None)));

    let fixture = Fixture::new(Lane::Bulk);
    fixture.push(b"lost").unwrap();
    fixture.outbox.close(&fixture.counters);
    assert!(matches!(fixture.outbox.take(), Some(None)));
    assert_eq!(fixture.dropped(DropReason::LinkLost), 1);
    assert_eq!(fixture.outbox.depth(), QueueDepth::default());
}

#[tokio::test]
async fn a_sleeping_writer_is_woken_once_a_burst() {
    let fixture = Fixture::new(Lane::Pg);
    let waiting = fixture.outbox.next();
    tokio::pin!(waiting);
    std::future::poll_fn(|context| {
        assert!(waiting.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    fixture.push(b"1").unwrap();
    fixture.push(b"2").unwrap();
    match waiting.await {
        Some(Task::Write(batch)) => assert_eq!(batch.frames, 2),
        other => panic!("{other:?}"),
    }
}
