use std::num::NonZeroU16;

use crate::document::Fields;

use super::context::EntryContext;
use super::lifecycle::Lifecycle;

/// Where processes run (`process.host`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessHost {
    /// What its processes may take.
    pub limits: HostLimits,
    /// How it is started.
    pub lifecycle: Lifecycle,
}

/// What the processes of a host may take; the block `host` of its entry. Everywhere 0 stands for
/// the default.
#[derive(Debug, Clone, PartialEq)]
pub struct HostLimits {
    /// Threads that run processes; `None`, the default, is one per core.
    pub workers: Option<NonZeroU16>,
    /// Processes that may wait to be started. Default 1024.
    pub queue_size: u32,
    /// Runnable processes that a worker keeps to itself. Default 256.
    pub local_queue_size: u32,
    /// Most processes at a time; a spawn beyond it fails with `LimitExceeded`. Default 1,000,000.
    pub max_processes: u32,
    /// Most messages in the mailbox of a process; a send beyond it fails. Default 100,000.
    pub mailbox_messages: u32,
    /// Most bytes in the mailbox of a process; a send beyond it fails. Default 64 MiB.
    pub mailbox_bytes: u64,
    /// Most memory of the Lua state of a worker, which its processes share. Default 0: no limit.
    pub memory_bytes: u64,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            workers: None,
            queue_size: 1024,
            local_queue_size: 256,
            max_processes: 1_000_000,
            mailbox_messages: 100_000,
            mailbox_bytes: 64 << 20,
            memory_bytes: 0,
        }
    }
}

impl ProcessHost {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Self {
        let limits = fields.block("host", HostLimits::read).unwrap_or_default();
        Self { limits, lifecycle: Lifecycle::of(fields, context) }
    }
}

impl HostLimits {
    fn read(fields: &mut Fields<'_>) -> Self {
        let d = Self::default();
        let workers = fields.integer_or("workers", 0..=1024_u16, 0);
        let mut count = |name, default| match fields.integer_or(name, 0..=u32::MAX, 0) {
            0 => default,
            given => given,
        };
        let queue_size = count("queue_size", d.queue_size);
        let local_queue_size = count("local_queue_size", d.local_queue_size);
        let max_processes = count("max_processes", d.max_processes);
        let mailbox_messages = count("mailbox_messages", d.mailbox_messages);
        let mut bytes = |name, default| match fields.size_or(name, 0..=i64::MAX as u64, 0) {
            0 => default,
            given => given,
        };
        Self {
            workers: NonZeroU16::new(workers),
            queue_size,
            local_queue_size,
            max_processes,
            mailbox_messages,
            mailbox_bytes: bytes("mailbox_bytes", d.mailbox_bytes),
            memory_bytes: bytes("memory_bytes", d.memory_bytes),
        }
    }
}
