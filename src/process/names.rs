use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::id::Serial;

/// The LOCAL names of a node (process.md section 8): each belongs to one live process, which may
/// hold many.
#[derive(Default)]
pub struct Names(Mutex<FxHashMap<SmolStr, Serial>>);

impl Names {
    /// Gives `name` to `owner`. Answers the holder: `owner` itself if it now has, or had, the name.
    pub fn register(&self, name: &str, owner: Serial) -> Serial {
        *self.0.lock().entry(name.into()).or_insert(owner)
    }

    /// Who has the name.
    pub fn lookup(&self, name: &str) -> Option<Serial> {
        self.0.lock().get(name).copied()
    }

    /// Takes a name from whoever has it; answers who that was.
    pub fn unregister(&self, name: &str) -> Option<Serial> {
        self.0.lock().remove(name)
    }

    /// Takes the names of an ended process back.
    pub(super) fn release(&self, owner: Serial, names: &[SmolStr]) {
        let mut table = self.0.lock();
        for name in names {
            if table.get(name) == Some(&owner) {
                table.remove(name);
            }
        }
    }

    /// All names, sorted, with their owners.
    pub fn all(&self) -> Vec<(SmolStr, Serial)> {
        let mut names: Vec<_> =
            self.0.lock().iter().map(|(name, owner)| (name.clone(), *owner)).collect();
        names.sort();
        names
    }
}
