//! Connections between simulated nodes: ordered, reliable while they last, and then gone with all
//! that was on its way.

use std::time::Duration;

/// Both directions between two nodes.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// The present session; 0 is none. Each one has another number.
    pub session: u64,
    /// Time a frame takes.
    pub delay: Duration,
    /// By direction (from the lower to the higher node first).
    pub lanes: [Lane; 2],
}

/// One direction of a link.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Nothing arrives before this time: what keeps frames in order, and how a stall is made.
    pub clear_at: Duration,
    /// Frames on their way.
    pub in_flight: usize,
}

/// All links of a world.
pub struct Network {
    nodes: usize,
    links: Vec<Link>,
    last_session: u64,
    /// Most frames on their way in one direction; a further one is refused.
    pub capacity: usize,
}

impl Network {
    pub fn new(nodes: usize, capacity: usize) -> Self {
        Self { nodes, links: vec![Link::default(); nodes * nodes], last_session: 0, capacity }
    }

    /// The link between two nodes, in either order.
    pub fn link(&mut self, one: usize, other: usize) -> &mut Link {
        &mut self.links[one.min(other) * self.nodes + one.max(other)]
    }

    /// The direction from one node to another.
    pub fn lane(&mut self, from: usize, to: usize) -> &mut Lane {
        &mut self.link(from, to).lanes[usize::from(from > to)]
    }

    /// The present session between two nodes, 0 if there is none.
    pub fn session(&mut self, one: usize, other: usize) -> u64 {
        self.link(one, other).session
    }

    /// A new session in the place of the present one, if any.
    pub fn open(&mut self, one: usize, other: usize, delay: Duration, now: Duration) -> u64 {
        self.last_session += 1;
        let lane = Lane { clear_at: now, in_flight: 0 };
        *self.link(one, other) =
            Link { session: self.last_session, delay, lanes: [lane.clone(), lane] };
        self.last_session
    }

    /// Ends the session; what is on its way is lost. Answers which it was.
    pub fn close(&mut self, one: usize, other: usize) -> u64 {
        std::mem::take(&mut self.link(one, other).session)
    }

    /// Takes a frame over; answers when it arrives, or `None` if there is no room.
    pub fn accept(
        &mut self,
        from: usize,
        to: usize,
        jitter: Duration,
        now: Duration,
    ) -> Option<Duration> {
        let capacity = self.capacity;
        let delay = self.link(from, to).delay;
        let lane = self.lane(from, to);
        if lane.in_flight >= capacity {
            return None;
        }
        lane.in_flight += 1;
        lane.clear_at = lane.clear_at.max(now + delay + jitter);
        Some(lane.clear_at)
    }
}
