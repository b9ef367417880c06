use crate::id::Serial;

/// What one start of a scope holds, in a few bytes: two nodes that agree on a digest agree on the
/// memberships behind it.
///
/// The hash is a sum over all member slots, so a join or leave changes it in constant time and the
/// order of changes does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Announced steps so far.
    pub version: u64,
    /// Member slots.
    pub slots: u64,
    /// Sum of the slots' hashes, wrapping.
    pub hash: u64,
}

impl Digest {
    /// Counts `times` slots in, each of [`slot_hash`].
    pub(super) fn add(&mut self, slot_hash: u64, times: u64) {
        self.slots = self.slots.wrapping_add(times);
        self.hash = self.hash.wrapping_add(slot_hash.wrapping_mul(times));
    }

    /// Counts `times` slots out.
    pub(super) fn remove(&mut self, slot_hash: u64, times: u64) {
        self.slots = self.slots.wrapping_sub(times);
        self.hash = self.hash.wrapping_sub(slot_hash.wrapping_mul(times));
    }
}

/// The hash of a group name, the same on every node: FNV-1a over its bytes.
pub(super) fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The hash of one slot: `member` in the group of [`name_hash`].
pub(super) fn slot_hash(name_hash: u64, member: Serial) -> u64 {
    mix(mix(name_hash) ^ member.0)
}

/// A bijection that spreads every input bit over all output bits (the finaliser of splitmix64).
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_and_leaving_undoes() {
        let (a, b) = (slot_hash(name_hash("a"), Serial(1)), slot_hash(name_hash("b"), Serial(1)));
        let mut left = Digest::default();
        left.add(a, 1);
        left.add(b, 3);
        let mut right = Digest::default();
        right.add(b, 4);
        right.add(a, 1);
        assert_ne!(left, right);
        right.remove(b, 1);
        assert_eq!(left, right);
    }

    #[test]
    fn groups_and_members_do_not_trade_places() {
        let pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("ab", 1), ("", 3)];
        let hashes: std::collections::HashSet<u64> =
            pairs.iter().map(|(name, n)| slot_hash(name_hash(name), Serial(*n))).collect();
        assert_eq!(hashes.len(), pairs.len());
    }

    #[test]
    fn the_hash_is_part_of_the_protocol() {
        assert_eq!(name_hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(name_hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(mix(1), 0x5692_161d_100b_05e5);
    }
}
