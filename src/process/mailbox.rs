use std::collections::VecDeque;

use smol_str::SmolStr;

use super::{Message, Source};

/// A place that messages are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscription {
    /// Every topic without a listener.
    Inbox,
    /// CANCEL, EXIT and LINK_DOWN.
    Events,
    /// One topic.
    Topic(u32),
}

/// The ordered queue of one process (process.md section 5).
///
/// A message is matched with its subscription when it is taken, not when it arrives: what no
/// subscription wants stays, in order, and flows to the one that comes later.
#[derive(Default)]
pub struct Mailbox {
    unrouted: VecDeque<Queued>,
    events: VecDeque<Queued>,
    listeners: Vec<Listener>,
    next_sequence: u64,
    next_listener: u32,
    waiting: Waiting,
}

#[derive(Default, Clone, Copy)]
struct Waiting {
    inbox: bool,
    events: bool,
}

struct Queued {
    sequence: u64,
    message: Message,
}

struct Listener {
    id: u32,
    topic: SmolStr,
    queue: VecDeque<Queued>,
    waiting: bool,
}

impl Mailbox {
    /// Queues a message; true if somebody waits for it.
    pub fn push(&mut self, message: Message) -> bool {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let queued = Queued { sequence, message };
        if let Some(listener) = self.listeners.iter_mut().find(|l| l.topic == queued.message.topic)
        {
            listener.queue.push_back(queued);
            return listener.waiting;
        }
        if queued.message.topic.starts_with('@') {
            self.events.push_back(queued);
            return self.waiting.events;
        }
        self.unrouted.push_back(queued);
        self.waiting.inbox
    }

    /// Subscribes to a topic, or finds the subscription that there is; queued messages of the
    /// topic flow in, in order.
    pub fn listen(&mut self, topic: &str) -> Subscription {
        if let Some(listener) = self.listeners.iter().find(|l| l.topic == topic) {
            return Subscription::Topic(listener.id);
        }
        let id = self.next_listener;
        self.next_listener += 1;
        let (queue, unrouted) =
            self.unrouted.drain(..).partition(|queued| queued.message.topic == topic);
        self.unrouted = unrouted;
        self.listeners.push(Listener { id, topic: topic.into(), queue, waiting: false });
        Subscription::Topic(id)
    }

    /// Ends a topic's subscription. Answers the one message that the channel had buffered; the
    /// others return to their place in the queue.
    pub fn unlisten(&mut self, subscription: Subscription) -> Option<Message> {
        let Subscription::Topic(id) = subscription else {
            self.set_waiting(subscription, false);
            return None;
        };
        let at = self.listeners.iter().position(|l| l.id == id)?;
        let mut listener = self.listeners.swap_remove(at);
        let buffered = listener.queue.pop_front();
        if !listener.queue.is_empty() {
            self.unrouted.extend(listener.queue);
            self.unrouted.make_contiguous().sort_by_key(|queued| queued.sequence);
        }
        buffered.map(|queued| queued.message)
    }

    /// Takes the next message of a subscription.
    pub fn take(&mut self, subscription: Subscription) -> Option<Message> {
        let queue = match subscription {
            Subscription::Inbox => &mut self.unrouted,
            Subscription::Events => &mut self.events,
            Subscription::Topic(id) => &mut self.listeners.iter_mut().find(|l| l.id == id)?.queue,
        };
        queue.pop_front().map(|queued| queued.message)
    }

    /// Takes back the queued events of `topic` from `source`.
    pub(super) fn retract(&mut self, topic: &str, source: &Source) {
        self.events.retain(|e| e.message.topic != topic || e.message.source != *source);
    }

    /// Says whether a receiver waits on the subscription, so that only then a message wakes the
    /// process.
    pub fn set_waiting(&mut self, subscription: Subscription, waiting: bool) {
        match subscription {
            Subscription::Inbox => self.waiting.inbox = waiting,
            Subscription::Events => self.waiting.events = waiting,
            Subscription::Topic(id) => {
                if let Some(listener) = self.listeners.iter_mut().find(|l| l.id == id) {
                    listener.waiting = waiting;
                }
            }
        }
    }

    /// Drops all subscriptions; their messages return to their place in the queue
    /// (process.md section 10).
    pub fn reset_subscriptions(&mut self) {
        for listener in self.listeners.drain(..) {
            self.unrouted.extend(listener.queue);
        }
        self.unrouted.make_contiguous().sort_by_key(|queued| queued.sequence);
        self.waiting = Waiting::default();
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Messages queued.
    pub fn len(&self) -> usize {
        let listened: usize = self.listeners.iter().map(|l| l.queue.len()).sum();
        self.unrouted.len() + self.events.len() + listened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Values;

    fn message(topic: &str, number: i64) -> Message {
        Message { source: Source::System, topic: topic.into(), values: Values::int(number) }
    }

    fn drain(mailbox: &mut Mailbox, from: Subscription) -> Vec<Values> {
        std::iter::from_fn(|| mailbox.take(from)).map(|m| m.values).collect()
    }

    #[test]
    fn a_late_listener_gets_queued_messages_in_order() {
        let mut mailbox = Mailbox::default();
        for (topic, number) in [("x", 1), ("y", 2), ("x", 3)] {
            mailbox.push(message(topic, number));
        }
        let x = mailbox.listen("x");
        mailbox.push(message("x", 4));
        assert_eq!(drain(&mut mailbox, x), [Values::int(1), Values::int(3), Values::int(4)]);
        assert_eq!(drain(&mut mailbox, Subscription::Inbox), [Values::int(2)]);
    }

    #[test]
    fn unlisten_keeps_one_buffered_and_returns_the_rest_to_their_place() {
        let mut mailbox = Mailbox::default();
        let x = mailbox.listen("x");
        for (topic, number) in [("x", 1), ("x", 2), ("y", 3), ("x", 4)] {
            mailbox.push(message(topic, number));
        }
        assert_eq!(mailbox.unlisten(x).map(|m| m.values), Some(Values::int(1)));
        let expected = [Values::int(2), Values::int(3), Values::int(4)];
        assert_eq!(drain(&mut mailbox, Subscription::Inbox), expected);
        assert!(mailbox.take(x).is_none());
    }

    #[test]
    fn events_never_reach_the_inbox() {
        let mut mailbox = Mailbox::default();
        mailbox.set_waiting(Subscription::Inbox, true);
        assert!(!mailbox.push(message("@pid/events", 1)));
        assert!(mailbox.push(message("x", 2)));
        assert_eq!(drain(&mut mailbox, Subscription::Inbox), [Values::int(2)]);
        assert_eq!(drain(&mut mailbox, Subscription::Events), [Values::int(1)]);
    }

    #[test]
    fn only_a_waiting_subscription_wakes() {
        let mut mailbox = Mailbox::default();
        let x = mailbox.listen("x");
        assert_eq!(mailbox.listen("x"), x);
        assert!(!mailbox.push(message("x", 1)));
        mailbox.set_waiting(x, true);
        assert!(mailbox.push(message("x", 2)));
        assert!(!mailbox.push(message("y", 3)));
    }
}
