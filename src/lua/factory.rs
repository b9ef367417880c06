use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::body::LuaBody;
use super::host::Host;
use super::{Identity, Program, Services, vm};
use crate::process::{Body, BodyFactory, Process, SpawnRequest, Worker};
use crate::value::{ErrorValue, Values, kind};

/// What a process is made from: the seed of a [`SpawnRequest`].
pub struct Seed {
    /// Its code.
    pub program: Arc<Program>,
    /// What main is called with.
    pub arguments: Values,
    /// On whose behalf it acts.
    pub identity: Identity,
}

/// The VM of one worker thread; makes the Lua processes that live there.
pub struct LuaFactory {
    host: Rc<Host>,
    /// Where the memory that the VM uses is shown to other threads, in bytes.
    memory_bytes: Arc<AtomicU64>,
}

impl LuaFactory {
    /// Opens a VM on the calling thread.
    ///
    /// # Errors
    /// What Lua says if it cannot be opened.
    pub fn new(services: &Arc<Services>, memory_bytes: Arc<AtomicU64>) -> mlua::Result<Self> {
        let lua = mlua::Lua::new_with(
            mlua::StdLib::ALL_SAFE,
            mlua::LuaOptions::new().catch_rust_panics(false),
        )?;
        let host = Rc::new(Host::new(lua, services.clone()));
        Ok(Self { host, memory_bytes })
    }
}

impl BodyFactory for LuaFactory {
    fn attach(&self, worker: &Rc<Worker>) {
        self.host.attach(worker);
        if let Err(error) = vm::open(&self.host) {
            panic!("the host's own Lua code does not load: {error}");
        }
    }

    fn create(
        &self,
        process: &Rc<Process>,
        request: &mut SpawnRequest,
    ) -> Result<Rc<dyn Body>, ErrorValue> {
        let seed = std::mem::replace(&mut request.seed, Box::new(()));
        let Ok(seed) = seed.downcast::<Seed>() else {
            return Err(ErrorValue::new(kind::INTERNAL, "spawn without code"));
        };
        let Seed { program, arguments, identity } = *seed;
        let body = LuaBody::new(&self.host, process, program, identity, arguments);
        self.host.start_main(&body)?;
        Ok(body)
    }

    fn between_slices(&self) {
        self.memory_bytes.store(self.host.lua.used_memory() as u64, Ordering::Relaxed);
    }

    fn detach(&self) {
        self.host.detach();
    }
}
