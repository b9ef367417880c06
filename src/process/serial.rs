use crate::id::{HostIndex, Serial};

const WORKER_BITS: u32 = 6;
const SLOT_BITS: u32 = 24;
const GENERATION_BITS: u32 = 24;

/// Most worker threads of one runtime.
pub const MAX_WORKERS: usize = 1 << WORKER_BITS;
/// Most processes that live on one worker at a time.
pub const MAX_SLOTS: usize = 1 << SLOT_BITS;
/// The last generation of a slot; after it the slot is retired, so a serial never comes twice.
pub const MAX_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// What a [`Serial`] of this node is made of, from the top: host, generation, worker, slot.
///
/// The place tells in constant time where a process lives; the generation tells whether the slot
/// still belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The host's index.
    pub host: HostIndex,
    /// How often the slot had been used before.
    pub generation: u32,
    /// The worker thread.
    pub worker: usize,
    /// The slot in that worker's table.
    pub slot: usize,
}

impl Place {
    /// Packs the place into a serial.
    pub fn serial(self) -> Serial {
        Serial(
            u64::from(self.host.0) << Serial::HOST_SHIFT
                | u64::from(self.generation) << (WORKER_BITS + SLOT_BITS)
                | (self.worker as u64) << SLOT_BITS
                | self.slot as u64,
        )
    }
}

impl From<Serial> for Place {
    fn from(serial: Serial) -> Self {
        let field = |shift: u32, bits: u32| (serial.0 >> shift) & ((1 << bits) - 1);
        Self {
            host: serial.host_index(),
            generation: field(WORKER_BITS + SLOT_BITS, GENERATION_BITS) as u32,
            worker: field(SLOT_BITS, WORKER_BITS) as usize,
            slot: field(0, SLOT_BITS) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_round_trip() {
        for (host, generation, worker, slot) in
            [(0, 0, 0, 0), (1023, MAX_GENERATION, MAX_WORKERS - 1, MAX_SLOTS - 1), (5, 77, 3, 99)]
        {
            let place = Place { host: HostIndex(host), generation, worker, slot };
            assert_eq!(Place::from(place.serial()), place);
        }
    }
}
