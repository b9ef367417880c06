use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::pg::View;

/// The view that readers share, and whether it is the newest.
///
/// Publishing after every change would make each change copy what readers may still look at;
/// instead a reader who finds that it is old publishes the newest one.
#[derive(Default)]
pub(super) struct Snapshots {
    published: ArcSwap<Published>,
    /// Changes completed so far.
    changes: AtomicU64,
}

/// What a scope looked like after so many changes; no view while it does not run.
#[derive(Clone, Default)]
pub(super) struct Published {
    changes: u64,
    pub(super) view: Option<View>,
}

impl Snapshots {
    /// A change has been completed. Called inside the serial section.
    pub(super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// The published view, if nothing was completed since.
    pub(super) fn current(&self) -> Option<arc_swap::Guard<Arc<Published>>> {
        let published = self.published.load();
        (published.changes == self.changes.load(Ordering::Acquire)).then_some(published)
    }

    /// Publishes what the scope looks like. Called inside the serial section.
    pub(super) fn publish(&self, view: Option<&View>) -> Arc<Published> {
        let changes = self.changes.load(Ordering::Relaxed);
        let published = Arc::new(Published { changes, view: view.cloned() });
        self.published.store(published.clone());
        published
    }
}
