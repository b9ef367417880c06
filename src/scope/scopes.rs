use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;

use super::cell::Scope;
use super::shared::{Clock, Peers, Shared};
use crate::id::{NodeName, Origin, ScopeId, Serial};
use crate::pg::message::{answer_for_absent_scope, frame_scope};
use crate::pg::{Config, FrameError};
use crate::process::{ExitHook, Runtime};

/// All scopes of a node.
#[derive(Clone)]
pub struct Scopes(Arc<Parts>);

struct Parts {
    shared: Arc<Shared>,
    table: ArcSwap<HashMap<ScopeId, Arc<Scope>>>,
    /// The sessions that are up. Held while they are told to the scopes, so that a scope which
    /// starts meanwhile hears of each exactly once.
    sessions: Mutex<HashMap<NodeName, Arc<Origin>>>,
}

/// There is no `pg.scope` of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such pg.scope")]
pub struct OpenError;

impl Scopes {
    /// No scopes yet. Processes of `runtime` that asked for it leave everything when they end.
    pub fn new(runtime: &Runtime, clock: Clock) -> Self {
        let peers = ArcSwapOption::empty();
        let shared = Arc::new(Shared { runtime: runtime.clone(), clock, peers });
        let scopes =
            Self(Arc::new(Parts { shared, table: ArcSwap::default(), sessions: Mutex::default() }));
        runtime.on_exit(Arc::new(scopes.clone()));
        scopes
    }

    /// Says which `pg.scope` entries there are. Those that are new do not run yet; those that are
    /// gone stop.
    pub fn declare(&self, ids: impl IntoIterator<Item = ScopeId>) {
        let old = self.0.table.load_full();
        let kept = ids.into_iter().map(|id| {
            let known = old.get(&id).cloned();
            let scope = known.unwrap_or_else(|| Scope::new(id.clone(), self.0.shared.clone()));
            (id, scope)
        });
        let new: HashMap<_, _> = kept.collect();
        let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
        gone.for_each(|(_, scope)| scope.stop());
        self.0.table.store(Arc::new(new));
    }

    /// The scope `id`, running or not.
    ///
    /// # Errors
    /// [`OpenError`] if there is no such entry.
    pub fn open(&self, id: &str) -> Result<Arc<Scope>, OpenError> {
        let id: ScopeId = id.parse().map_err(|_| OpenError)?;
        self.0.table.load().get(&id).cloned().ok_or(OpenError)
    }

    /// All scopes, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<Scope>> {
        let mut all: Vec<_> = self.0.table.load().values().cloned().collect();
        all.sort_by(|a, b| a.id().cmp(b.id()));
        all
    }

    /// Starts a scope that is declared, with the memberships that an earlier run retained. Has to be
    /// called inside a tokio runtime.
    ///
    /// # Errors
    /// [`OpenError`] if it is not declared.
    pub fn start(&self, id: &ScopeId, config: Config) -> Result<Arc<Scope>, OpenError> {
        let scope = self.0.table.load().get(id).cloned().ok_or(OpenError)?;
        let sessions = self.0.sessions.lock();
        let generation = scope.start(config, sessions.values().cloned());
        drop(sessions);
        tokio::spawn(scope.clone().drive(generation));
        Ok(scope)
    }

    /// Stops a scope: peers are told, subscriptions close, and every call answers that it does not
    /// run. Its members are retained for the next start.
    pub fn stop(&self, id: &ScopeId) {
        if let Some(scope) = self.0.table.load().get(id) {
            scope.stop();
        }
    }

    /// Sets the way to other nodes.
    pub fn connect(&self, peers: Box<dyn Peers>) {
        self.0.shared.peers.store(Some(Arc::new(peers)));
    }

    /// A session with a peer is up.
    pub fn session_up(&self, peer: &Origin) {
        let peer = Arc::new(peer.clone());
        let mut sessions = self.0.sessions.lock();
        sessions.insert(peer.node.clone(), peer.clone());
        for scope in self.0.table.load().values() {
            scope.enter(|run, now| {
                if let Some(run) = run {
                    run.state.handle_session_up(now, peer.clone());
                    scope.snapshots.changed();
                }
            });
        }
    }

    /// The session with a peer is lost; its members stay until [`Scopes::node_gone`].
    pub fn session_down(&self, peer: &Origin) {
        let mut sessions = self.0.sessions.lock();
        if sessions.get(&peer.node).is_some_and(|known| **known == *peer) {
            sessions.remove(&peer.node);
        }
        for scope in self.0.table.load().values() {
            scope.enter(|run, _| {
                if let Some(run) = run {
                    run.state.handle_session_down(peer);
                }
            });
        }
    }

    /// A node is dead or has left: its members leave everywhere, in one step for each scope.
    pub fn node_gone(&self, node: &Origin) {
        for scope in self.0.table.load().values() {
            scope.refresh();
            scope.enter(|run, _| {
                if let Some(run) = run {
                    run.state.handle_node_gone(node);
                    scope.snapshots.changed();
                }
            });
        }
    }

    /// A frame came from an authenticated peer. For a scope that does not run here the peer is told
    /// so, if it asks.
    ///
    /// # Errors
    /// Why the frame was refused.
    pub fn handle_frame(&self, from: &NodeName, frame: &[u8]) -> Result<(), FrameError> {
        let id = frame_scope(frame)?;
        match self.open(id) {
            Ok(scope) if scope.is_running() => scope.handle_frame(from, frame),
            _ => {
                let own = self.0.shared.runtime.origin();
                if let Some(answer) = answer_for_absent_scope(frame, own) {
                    // A peer that cannot be reached now asks again.
                    let _ = self.0.shared.send(from, answer);
                }
                Ok(())
            }
        }
    }
}

impl ExitHook for Scopes {
    fn process_exited(&self, serial: Serial) {
        for scope in self.0.table.load().values() {
            scope.process_exited(serial);
        }
    }
}
