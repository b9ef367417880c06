//! Channels between the coroutines of one process, and from the outside into it (channel.md).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use super::body::LuaBody;
use crate::process::{
    Child, Completion, Feed, Message, Subscription, Taken, Ticket, TimerKey, Worker,
};
use crate::value::{ErrorValue, Values};

/// A channel. Values of scripts are kept in the channel's userdata under integer keys, so that
/// the collector sees them; here are only the keys and the order.
pub struct Channel {
    source: Source,
    state: RefCell<State>,
}

/// Where a channel's values come from.
pub enum Source {
    /// Coroutines of the process; how many values are stored without a receiver.
    Plain(usize),
    /// The mailbox.
    Mailbox {
        /// What part of it.
        subscription: Subscription,
        /// Whether values are whole messages.
        as_messages: Cell<bool>,
    },
    /// A feed from anywhere.
    Feed {
        /// The queue.
        feed: Arc<Feed>,
        /// What its values are for scripts.
        form: Form,
        /// Dropped with the channel: ends what fills it.
        guard: Option<Box<dyn Any>>,
    },
}

/// What the values of a feed are for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As they are.
    Value,
    /// A `Time` made from nanoseconds since the epoch.
    Time,
    /// A `Payload` object, or an error object as it is.
    Payload,
}

/// Disarms a timer when its channel is collected.
pub struct TimerGuard {
    /// Where the timer is armed.
    pub worker: Weak<Worker>,
    /// Its present key.
    pub key: Rc<Cell<Option<TimerKey>>>,
}

impl Drop for TimerGuard {
    fn drop(&mut self) {
        if let (Some(key), Some(worker)) = (self.key.take(), self.worker.upgrade()) {
            worker.cancel_timer(key);
        }
    }
}

#[derive(Default)]
struct State {
    receivers: VecDeque<Waiter>,
    senders: VecDeque<(Waiter, i64)>,
    stored: VecDeque<i64>,
    next_key: i64,
    /// What a closed mailbox channel still held.
    leftover: Option<Message>,
    is_closed: bool,
}

#[derive(Clone, Copy)]
struct Waiter {
    ticket: Ticket,
    case: u32,
}

/// What a waiting coroutine goes on with.
pub enum Woken {
    /// The wait was not possible.
    Refused,
    /// A timer fired.
    Elapsed,
    /// A spawn ended.
    Spawned(Result<Child, ErrorValue>),
    /// A call or an operation ended.
    Done(Result<Values, ErrorValue>),
    /// Case `.0` received the value under a key of its channel.
    Key(u32, i64),
    /// Case `.0` received from a source.
    Item(u32, Item),
    /// Case `.0` waited on a channel that was closed.
    Closed(u32),
    /// Case `.0` sent its value.
    Sent(u32),
}

impl From<Completion> for Woken {
    fn from(completion: Completion) -> Self {
        match completion {
            Completion::Elapsed => Self::Elapsed,
            Completion::Spawned(result, _) => Self::Spawned(result),
            Completion::Done(result) => Self::Done(result),
        }
    }
}

/// A value from outside the process.
pub enum Item {
    /// From the mailbox.
    Message(Message),
    /// From a feed.
    Values(Values),
}

/// What a receiver finds.
pub enum Received {
    /// The value under this key.
    Key(i64),
    /// A value from outside.
    Item(Item),
    /// The channel is closed and empty.
    Closed,
    /// Nothing yet.
    Empty,
}

/// What a sender finds.
pub enum Sent {
    /// A receiver took the value; it must be put under this key.
    Taken(i64),
    /// It was stored; it must be put under this key.
    Stored(i64),
    /// There is no room.
    Full,
    /// The channel is closed, or is none that scripts may send to.
    Closed,
}

impl Channel {
    /// A channel fed by `source`.
    pub fn new(source: Source) -> Rc<Self> {
        Rc::new(Self { source, state: RefCell::default() })
    }

    /// Where its values come from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Takes the next value, if there is one. Of waiting senders, the first may now store its
    /// value or go on.
    pub fn receive(&self, body: &LuaBody) -> Received {
        match &self.source {
            Source::Plain(_) => self.receive_plain(body),
            _ => self.receive_outside(body),
        }
    }

    fn receive_plain(&self, body: &LuaBody) -> Received {
        let mut state = self.state.borrow_mut();
        let stored = state.stored.pop_front();
        while let Some((sender, key)) = state.senders.pop_front() {
            if body.wake(sender.ticket, Woken::Sent(sender.case)) {
                match stored {
                    Some(first) => {
                        state.stored.push_back(key);
                        return Received::Key(first);
                    }
                    None => return Received::Key(key),
                }
            }
        }
        match stored {
            Some(key) => Received::Key(key),
            None if state.is_closed => Received::Closed,
            None => Received::Empty,
        }
    }

