use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{NOW, State, names, state};
use crate::id::{GroupName, Serial};
use crate::pg::{Change, Config, SubscriptionId};

const GROUPS: [&str; 3] = ["a", "b", "c"];

/// Slots of each member of each group.
type Model = BTreeMap<(String, Serial), u64>;

#[derive(Clone, Debug)]
enum Operation {
    Join(u64, Vec<&'static str>),
    Leave(u64, Vec<&'static str>),
    Exit(u64),
    Monitor(u64, &'static str),
    Events(u64),
    Unsubscribe(usize),
}

struct Subscriber {
    id: SubscriptionId,
    owner: u64,
    group: Option<&'static str>,
    picture: Model,
}

fn operation() -> impl Strategy<Value = Operation> {
    let member = 0..4u64;
    let groups = proptest::collection::vec(proptest::sample::select(&GROUPS[..]), 1..5);
    prop_oneof![
        4 => (member.clone(), groups.clone()).prop_map(|(m, g)| Operation::Join(m, g)),
        3 => (member.clone(), groups).prop_map(|(m, g)| Operation::Leave(m, g)),
        1 => member.clone().prop_map(Operation::Exit),
        1 => (member.clone(), proptest::sample::select(&GROUPS[..]))
            .prop_map(|(m, g)| Operation::Monitor(m, g)),
        1 => member.prop_map(Operation::Events),
        1 => (0..4usize).prop_map(Operation::Unsubscribe),
    ]
}

fn listed(state: &State, only: Option<&str>) -> Model {
    let mut model = Model::new();
    for group in state.view().groups().filter(|group| only.is_none_or(|g| g == group.as_str())) {
        for (member, times) in state.view().members(group.as_str()) {
            *model.entry((group.to_string(), member.serial)).or_default() += times;
        }
    }
    model
}

/// Carries out one operation on the state and on the model of it.
fn apply(state: &mut State, model: &mut Model, all: &mut Vec<Subscriber>, operation: Operation) {
    match operation {
        Operation::Join(member, groups) => {
            state.handle_join(NOW, Serial(member), &names(&groups)).unwrap();
            for group in groups {
                *model.entry((group.to_owned(), Serial(member))).or_default() += 1;
            }
        }
        Operation::Leave(member, groups) => {
            let mut any = false;
            for group in &groups {
                if let Some(slots) = model.get_mut(&(group.to_string(), Serial(member))) {
                    any |= *slots > 0;
                    *slots = slots.saturating_sub(1);
                }
            }
            model.retain(|_, slots| *slots > 0);
            assert_eq!(state.handle_leave(NOW, Serial(member), &names(&groups)).is_ok(), any);
        }
        Operation::Exit(member) => {
            state.handle_exit(Serial(member));
            model.retain(|(_, known), _| *known != Serial(member));
            all.retain(|subscriber| subscriber.owner != member);
        }
        Operation::Monitor(owner, group) => {
            let name: GroupName = group.parse().unwrap();
            let id = state.handle_monitor(Serial(owner), name);
            let picture = listed(state, Some(group));
            all.push(Subscriber { id, owner, group: Some(group), picture });
        }
        Operation::Events(owner) => {
            let id = state.handle_events(Serial(owner));
            all.push(Subscriber { id, owner, group: None, picture: listed(state, None) });
        }
        Operation::Unsubscribe(which) if which < all.len() => {
            assert!(state.handle_unsubscribe(all.remove(which).id));
        }
        Operation::Unsubscribe(_) => {}
    }
}

fn carry_events(state: &mut State, all: &mut [Subscriber]) {
    while let Some(event) = state.poll_event() {
        for id in &event.to {
            let subscriber = all.iter_mut().find(|known| known.id == *id);
            let picture = &mut subscriber.expect("a living subscription").picture;
            for (member, times) in event.members() {
                let slots = picture.entry((event.group.to_string(), member.serial)).or_default();
                match event.change {
                    Change::Joined => *slots += times,
                    Change::Left => *slots -= times,
                }
            }
            picture.retain(|_, slots| *slots > 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_are_the_joins_and_snapshots_plus_events_are_the_views(
        operations in proptest::collection::vec(operation(), 1..80),
    ) {
        let mut state = state("n", Config::default());
        let (mut model, mut all) = (Model::new(), Vec::new());
        for operation in operations {
            apply(&mut state, &mut model, &mut all, operation);
            carry_events(&mut state, &mut all);
            prop_assert_eq!(&listed(&state, None), &model);
            prop_assert_eq!(state.view().local_totals().slots, model.values().sum::<u64>());
            for subscriber in &all {
                prop_assert_eq!(&subscriber.picture, &listed(&state, subscriber.group));
            }
        }
        for member in 0..4 {
            apply(&mut state, &mut model, &mut all, Operation::Exit(member));
            carry_events(&mut state, &mut all);
        }
        prop_assert_eq!(state.view().group_count(), 0);
        prop_assert_eq!((state.digest().slots, state.digest().hash), (0, 0));
        prop_assert_eq!(state.joined.iter().count(), 0);
        prop_assert_eq!(state.stats().subscriptions, 0);
    }
}
