//! The waiting half of the `time` module: `sleep`, `after`, `timer`, `ticker` (stdlib.md section 2,
//! channel.md section 5).

use std::cell::Cell;
use std::ffi::CStr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::channel;
use crate::lua::channel::{Channel, Form, Source, TimerGuard, Woken};
use crate::lua::host::Host;
use crate::lua::modules::time::{Time, duration_from_lua};
use crate::lua::raw::{self, Flow, Object, Stack};
use crate::process::{Due, Feed, TimerKey};
use crate::value::{ErrorValue, Token, Values, View, kind};

/// `time.timer` or `time.ticker` as scripts hold it. Its user value is the channel.
struct Timer {
    feed: Arc<Feed>,
    key: Rc<Cell<Option<TimerKey>>>,
    period: Option<Duration>,
}

impl Object for Timer {
    const NAME: &'static CStr = c"moonmesh.timer";
    const LABEL: &'static str = "time.Timer";
    const USER_VALUES: i32 = 1;
}

/// Ticks that a ticker's channel holds; more push the oldest out.
const TICKER_CAPACITY: usize = 16;

/// Adds the functions to the `time` module's table.
///
/// # Errors
/// Out of memory.
pub fn extend(host: &Rc<Host>, time: &mlua::Table) -> mlua::Result<()> {
    let methods = host.lua.create_table()?;
    methods.raw_set("response", host.primitive(timer_channel)?)?;
    methods.raw_set("channel", host.primitive(timer_channel)?)?;
    methods.raw_set("stop", host.primitive(stop)?)?;
    methods.raw_set("reset", host.primitive(reset)?)?;
    raw::register_class::<Timer>(&host.lua, methods, None)?;
    time.raw_set("sleep", host.primitive(sleep)?)?;
    time.raw_set("after", host.primitive(after)?)?;
    time.raw_set("timer", host.primitive(timer)?)?;
    time.raw_set("ticker", host.primitive(ticker)?)
}

/// Pushes the Time of a timer event.
pub fn push_time(host: &Host, stack: Stack<'_>, values: &Values) {
    let nanoseconds = match values.view() {
        View::Inline(Token::Int(nanoseconds)) => nanoseconds,
        _ => 0,
    };
    let pushed = Time::at_unix_nanos(nanoseconds)
        .and_then(|time| host.lua.create_userdata(time).ok())
        .is_some_and(|time| stack.push_mlua(&host.lua, time).is_ok());
    if !pushed {
        stack.push_nil();
    }
}

fn duration(host: &Host, stack: Stack<'_>, index: i32) -> Result<Duration, ErrorValue> {
    if let Some(nanoseconds) = stack.integer(index).filter(|_| stack.is_integer(index)) {
        return u64::try_from(nanoseconds)
            .map(Duration::from_nanos)
            .map_err(|_| ErrorValue::new(kind::INVALID, "duration is negative"));
    }
    let value = stack
        .to_mlua(&host.lua, index)
        .map_err(|error| ErrorValue::new(kind::INTERNAL, error.to_string()))?;
    duration_from_lua(&value)
}

fn sleep(host: &Host, stack: Stack<'_>) -> Flow {
    let duration = match duration(host, stack, 1) {
        Ok(duration) => duration,
        Err(error) => return host.raise(stack, &error.message),
    };
    let Some(ticket) = host.begin_wait(stack) else { return host.cannot_wait(stack, "time.sleep") };
    let due = Due::Ticket(host.process().serial(), ticket);
    let timer = host.worker().arm_timer(deadline(duration), due);
    host.current().set_timer(ticket, timer);
    Flow::Wait(slept)
}

fn slept(host: &Host, stack: Stack<'_>) -> Flow {
    match host.take_woken() {
        Woken::Elapsed => Flow::Return(0),
        _ => host.cannot_wait(stack, "time.sleep"),
    }
}

/// A moment from now, at most a century ahead: what the clock can always express.
fn deadline(duration: Duration) -> Instant {
    Instant::now() + duration.min(Duration::from_secs(100 * 365 * 86_400))
}

