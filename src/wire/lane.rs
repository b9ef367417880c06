use std::fmt;

/// A class of traffic between two nodes. Each lane is one long-lived stream in each direction:
/// frames keep their order within a lane, and nothing is promised across lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Lane {
    /// Protocols that hold state about the peer: monitors, links, names. Never dropped silently: an
    /// overflow empties the queue and reports that the peer needs a resync.
    Control = 0,
    /// Process groups: announcements, syncs and broadcasts of a scope, in their send order.
    Pg = 1,
    /// Messages from one process to another.
    Message = 2,
    /// Frames too large to share a stream with small ones, such as full syncs.
    Bulk = 3,
}

impl Lane {
    /// Every lane, in the order of their tags.
    pub const ALL: [Lane; 4] = [Lane::Control, Lane::Pg, Lane::Message, Lane::Bulk];

    /// The byte that names the lane on the wire.
    pub fn tag(self) -> u8 {
        self as u8
    }

    /// The lane with this tag.
    pub fn from_tag(tag: u8) -> Option<Self> {
        Self::ALL.get(usize::from(tag)).copied()
    }

    /// The name used in logs and as a metric label.
    pub fn as_str(self) -> &'static str {
        match self {
            Lane::Control => "control",
            Lane::Pg => "pg",
            Lane::Message => "message",
            Lane::Bulk => "bulk",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_round_trip() {
        for lane in Lane::ALL {
            assert_eq!(Lane::from_tag(lane.tag()), Some(lane));
        }
        assert_eq!(Lane::from_tag(4), None);
    }
}
