mod healing;
mod links;
mod net;
mod properties;
mod remote;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::id::{GroupName, HostIndex, Incarnation, Serial};
use crate::pg::{Change, Event};

const NOW: Duration = Duration::from_secs(1);

pub(super) fn origin(node: &str, incarnation: u64) -> Arc<Origin> {
    let incarnation = Incarnation(incarnation);
    Arc::new(Origin { node: node.parse().unwrap(), incarnation })
}

pub(super) fn state(node: &str, config: Config) -> State {
    start(origin(node, 1), 1, config)
}

pub(super) fn start(origin: Arc<Origin>, generation: u64, config: Config) -> State {
    let scope = "app:pg".parse().unwrap();
    let mut state = State::new(scope, origin, Generation(generation), config, 7);
    state.learn_host(HostIndex(0), &"app:procs".parse().unwrap());
    state.handle_start(NOW, [], 0);
    state
}

pub(super) fn names(groups: &[&str]) -> Vec<GroupName> {
    groups.iter().map(|group| group.parse().unwrap()).collect()
}

/// Each member of a group as `node:serial`, as often as it joined.
pub(super) fn members(state: &State, group: &str) -> Vec<String> {
    let slots = state.view().members(group).flat_map(|(member, times)| {
        (0..times).map(move |_| format!("{}:{}", member.origin.node, member.serial))
    });
    slots.collect()
}

pub(super) fn texts(event: &Event) -> (Change, String, Vec<String>) {
    let slots = event.members().flat_map(|(member, times)| {
        (0..times).map(move |_| format!("{}:{}", member.origin.node, member.serial))
    });
    (event.change, event.group.to_string(), slots.collect())
}

pub(super) fn events(state: &mut State) -> Vec<(Change, String, Vec<String>)> {
    std::iter::from_fn(|| state.poll_event()).map(|event| texts(&event)).collect()
}

#[test]
fn n_joins_need_n_leaves() {
    let mut state = state("a", Config::default());
    let one = Serial(1);
    state.handle_join(NOW, one, &names(&["g"])).unwrap();
    state.handle_join(NOW, one, &names(&["g", "h", "g"])).unwrap();
    assert_eq!(members(&state, "g"), ["a:1", "a:1", "a:1"]);
    state.handle_leave(NOW, one, &names(&["g"])).unwrap();
    state.handle_leave(NOW, one, &names(&["g", "never", "g"])).unwrap();
    assert_eq!(members(&state, "g"), [""; 0]);
    assert_eq!(state.handle_leave(NOW, one, &names(&["g"])), Err(NotJoined));
    assert_eq!(state.handle_leave(NOW, one, &[]), Err(NotJoined));
    assert_eq!(members(&state, "h"), ["a:1"]);
    let groups: Vec<String> = state.view().groups().map(|group| group.to_string()).collect();
    assert_eq!(groups, ["h"]);
}

#[test]
fn limits_are_checked_before_anything_happens() {
    let config =
        Config { max_groups: Some(2), max_members_per_group: Some(3), ..Config::default() };
    let mut state = state("a", config);
    state.handle_join(NOW, Serial(1), &names(&["g", "g"])).unwrap();
    let full = state.handle_join(NOW, Serial(2), &names(&["h", "g", "g"]));
    assert_eq!(full, Err(JoinError::Members { group: "g".parse().unwrap(), limit: 3 }));
    let many = state.handle_join(NOW, Serial(2), &names(&["g", "h", "i"]));
    assert_eq!(many, Err(JoinError::Groups { group: "i".parse().unwrap(), limit: 2 }));
    assert_eq!(state.view().group_count(), 1);
    assert_eq!(members(&state, "g"), ["a:1", "a:1"]);
    state.handle_join(NOW, Serial(2), &names(&["g", "h"])).unwrap();
    assert_eq!((state.stats().joins, state.stats().joins_refused), (2, 2));
}

#[test]
fn a_process_without_a_named_host_cannot_join() {
    let mut state = state("a", Config::default());
    let stranger = Serial(3 << Serial::HOST_SHIFT);
    let refused = state.handle_join(NOW, stranger, &names(&["g"]));
    assert_eq!(refused, Err(JoinError::UnknownHost(HostIndex(3))));
}

#[test]
fn exit_leaves_every_group_with_one_event_each() {
    let mut state = state("a", Config::default());
    let (dying, watcher) = (Serial(1), Serial(2));
    state.handle_join(NOW, dying, &names(&["g", "g", "h", "i"])).unwrap();
    state.handle_leave(NOW, dying, &names(&["i"])).unwrap();
    state.handle_events(watcher);
    let own = state.handle_events(dying);
    assert_eq!(state.handle_exit(dying).as_slice(), [own]);
    let mut seen = events(&mut state);
    seen.sort_by(|a, b| a.1.cmp(&b.1));
    let left = |group: &str, list: &[&str]| {
        (Change::Left, group.to_owned(), list.iter().map(|text| text.to_string()).collect())
    };
    assert_eq!(seen, [left("g", &["a:1", "a:1"]), left("h", &["a:1"])]);
    assert_eq!(state.view().group_count(), 0);
    assert_eq!(state.digest().slots, 0);
    assert!(state.handle_exit(dying).is_empty());
}

#[test]
fn subscriptions_see_their_group_from_their_start_to_their_end() {
    let mut state = state("a", Config::default());
    state.handle_join(NOW, Serial(1), &names(&["g"])).unwrap();
    let one = state.handle_monitor(Serial(9), "g".parse().unwrap());
    state.handle_join(NOW, Serial(2), &names(&["g", "h"])).unwrap();
    let event = state.poll_event().unwrap();
    assert_eq!(event.to.as_slice(), [one]);
    assert_eq!(texts(&event), (Change::Joined, "g".to_owned(), vec!["a:2".to_owned()]));
    assert!(state.poll_event().is_none());
    assert!(state.handle_unsubscribe(one));
    state.handle_leave(NOW, Serial(2), &names(&["g"])).unwrap();
    assert!(state.poll_event().is_none());
}

#[test]
fn a_view_does_not_change_afterwards() {
    let mut state = state("a", Config::default());
    state.handle_join(NOW, Serial(1), &names(&["g"])).unwrap();
    let before = state.view().clone();
    state.handle_exit(Serial(1));
    assert_eq!(before.slots("g"), 1);
    assert_eq!(before.members("g").count(), 1);
    assert_eq!(before.local_groups().count(), 1);
    assert_eq!(state.view().slots("g"), 0);
}
