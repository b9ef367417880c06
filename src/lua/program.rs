use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustc_hash::FxHashMap;

use crate::id::EntryId;

/// The code of one registry entry, ready for the VMs (registry.md section 8).
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The entry.
    pub id: EntryId,
    /// What the entry is for.
    pub role: Role,
    /// What errors call the chunk; the entry id, or the path of a file given on the command line.
    pub chunk_name: String,
    /// Lua text.
    pub source: Arc<str>,
    /// The function that is main, where the script returns a table.
    pub method: String,
    /// What `require` may load of the host's modules.
    pub modules: Modules,
    /// What else `require` may load: alias to `library.lua` entry.
    pub imports: BTreeMap<String, EntryId>,
    /// The host of `funcs.call` for a process entry.
    pub default_host: Option<EntryId>,
}

/// What an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `process.lua`
    Process,
    /// `function.lua`
    Function,
    /// `library.lua`
    Library,
    /// A file given on the command line: its chunk is main.
    Script,
}

/// Which of the host's modules a script may load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Modules {
    /// Every one: files given on the command line and specs.
    All,
    /// Those listed.
    Listed(Vec<String>),
}

impl Modules {
    /// Whether `name` is among them.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Listed(names) => names.iter().any(|listed| listed == name),
        }
    }
}

/// All programs of a node, replaced as a whole when the registry changes.
#[derive(Debug, Default)]
pub struct Programs(ArcSwap<FxHashMap<EntryId, Arc<Program>>>);

impl Programs {
    /// The present program of an entry.
    pub fn get(&self, id: &str) -> Option<Arc<Program>> {
        let id: EntryId = id.parse().ok()?;
        self.0.load().get(&id).cloned()
    }

    /// Replaces all programs. Those that did not change keep their identity, so running VMs keep
    /// their compiled form.
    pub fn replace(&self, programs: impl IntoIterator<Item = Program>) {
        let old = self.0.load();
        let new = programs.into_iter().map(|program| {
            let program = match old.get(&program.id) {
                Some(same) if **same == program => same.clone(),
                _ => Arc::new(program),
            };
            (program.id.clone(), program)
        });
        self.0.store(Arc::new(new.collect()));
    }

    /// Adds or replaces one.
    pub fn insert(&self, program: Program) {
        let mut programs = FxHashMap::clone(&self.0.load());
        programs.insert(program.id.clone(), Arc::new(program));
        self.0.store(Arc::new(programs));
    }
}
