//! The nodes named in the configuration: dialled whenever one of them is not among the members, so
//! that a cluster that was cut in two finds together again, however long it took.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::{Event, Hub};
use crate::id::NodeName;
use crate::mesh::address::is_own;
use crate::mesh::config::{MeshConfig, split_seed};
use crate::mesh::dial::{Dialler, Failure};
use crate::wire::{Backoff, CloseCode, Generation, RetryAdvice};

/// All seeds, and what has been learnt of their addresses.
pub(super) struct Seeds {
    all: Vec<Seed>,
    found: Arc<Mutex<Found>>,
}

/// Who was found at which address. A seed may be reached at another address than it tells.
#[derive(Debug, Default)]
struct Found {
    own: Vec<SocketAddr>,
    nodes: HashMap<SocketAddr, NodeName>,
}

struct Seed {
    host: String,
    port: u16,
    backoff: Backoff,
    timer: u64,
    trying: bool,
    present: bool,
}

/// How it went with one seed.
pub(in crate::mesh) enum SeedOutcome {
    /// All its addresses are members, or this node itself.
    Present,
    /// Not all of them, and why.
    Missing(RetryAdvice, String),
}

impl Seeds {
    pub(super) fn new(config: &MeshConfig) -> Self {
        let seed = |(host, port)| Seed {
            host,
            port,
            backoff: Backoff::new(config.times.backoff),
            timer: 0,
            trying: false,
            present: false,
        };
        let all = config.seeds.iter().filter_map(|text| split_seed(text).ok()).map(seed).collect();
        Self { all, found: Arc::default() }
    }
}

impl Hub {
    pub(super) fn start_seeds(&mut self) {
        (0..self.seeds.all.len()).for_each(|index| self.try_seed(index));
    }

    /// Members have come or gone: the seeds that were members are looked at again soon.
    pub(super) fn wake_seeds(&mut self) {
        for index in 0..self.seeds.all.len() {
            if self.seeds.all.get(index).is_some_and(|seed| seed.present && !seed.trying) {
                self.seed_later(index, RetryAdvice::Soon);
            }
        }
    }

    pub(super) fn seed_due(&mut self, index: usize, timer: u64) {
        if self.seeds.all.get(index).is_some_and(|seed| seed.timer == timer && !seed.trying) {
            self.try_seed(index);
        }
    }

    fn try_seed(&mut self, index: usize) {
        let found = self.seeds.found.clone();
        let Some(seed) = self.seeds.all.get_mut(index) else { return };
        if self.stopping.is_some() {
            return;
        }
        seed.trying = true;
        let (host, port) = (seed.host.clone(), seed.port);
        let dialler = self.dialler.clone();
        tokio::spawn(async move {
            let outcome = look_after(&dialler, &found, host, port).await;
            let _ = dialler.events.send(Event::SeedTried(index, outcome)).await;
        });
    }

    pub(super) fn seed_tried(&mut self, index: usize, outcome: SeedOutcome) {
        let interval = self.shared.config.times.seed_interval;
        let Some(seed) = self.seeds.all.get_mut(index) else { return };
        seed.trying = false;
        seed.present = matches!(outcome, SeedOutcome::Present);
        match outcome {
            SeedOutcome::Present => {
                self.shared.complaints.clear(&format!("seed {}:{}", seed.host, seed.port));
                seed.backoff.restart();
                seed.timer += 1;
                let timer = seed.timer;
                self.after(interval, Event::SeedDue(index, timer));
            }
            SeedOutcome::Missing(advice, reason) => {
                let about = format!("seed {}:{}", seed.host, seed.port);
                if self.shared.complaints.note(about, &reason) {
                    tracing::warn!(host = %seed.host, port = seed.port, %reason, "seed is missing");
                }
                self.seed_later(index, advice);
            }
        }
    }

    fn seed_later(&mut self, index: usize, advice: RetryAdvice) {
        let random = self.random();
        let Some(seed) = self.seeds.all.get_mut(index) else { return };
        let wait = match advice {
            RetryAdvice::Soon => seed.backoff.next(random),
            RetryAdvice::Slow | RetryAdvice::Never => seed.backoff.next_slow(random),
        };
        seed.timer += 1;
        let timer = seed.timer;
        self.after(wait, Event::SeedDue(index, timer));
    }
}

/// Resolves a seed and dials every address of it that is nobody's yet.
async fn look_after(
    dialler: &Dialler,
    found: &Arc<Mutex<Found>>,
    host: String,
    port: u16,
) -> SeedOutcome {
    let addrs: Vec<SocketAddr> = match host.parse::<IpAddr>() {
        Ok(ip) => vec![SocketAddr::new(ip, port)],
        Err(_) => match tokio::net::lookup_host((host, port)).await {
            Ok(addrs) => addrs.collect(),
            Err(error) => return SeedOutcome::Missing(RetryAdvice::Soon, error.to_string()),
        },
    };
    if addrs.is_empty() {
        let text = "the name has no addresses".to_owned();
        return SeedOutcome::Missing(RetryAdvice::Soon, text);
    }
    let mut dials = JoinSet::new();
    for addr in addrs {
        if !found.lock().covers(dialler, addr) {
            let dialler = dialler.clone();
            dials.spawn(async move { (addr, dialler.dial(addr, None, Generation(0)).await) });
        }
    }
    let mut outcome = SeedOutcome::Present;
    while let Some(Ok((addr, result))) = dials.join_next().await {
        match result {
            Ok(name) => {
                found.lock().nodes.insert(addr, name);
            }
            Err(Failure { ending, .. }) if ending.code() == Some(CloseCode::Itself) => {
                found.lock().own.push(addr);
            }
            // The node is there, and another connection to it is in use.
            Err(Failure { ending, found: Some(name) })
                if ending.code() == Some(CloseCode::Duplicate) =>
            {
                found.lock().nodes.insert(addr, name);
            }
            Err(failure) => {
                let text = format!("{addr}: {}", failure.ending);
                outcome = SeedOutcome::Missing(failure.advice(), text);
            }
        }
    }
    outcome
}

impl Found {
    /// Whether a live member, or this node, is known to be at `addr`.
    fn covers(&self, dialler: &Dialler, addr: SocketAddr) -> bool {
        let shared = &dialler.shared;
        if shared.own.load().addr == addr || is_own(addr, shared.bound) || self.own.contains(&addr)
        {
            return true;
        }
        let view = shared.view.load();
        view.alive().any(|member| {
            let here = self.nodes.get(&addr) == Some(&member.origin.node);
            member.addr == addr || (here && member.connected)
        })
    }
}
