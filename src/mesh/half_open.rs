use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// The handshakes that others have begun and not finished. When there are too many, the oldest is
/// given up: an honest one takes a millisecond, so a flood of stalled ones cannot keep it out.
#[derive(Clone, Debug)]
pub(super) struct HalfOpen {
    limit: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    tasks: VecDeque<(u64, AbortHandle)>,
    next: u64,
}

/// Keeps a handshake's place until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    open: Arc<Mutex<Open>>,
}

impl HalfOpen {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, open: Arc::default() }
    }

    /// Whether there are so many that a stranger first has to prove that it gets our packets.
    pub(super) fn is_crowded(&self) -> bool {
        self.open.lock().tasks.len() >= self.limit.div_ceil(4)
    }

    /// A place for a handshake that is about to start.
    pub(super) fn place(&self) -> Place {
        let mut open = self.open.lock();
        open.next += 1;
        Place { number: open.next, open: self.open.clone() }
    }

    /// The handshake of a place runs in this task; returns how many others were given up for it.
    pub(super) fn started(&self, number: u64, task: AbortHandle) -> usize {
        let mut open = self.open.lock();
        if !task.is_finished() {
            open.tasks.push_back((number, task));
        }
        let excess = open.tasks.len().saturating_sub(self.limit);
        let evicted: Vec<_> = open.tasks.drain(..excess).collect();
        drop(open);
        evicted.iter().for_each(|(_, task)| task.abort());
        evicted.len()
    }
}

impl Place {
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.lock().tasks.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_makes_room_for_the_newest() {
        let half_open = HalfOpen::new(4);
        let mut held = Vec::new();
        for round in 1..=6 {
            let place = half_open.place();
            let number = place.number();
            let task = tokio::spawn(async move {
                let _place = place;
                std::future::pending::<()>().await;
            });
            let evicted = half_open.started(number, task.abort_handle());
            assert_eq!(evicted, usize::from(round > 4), "{round}");
            held.push(task);
        }
        for (index, task) in held.into_iter().enumerate() {
            if index < 2 {
                assert!(task.await.unwrap_err().is_cancelled());
            } else {
                assert!(!task.is_finished());
            }
        }
        assert!(half_open.is_crowded());
    }

    #[tokio::test]
    async fn a_finished_handshake_leaves_its_place() {
        let half_open = HalfOpen::new(1);
        let place = half_open.place();
        let task = tokio::spawn(std::future::pending::<()>());
        assert_eq!(half_open.started(place.number(), task.abort_handle()), 0);
        assert!(half_open.is_crowded());
        drop(place);
        assert!(!half_open.is_crowded());
    }
}