    fn receive_outside(&self, body: &LuaBody) -> Received {
        let mut state = self.state.borrow_mut();
        if state.is_closed {
            return match (state.leftover.take(), &self.source) {
                (Some(message), _) => Received::Item(Item::Message(message)),
                (None, Source::Feed { feed, .. }) => match feed.take() {
                    Taken::Event(values) => Received::Item(Item::Values(values)),
                    Taken::Empty | Taken::Closed => Received::Closed,
                },
                _ => Received::Closed,
            };
        }
        match &self.source {
            Source::Mailbox { subscription, .. } => match body.take_message(*subscription) {
                Some(message) => Received::Item(Item::Message(message)),
                None => Received::Empty,
            },
            Source::Feed { feed, .. } => match feed.take() {
                Taken::Event(values) => Received::Item(Item::Values(values)),
                Taken::Empty => Received::Empty,
                Taken::Closed => Received::Closed,
            },
            Source::Plain(_) => Received::Empty,
        }
    }

    /// Hands a value to a waiting receiver or stores it.
    pub fn send(&self, body: &LuaBody) -> Sent {
        let Source::Plain(capacity) = self.source else { return Sent::Closed };
        let mut state = self.state.borrow_mut();
        if state.is_closed {
            return Sent::Closed;
        }
        let key = state.next_key();
        while let Some(receiver) = state.receivers.pop_front() {
            if body.wake(receiver.ticket, Woken::Key(receiver.case, key)) {
                return Sent::Taken(key);
            }
        }
        if state.stored.len() < capacity {
            state.stored.push_back(key);
            return Sent::Stored(key);
        }
        Sent::Full
    }

    /// Queues a receiver.
    pub fn wait_to_receive(self: &Rc<Self>, body: &LuaBody, ticket: Ticket, case: u32) {
        self.state.borrow_mut().receivers.push_back(Waiter { ticket, case });
        if !matches!(self.source, Source::Plain(_)) {
            body.watch_source(self);
        }
    }

    /// Queues a sender whose value is to be put under the key that this answers.
    pub fn wait_to_send(&self, ticket: Ticket, case: u32) -> i64 {
        let mut state = self.state.borrow_mut();
        let key = state.next_key();
        state.senders.push_back((Waiter { ticket, case }, key));
        key
    }

    /// Takes a coroutine's waits back. Answers the key of a value that was to be sent.
    pub fn withdraw(&self, ticket: Ticket) -> Option<i64> {
        let mut state = self.state.borrow_mut();
        state.receivers.retain(|waiter| waiter.ticket != ticket);
        let at = state.senders.iter().position(|(waiter, _)| waiter.ticket == ticket)?;
        state.senders.remove(at).map(|(_, key)| key)
    }

    /// Closes: waiting receivers and senders go on. Again: nothing.
    pub fn close(&self, body: &LuaBody) {
        let mut state = self.state.borrow_mut();
        if std::mem::replace(&mut state.is_closed, true) {
            return;
        }
        match &self.source {
            Source::Plain(_) => {}
            Source::Mailbox { subscription, .. } => state.leftover = body.unlisten(*subscription),
            Source::Feed { feed, .. } => feed.close(),
        }
        for waiter in std::mem::take(&mut state.receivers) {
            body.wake(waiter.ticket, Woken::Closed(waiter.case));
        }
        for (waiter, _) in std::mem::take(&mut state.senders) {
            body.wake(waiter.ticket, Woken::Closed(waiter.case));
        }
    }

    /// Whether it was closed on this side.
    pub fn is_closed(&self) -> bool {
        self.state.borrow().is_closed
    }

    /// Serves waiting receivers from the source; false once none waits.
    pub(super) fn pump(&self, body: &LuaBody) -> bool {
        loop {
            let Some(waiter) = self.first_live_receiver(body) else { return false };
            let woken = match self.receive_outside(body) {
                Received::Item(item) => Woken::Item(waiter.case, item),
                Received::Closed => Woken::Closed(waiter.case),
                Received::Key(_) | Received::Empty => return true,
            };
            self.state.borrow_mut().receivers.pop_front();
            body.wake(waiter.ticket, woken);
        }
    }

    fn first_live_receiver(&self, body: &LuaBody) -> Option<Waiter> {
        let mut state = self.state.borrow_mut();
        loop {
            let first = *state.receivers.front()?;
            if body.is_waiting(first.ticket) {
                return Some(first);
            }
            state.receivers.pop_front();
        }
    }
}

impl State {
    fn next_key(&mut self) -> i64 {
        self.next_key += 1;
        self.next_key
    }
}
