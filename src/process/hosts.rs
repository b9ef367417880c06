use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::id::{EntryId, HostIndex};

/// What one `process.host` allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLimits {
    /// Processes at a time.
    pub max_processes: u64,
    /// Messages in one mailbox; a further one is refused to its sender.
    pub mailbox_messages: u64,
    /// Payload bytes in one mailbox; a message that would exceed them is refused to its sender.
    pub mailbox_bytes: usize,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self { max_processes: 4_000_000, mailbox_messages: 100_000, mailbox_bytes: 64 << 20 }
    }
}

/// A running process host (process.md, `process.host`).
pub struct Host {
    /// Its entry.
    pub id: EntryId,
    /// What it allows.
    pub limits: HostLimits,
    /// Whether it takes new processes.
    pub accepting: AtomicBool,
    /// What happened on it.
    pub counters: HostCounters,
}

/// Counters of one host since it started.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct HostCounters {
    pub spawned: AtomicU64,
    pub exited_normally: AtomicU64,
    pub exited_with_error: AtomicU64,
    pub terminated: AtomicU64,
    pub running: AtomicU64,
    pub mailbox_dropped: AtomicU64,
}

/// The host table of a node: grows, never shrinks, so an index keeps its meaning.
#[derive(Default)]
pub struct Hosts(ArcSwap<Vec<Arc<Host>>>);

/// No index is left for another host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a node has at most 1024 process hosts")]
pub struct TooManyHosts;

impl Hosts {
    /// Opens the host `id` for processes. A host that ran before keeps its index and counters.
    ///
    /// # Errors
    /// [`TooManyHosts`] beyond 1,024 hosts in one run of the node.
    pub fn open(&self, id: &EntryId, limits: HostLimits) -> Result<HostIndex, TooManyHosts> {
        let mut hosts = Vec::clone(&self.0.load());
        let index = hosts.iter().position(|host| host.id == *id).unwrap_or(hosts.len());
        if index > usize::from(HostIndex::MAX.0) {
            return Err(TooManyHosts);
        }
        let host = Arc::new(Host {
            id: id.clone(),
            limits,
            accepting: AtomicBool::new(true),
            counters: HostCounters::default(),
        });
        if index < hosts.len() {
            let running = hosts[index].counters.running.load(Ordering::Relaxed);
            host.counters.running.store(running, Ordering::Relaxed);
            hosts[index] = host;
        } else {
            hosts.push(host);
        }
        self.0.store(Arc::new(hosts));
        Ok(HostIndex(index as u16))
    }

    /// The host at an index.
    pub fn get(&self, index: HostIndex) -> Option<Arc<Host>> {
        self.0.load().get(usize::from(index.0)).cloned()
    }

    /// Runs `read` on the host at an index without touching its reference count.
    pub fn with<R>(&self, index: HostIndex, read: impl FnOnce(&Host) -> R) -> Option<R> {
        self.0.load().get(usize::from(index.0)).map(|host| read(host))
    }

    /// The index of a host by its id.
    pub fn find(&self, id: &str) -> Option<HostIndex> {
        let at = self.0.load().iter().position(|host| host.id.as_str() == id)?;
        Some(HostIndex(at as u16))
    }

    /// All hosts, by index.
    pub fn all(&self) -> Vec<Arc<Host>> {
        Vec::clone(&self.0.load())
    }
}
