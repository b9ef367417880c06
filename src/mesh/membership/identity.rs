use foca::{Codec, Header, PostcardCodec};

use crate::id::{NodeName, Origin};
use crate::wire::Identity;

/// The foca incarnation that marks a member which is down because it left. Members refute suspicion
/// by counting up from zero and never come near it.
pub(super) const LEFT: foca::Incarnation = foca::Incarnation::MAX;

impl foca::Identity for Identity {
    type Addr = NodeName;

    fn renew(&self) -> Option<Self> {
        Some(Self { rejoin: self.rejoin.saturating_add(1), ..self.clone() })
    }

    fn addr(&self) -> NodeName {
        self.origin.node.clone()
    }

    fn win_addr_conflict(&self, adversary: &Self) -> bool {
        let rank = |identity: &Self| (identity.origin.incarnation, identity.rejoin, identity.addr);
        rank(self) > rank(adversary)
    }
}

/// Who has written a datagram; `None` if it is none. A node may tell about others, but speaks only
/// for itself: this must be the node at the other end of the session.
pub(super) fn sender(data: &[u8]) -> Option<Origin> {
    let header: Header<Identity> = PostcardCodec.decode_header(data).ok()?;
    Some(header.src.origin)
}
