use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;

use super::spec::SpecHost;
use super::{ClusterNames, Programs};
use crate::scope::Scopes;
use crate::security::{Guard, Policies};

/// What the VMs of one node share with the rest of it.
pub struct Services {
    /// Decides about guarded calls.
    pub guard: Guard,
    /// The loaded policies.
    pub policies: Policies,
    /// The code that can be run.
    pub programs: Programs,
    /// Cluster-wide names, if there is a cluster.
    pub names: ArcSwapOption<Arc<dyn ClusterNames>>,
    /// The process groups; set once the process world they belong to has started.
    pub scopes: OnceLock<Scopes>,
    /// The spec that this node runs, if it was started for one.
    pub spec: Option<Arc<dyn SpecHost>>,
    /// Where `print` goes.
    pub output: Output,
}

/// Where `print` goes (stdlib.md section 1).
#[derive(Clone)]
pub enum Output {
    /// A log record at info level.
    Log,
    /// A writer of lines, which come without their ends: the standard output, or a test.
    Lines(Arc<LineWriter>),
}

/// Takes lines without their ends.
pub type LineWriter = dyn Fn(&[u8]) + Send + Sync;

impl Services {
    /// The names of the whole cluster, on a node that belongs to one.
    pub fn cluster_names(&self) -> Option<Arc<dyn ClusterNames>> {
        self.names.load().as_deref().cloned()
    }
}
