//! Layer 0: the names that everything else is keyed by.
//!
//! Each is a newtype that can only hold a valid text, parses from it and prints back to it.
//! Sources: `spec/process.md` section 1 (PIDs), `spec/registry.md` section 4 (entry ids),
//! `spec/cluster.md` section 1 (node names, incarnations).

mod entry;
mod group;
mod node;
mod pid;

pub use entry::{EntryId, EntryIdError, ScopeId};
pub use group::{GroupName, GroupNameError, MAX_GROUP_NAME_BYTES};
pub use node::{Incarnation, MAX_NODE_NAME_BYTES, NodeName, NodeNameError, Origin};
pub use pid::{HostIndex, Pid, PidError, Serial};
