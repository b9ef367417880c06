use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::serial::{MAX_GENERATION, MAX_SLOTS, Place};
use super::{HostLimits, Undelivered};
use crate::id::{HostIndex, Serial};

const CHUNK: usize = 1024;
/// A freed slot waits behind this many others, so that a slot's generations grow slowly.
const MIN_FREE: usize = 1024;

/// The part of a worker's process table that every thread may read: which serial lives in which
/// slot, and how full its mailbox is.
pub struct Slots {
    worker: usize,
    chunks: Box<[OnceLock<Box<[Slot]>>]>,
}

#[derive(Default)]
struct Slot {
    /// The serial that lives here, 0 for none.
    serial: AtomicU64,
    /// Queued messages in the top 24 bits, their bytes below.
    load: AtomicU64,
}

const MESSAGE: u64 = 1 << 40;

/// What one queued message adds to a mailbox's load.
fn weight(size_bytes: usize) -> u64 {
    MESSAGE + size_bytes as u64
}

impl Slots {
    pub(super) fn new(worker: usize) -> Self {
        Self { worker, chunks: (0..MAX_SLOTS / CHUNK).map(|_| OnceLock::new()).collect() }
    }

    /// Whether this very process still runs.
    pub fn is_alive(&self, serial: Serial) -> bool {
        self.slot(Place::from(serial).slot)
            .is_some_and(|slot| slot.serial.load(Ordering::Acquire) == serial.0)
    }

    /// Makes room for a message of `size_bytes` in the mailbox of `serial`.
    ///
    /// # Errors
    /// `NotFound` if the process is gone, `MailboxFull` at a limit of its host.
    pub(super) fn reserve(
        &self,
        serial: Serial,
        size_bytes: usize,
        limits: &HostLimits,
    ) -> Result<(), Undelivered> {
        let slot = self.slot(Place::from(serial).slot).ok_or(Undelivered::NotFound)?;
        if slot.serial.load(Ordering::Acquire) != serial.0 {
            return Err(Undelivered::NotFound);
        }
        let before = slot.load.fetch_add(weight(size_bytes), Ordering::Relaxed);
        let bytes = (before & (MESSAGE - 1)) as usize + size_bytes;
        if before / MESSAGE >= limits.mailbox_messages || bytes > limits.mailbox_bytes {
            slot.load.fetch_sub(weight(size_bytes), Ordering::Relaxed);
            return Err(Undelivered::MailboxFull);
        }
        Ok(())
    }

    /// Gives the room of a taken message back.
    pub(super) fn release(&self, serial: Serial, size_bytes: usize) {
        if let Some(slot) = self.slot(Place::from(serial).slot) {
            slot.load.fetch_sub(weight(size_bytes), Ordering::Relaxed);
        }
    }

    /// Messages and bytes queued for the process, on their way included.
    pub fn load(&self, serial: Serial) -> (u64, u64) {
        let load =
            self.slot(Place::from(serial).slot).map_or(0, |slot| slot.load.load(Ordering::Relaxed));
        (load / MESSAGE, load & (MESSAGE - 1))
    }

    fn slot(&self, slot: usize) -> Option<&Slot> {
        self.chunks.get(slot / CHUNK)?.get()?.get(slot % CHUNK)
    }

    fn occupy(&self, serial: Serial) {
        let place = Place::from(serial);
        let chunk = self.chunks[place.slot / CHUNK]
            .get_or_init(|| (0..CHUNK).map(|_| Slot::default()).collect());
        let slot = &chunk[place.slot % CHUNK];
        slot.load.store(0, Ordering::Relaxed);
        slot.serial.store(serial.0, Ordering::Release);
    }

    pub(super) fn vacate(&self, serial: Serial) {
        if let Some(slot) = self.slot(Place::from(serial).slot) {
            slot.serial.store(0, Ordering::Release);
        }
    }
}

/// Hands out serials of one worker, each once.
#[derive(Default)]
pub(super) struct Allocator {
    generations: Vec<u32>,
    free: VecDeque<u32>,
}

impl Allocator {
    /// A serial never given out before; `None` if the worker has no slot left.
    pub(super) fn allocate(&mut self, slots: &Slots, host: HostIndex) -> Option<Serial> {
        let reuse = self.free.len() > MIN_FREE || self.generations.len() == MAX_SLOTS;
        let slot = match reuse.then(|| self.free.pop_front()).flatten() {
            Some(slot) => slot as usize,
            None if self.generations.len() < MAX_SLOTS => {
                self.generations.push(0);
                self.generations.len() - 1
            }
            None => return None,
        };
        let generation = self.generations[slot] + 1;
        self.generations[slot] = generation;
        let serial = Place { host, generation, worker: slots.worker, slot }.serial();
        slots.occupy(serial);
        Some(serial)
    }

    /// Takes a slot back, unless its generations are used up.
    pub(super) fn free(&mut self, serial: Serial) {
        let slot = Place::from(serial).slot;
        if self.generations[slot] < MAX_GENERATION {
            self.free.push_back(slot as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn serials_never_come_twice() {
        let slots = Slots::new(3);
        let mut allocator = Allocator::default();
        let mut seen = HashSet::new();
        for _ in 0..10_000 {
            let serial = allocator.allocate(&slots, HostIndex(1)).unwrap();
            assert!(seen.insert(serial));
            assert!(slots.is_alive(serial));
            slots.vacate(serial);
            allocator.free(serial);
            assert!(!slots.is_alive(serial));
        }
        assert!(allocator.generations.len() <= MIN_FREE + 2);
    }

    #[test]
    fn a_worn_out_slot_is_retired() {
        let slots = Slots::new(0);
        let mut allocator = Allocator::default();
        let serial = allocator.allocate(&slots, HostIndex(0)).unwrap();
        allocator.generations[0] = MAX_GENERATION;
        allocator.free(serial);
        assert!(allocator.free.is_empty());
    }

    #[test]
    fn room_is_bounded_by_count_and_bytes() {
        let slots = Slots::new(0);
        let serial = Allocator::default().allocate(&slots, HostIndex(0)).unwrap();
        let limits =
            HostLimits { mailbox_messages: 2, mailbox_bytes: 100, ..HostLimits::default() };
        assert_eq!(slots.reserve(serial, 10, &limits), Ok(()));
        assert_eq!(slots.reserve(serial, 95, &limits), Err(Undelivered::MailboxFull));
        assert_eq!(slots.reserve(serial, 10, &limits), Ok(()));
        assert_eq!(slots.reserve(serial, 0, &limits), Err(Undelivered::MailboxFull));
        slots.release(serial, 10);
        assert_eq!(slots.load(serial), (1, 10));
        assert_eq!(slots.reserve(serial, 0, &limits), Ok(()));
        slots.vacate(serial);
        assert_eq!(slots.reserve(serial, 0, &limits), Err(Undelivered::NotFound));
    }
}
