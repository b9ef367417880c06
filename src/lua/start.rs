use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{LuaFactory, Services, raw};
use crate::id::Origin;
use crate::process::{Runtime, StartError};

/// The memory that each VM of a node uses, for health and metrics.
#[derive(Clone)]
pub struct VmMemory(Arc<Vec<Arc<AtomicU64>>>);

impl VmMemory {
    /// Bytes for each worker.
    pub fn bytes(&self) -> Vec<u64> {
        self.0.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect()
    }
}

/// Starts the process world of a node: `workers` threads with a Lua VM each.
///
/// # Errors
/// If the machine gives no thread, VM or signal handler.
pub fn start(
    origin: Origin,
    workers: usize,
    services: Arc<Services>,
) -> Result<(Runtime, VmMemory), StartError> {
    raw::install_signal_handler().map_err(|error| StartError::Worker(error.to_string()))?;
    let workers = workers.max(1);
    let memory = VmMemory(Arc::new((0..workers).map(|_| Arc::default()).collect()));
    let threads: Arc<Vec<AtomicU64>> = Arc::new((0..workers).map(|_| AtomicU64::new(0)).collect());
    let (vm_memory, thread_ids) = (memory.clone(), threads.clone());
    let factory = move |worker: usize| {
        if let Some(id) = thread_ids.get(worker) {
            id.store(raw::this_thread(), Ordering::Release);
        }
        let bytes = vm_memory.0.get(worker).cloned().unwrap_or_default();
        let factory = LuaFactory::new(&services, bytes).map_err(|error| error.to_string())?;
        Ok(Box::new(factory) as Box<dyn crate::process::BodyFactory>)
    };
    let cut = move |worker: usize| {
        if let Some(id) = threads.get(worker) {
            raw::cut(id.load(Ordering::Acquire));
        }
    };
    Ok((Runtime::start(origin, workers, factory, cut)?, memory))
}