fn after(host: &Host, stack: Stack<'_>) -> Flow {
    match duration(host, stack, 1) {
        Ok(duration) => {
            open(host, stack, duration, None);
            Flow::Return(1)
        }
        Err(error) => host.fail(error),
    }
}

fn timer(host: &Host, stack: Stack<'_>) -> Flow {
    match duration(host, stack, 1) {
        Ok(duration) => {
            let (feed, key) = open(host, stack, duration, None);
            push_timer(stack, Timer { feed, key, period: None })
        }
        Err(error) => host.fail(error),
    }
}

fn ticker(host: &Host, stack: Stack<'_>) -> Flow {
    match duration(host, stack, 1) {
        Ok(Duration::ZERO) => {
            host.fail(ErrorValue::new(kind::INVALID, "ticker duration must be greater than 0"))
        }
        Ok(period) => {
            let (feed, key) = open(host, stack, period, Some(period));
            push_timer(stack, Timer { feed, key, period: Some(period) })
        }
        Err(error) => host.fail(error),
    }
}

/// Wraps the channel on top of the stack.
fn push_timer(stack: Stack<'_>, timer: Timer) -> Flow {
    stack.push_object(timer);
    stack.push_value(-2);
    stack.set_user_value(-2, 1);
    Flow::Return(1)
}

type Armed = (Arc<Feed>, Rc<Cell<Option<TimerKey>>>);

/// Pushes a channel that a new timer feeds.
fn open(host: &Host, stack: Stack<'_>, first: Duration, period: Option<Duration>) -> Armed {
    let capacity = if period.is_some() { TICKER_CAPACITY } else { 1 };
    let feed = Feed::new(host.runtime(), host.process().serial(), capacity);
    let key = Rc::new(Cell::new(None));
    arm(host, &feed, &key, first, period);
    let guard = TimerGuard { worker: Rc::downgrade(&host.worker()), key: key.clone() };
    let source =
        Source::Feed { feed: feed.clone(), form: Form::Time, guard: Some(Box::new(guard)) };
    channel::push(stack, &Channel::new(source));
    (feed, key)
}

fn arm(
    host: &Host,
    feed: &Arc<Feed>,
    key: &Rc<Cell<Option<TimerKey>>>,
    first: Duration,
    period: Option<Duration>,
) {
    let due = match period {
        None => Due::Once(feed.clone()),
        Some(period) => Due::Every(feed.clone(), period, key.clone()),
    };
    key.set(Some(host.worker().arm_timer(deadline(first), due)));
}

fn own<'a>(host: &Host, stack: Stack<'a>) -> Result<&'a Timer, Flow> {
    stack
        .object::<Timer>(1)
        .ok_or_else(|| host.raise(stack, "calling a timer method on a value that is no timer"))
}

fn timer_channel(host: &Host, stack: Stack<'_>) -> Flow {
    if let Err(flow) = own(host, stack) {
        return flow;
    }
    stack.push_user_value(1, 1);
    Flow::Return(1)
}

/// Disarms; whether it was armed.
fn disarm(host: &Host, timer: &Timer) -> bool {
    timer.key.take().is_some_and(|key| host.worker().cancel_timer(key))
}

fn stop(host: &Host, stack: Stack<'_>) -> Flow {
    let timer = match own(host, stack) {
        Ok(timer) => timer,
        Err(flow) => return flow,
    };
    let was_armed = disarm(host, timer);
    timer.feed.close();
    stack.push_bool(was_armed);
    Flow::Return(1)
}

fn reset(host: &Host, stack: Stack<'_>) -> Flow {
    let timer = match own(host, stack) {
        Ok(timer) => timer,
        Err(flow) => return flow,
    };
    match duration(host, stack, 2) {
        Ok(Duration::ZERO) if timer.period.is_some() => {
            host.fail(ErrorValue::new(kind::INVALID, "ticker duration must be greater than 0"))
        }
        Ok(duration) => {
            let was_armed = disarm(host, timer);
            timer.feed.reopen();
            arm(host, &timer.feed, &timer.key, duration, timer.period.map(|_| duration));
            stack.push_bool(was_armed);
            Flow::Return(1)
        }
        Err(error) => host.fail(error),
    }
}
