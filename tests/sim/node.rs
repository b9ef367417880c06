//! One simulated node: its processes, its scope, and what its subscribers were told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moonmesh::id::{GroupName, HostIndex, Incarnation, NodeName, Origin, Serial};
use moonmesh::pg::message::Generation;
use moonmesh::pg::{Change, Config, Event, Retained, State, SubscriptionId, View};

/// Slots of each member of each group.
pub type Memberships = BTreeMap<(GroupName, Serial), u64>;

/// Slots of each member of each group, by the node that it is on.
pub type Picture = BTreeMap<(GroupName, Origin, Serial), i64>;

/// A node by its place in the world. It outlives its runs.
pub struct Node {
    pub name: NodeName,
    /// The present run, or the last one.
    pub origin: Arc<Origin>,
    pub power: Power,
    /// The scope, while it runs.
    pub state: Option<State>,
    /// What a stopped scope left for the next start.
    pub retained: Retained,
    pub generation: u64,
    /// What its processes have joined: the truth.
    pub joined: Memberships,
    pub subscribers: Vec<Subscriber>,
    /// The session that this side has with each peer, and the peer's run in it.
    pub sessions: BTreeMap<usize, (u64, Arc<Origin>)>,
    /// When the next wake-up is due in the world's queue.
    pub armed: Option<Duration>,
    last_serial: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    On,
    Off,
}

/// A subscription and the picture that its snapshot and events add up to.
pub struct Subscriber {
    pub id: SubscriptionId,
    pub owner: Serial,
    pub group: Option<GroupName>,
    pub picture: Picture,
}

impl Node {
    pub fn new(index: usize) -> Self {
        let name: NodeName = format!("n{index}").parse().expect("a node name");
        Self {
            origin: Arc::new(Origin { node: name.clone(), incarnation: Incarnation(0) }),
            name,
            power: Power::Off,
            state: None,
            retained: Retained::default(),
            generation: 0,
            joined: Memberships::new(),
            subscribers: Vec::new(),
            sessions: BTreeMap::new(),
            armed: None,
            last_serial: 0,
        }
    }

    /// A new run: nothing of the last one is left but its name.
    pub fn boot(&mut self) {
        let incarnation = Incarnation(self.origin.incarnation.0 + 1);
        *self = Self {
            origin: Arc::new(Origin { node: self.name.clone(), incarnation }),
            power: Power::On,
            name: self.name.clone(),
            state: None,
            retained: Retained::default(),
            generation: 0,
            joined: Memberships::new(),
            subscribers: Vec::new(),
            sessions: BTreeMap::new(),
            armed: None,
            last_serial: 0,
        };
    }

    /// The next start of the scope in this run.
    pub fn start_scope(&mut self, config: Config, seed: u64, now: Duration) {
        self.generation += 1;
        let scope = "app:pg".parse().expect("a scope id");
        let generation = Generation(self.generation);
        let mut state = State::new(scope, self.origin.clone(), generation, config, seed);
        state.restore(std::mem::take(&mut self.retained));
        let sessions = self.sessions.values().map(|(_, origin)| origin.clone());
        state.handle_start(now, sessions.collect::<Vec<_>>(), seed);
        self.state = Some(state);
    }

    /// A process that did not exist before.
    pub fn new_process(&mut self) -> Serial {
        self.last_serial += 1;
        let host = self.last_serial % 2;
        Serial(host << Serial::HOST_SHIFT | self.last_serial)
    }

    /// The processes that are in some group.
    pub fn members(&self) -> Vec<Serial> {
        let mut members: Vec<Serial> = self.joined.keys().map(|(_, member)| *member).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Names the host of a process as the runtime would before its first join.
    pub fn name_host(&mut self, member: Serial) {
        let HostIndex(index) = member.host_index();
        let id = format!("app:host{index}").parse().expect("a host id");
        if let Some(state) = &mut self.state {
            state.learn_host(HostIndex(index), &id);
        }
    }

    /// Tells the subscribers what happened.
    pub fn carry(&mut self, event: &Event) {
        let sign = match event.change {
            Change::Joined => 1,
            Change::Left => -1,
        };
        for subscriber in &mut self.subscribers {
            if event.to.contains(&subscriber.id) {
                for (member, times) in event.members() {
                    let origin = Origin::clone(member.origin);
                    let key = (event.group.clone(), origin, member.serial);
                    *subscriber.picture.entry(key).or_default() += sign * times as i64;
                }
                subscriber.picture.retain(|_, slots| *slots != 0);
            }
        }
    }
}

/// All of `view`, or one group of it.
pub fn picture(view: &View, group: Option<&GroupName>) -> Picture {
    let mut picture = Picture::new();
    for name in view.groups().filter(|name| group.is_none_or(|group| group == *name)) {
        for (member, times) in view.members(name.as_str()) {
            let key = (name.clone(), Origin::clone(member.origin), member.serial);
            *picture.entry(key).or_default() += times as i64;
        }
    }
    picture
}
