use crate::lua::host::Host;
use crate::lua::raw::{Flow, Stack, copy_out};
use crate::process::{Address, Deliver, Message, Undelivered};
use crate::security::{Attributes, Check};
use crate::value::{ErrorValue, kind};

/// `process.send(dest, topic, ...)`, with its checks in the order of process.md section 3.
pub fn send(host: &Host, stack: Stack<'_>) -> Flow {
    if stack.top() < 2 {
        let text = "send requires at least destination and topic arguments";
        return host.fail(ErrorValue::new(kind::INVALID, text));
    }
    let Some(destination) = stack.str(1) else {
        return host.wrong_type(stack, 1, "send", "string");
    };
    let Some(topic) = stack.str(2) else { return host.wrong_type(stack, 2, "send", "string") };
    let sent = checked_topic(topic).and_then(|topic| {
        let to = host.resolve(destination)?;
        host.require_on(&to, "process.send", || {
            format!("not allowed to send: {}", String::from_utf8_lossy(destination))
        })?;
        let values = copy_out(host, stack, 3)
            .map_err(|error| ErrorValue::new(kind::INVALID, format!("process.send: {error}")))?;
        let source = host.process().serial().into();
        let message = Message { source, topic: topic.into(), values };
        host.deliver(&to, message).map_err(undelivered)
    });
    match sent {
        Ok(()) => {
            stack.push_bool(true);
            stack.push_nil();
            Flow::Return(2)
        }
        Err(error) => host.fail(error),
    }
}

/// A topic that scripts may send to.
///
/// # Errors
/// `Invalid` for system topics and text that is not UTF-8.
pub fn checked_topic(topic: &[u8]) -> Result<&str, ErrorValue> {
    if topic.starts_with(b"@") {
        return Err(ErrorValue::new(kind::INVALID, "cannot send to @ topics"));
    }
    std::str::from_utf8(topic)
        .map_err(|_| ErrorValue::new(kind::INVALID, "topic is not valid UTF-8"))
}

/// What scripts are told of a message that was not queued.
pub fn undelivered(why: Undelivered) -> ErrorValue {
    let kind = match why {
        Undelivered::NotFound | Undelivered::Unreachable => kind::NOT_FOUND,
        Undelivered::Closed => kind::INVALID_STATE,
        Undelivered::MailboxFull | Undelivered::Overloaded => kind::UNAVAILABLE,
        Undelivered::TooLarge => kind::INVALID,
    };
    let error = ErrorValue::new(kind, why.to_string());
    match why {
        Undelivered::MailboxFull | Undelivered::Overloaded => error.retryable(),
        _ => error,
    }
}

impl Host {
    /// Checks an action on a process; the PID text is made only if somebody will look at it.
    ///
    /// # Errors
    /// `PermissionDenied`.
    pub fn require_on(
        &self,
        target: &Address,
        action: &str,
        denied: impl FnOnce() -> String,
    ) -> Result<(), ErrorValue> {
        if self.is_unrestricted() {
            return Ok(());
        }
        let target = self.address_text(target);
        let caller = self.pid_text(self.process().serial());
        let check = Check::new(action, &target).with(Attributes::One("pid", &caller));
        self.require(&check, denied)
    }

    /// Queues a message for a process anywhere.
    ///
    /// # Errors
    /// [`Undelivered`].
    pub fn deliver(&self, to: &Address, message: Message) -> Result<(), Undelivered> {
        match to {
            Address::Local(serial) => self.worker().deliver(*serial, message),
            Address::Remote(pid) => self.runtime().deliver_remote(pid, message),
        }
    }
}
