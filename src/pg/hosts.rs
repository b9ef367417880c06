use std::sync::Arc;

use crate::id::{EntryId, HostIndex};

/// The process hosts of one node, by their index in its serials. Cloning is a reference count.
///
/// The table only grows: within one run of a node an index names one host for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Arc<Vec<(HostIndex, EntryId)>>);

/// Two texts claim one index, or a text is not an entry id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadHost;

impl Hosts {
    /// The host at `index`, if it was ever named.
    pub fn get(&self, index: HostIndex) -> Option<&EntryId> {
        self.find(index).ok().and_then(|at| self.0.get(at)).map(|(_, id)| id)
    }

    /// Names the host at `index`; naming it again is free.
    pub(super) fn learn(&mut self, index: HostIndex, id: &str) -> Result<(), BadHost> {
        match self.find(index) {
            Ok(at) if self.0.get(at).is_some_and(|(_, known)| known.as_str() == id) => Ok(()),
            Ok(_) => Err(BadHost),
            Err(at) => {
                let id = id.parse().map_err(|_| BadHost)?;
                Arc::make_mut(&mut self.0).insert(at, (index, id));
                Ok(())
            }
        }
    }

    fn find(&self, index: HostIndex) -> Result<usize, usize> {
        self.0.binary_search_by_key(&index, |(known, _)| *known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_keeps_its_host() {
        let mut hosts = Hosts::default();
        assert_eq!(hosts.get(HostIndex(3)), None);
        hosts.learn(HostIndex(3), "app:procs").unwrap();
        let before = hosts.clone();
        hosts.learn(HostIndex(1), "app:other").unwrap();
        hosts.learn(HostIndex(3), "app:procs").unwrap();
        assert_eq!(hosts.learn(HostIndex(3), "app:else"), Err(BadHost));
        assert_eq!(hosts.learn(HostIndex(4), "not an id"), Err(BadHost));
        assert_eq!(hosts.get(HostIndex(1)).unwrap().as_str(), "app:other");
        assert_eq!(before.get(HostIndex(1)), None);
    }
}
