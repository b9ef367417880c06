//! What the functions of one VM share.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::body::LuaBody;
use super::channel::Woken;
use super::error::Error;
use super::raw::{self, Flow, Stack};
use super::vm::Vm;
use super::{Identity, Services};
use crate::process::{Process, Runtime, Ticket, Worker};
use crate::security::{Check, Decision, Mode};
use crate::value::{Encoder, ErrorValue, kind};

/// What the functions of one VM share: the way to the worker, the process that runs, and what is
/// handed from one half of a waiting call to the other.
///
/// The order of the fields matters: what is anchored in the VM goes before the VM.
pub struct Host {
    pub(super) vm: OnceCell<Vm>,
    services: Arc<Services>,
    runtime: OnceCell<Runtime>,
    worker: RefCell<Option<Rc<Worker>>>,
    current: RefCell<Option<Rc<LuaBody>>>,
    coroutine: Cell<u32>,
    woken: Cell<Option<Woken>>,
    failure: Cell<Option<ErrorValue>>,
    encoder: Cell<Option<Encoder>>,
    error_metatable: Cell<usize>,
    pub(super) lua: mlua::Lua,
}

impl Host {
    pub(super) fn new(lua: mlua::Lua, services: Arc<Services>) -> Self {
        Self {
            vm: OnceCell::new(),
            lua,
            services,
            runtime: OnceCell::new(),
            worker: RefCell::default(),
            current: RefCell::default(),
            coroutine: Cell::new(0),
            woken: Cell::default(),
            failure: Cell::default(),
            encoder: Cell::default(),
            error_metatable: Cell::new(0),
        }
    }

    /// The node's side.
    pub fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// The worker this VM runs on. Only asked for while it does.
    pub fn worker(&self) -> Rc<Worker> {
        let worker = self.worker.borrow().clone();
        worker.unwrap_or_else(|| unreachable!("Lua runs only on an attached worker"))
    }

    pub(super) fn attach(&self, worker: &Rc<Worker>) {
        let _ = self.runtime.set(worker.runtime().clone());
        *self.worker.borrow_mut() = Some(worker.clone());
    }

    pub(super) fn detach(&self) {
        *self.worker.borrow_mut() = None;
    }

    /// The process world.
    pub fn runtime(&self) -> &Runtime {
        self.runtime.get().unwrap_or_else(|| unreachable!("Lua runs only on an attached worker"))
    }

    /// The process that runs.
    pub fn current(&self) -> Rc<LuaBody> {
        let current = self.current.borrow();
        current.clone().unwrap_or_else(|| unreachable!("Lua runs only inside a process"))
    }

    /// The process that runs.
    pub fn process(&self) -> Rc<Process> {
        self.current().process().clone()
    }

    /// Says for the time of `run` which coroutine of which process runs.
    pub(super) fn run_as<R>(
        &self,
        body: &Rc<LuaBody>,
        coroutine: u32,
        run: impl FnOnce() -> R,
    ) -> R {
        let outer = self.current.replace(Some(body.clone()));
        let outer_coroutine = self.coroutine.replace(coroutine);
        let result = run();
        self.coroutine.set(outer_coroutine);
        *self.current.borrow_mut() = outer;
        result
    }

    /// Leaves an error for `Flow::Fail`.
    pub fn fail(&self, error: ErrorValue) -> Flow {
        self.failure.set(Some(error));
        Flow::Fail
    }

    /// Raises a text with the position of the calling script.
    pub fn raise(&self, stack: Stack<'_>, text: &str) -> Flow {
        stack.push_str(format!("{}{text}", stack.location(1)));
        Flow::Raise
    }

    /// Raises Lua's own complaint about an argument.
    pub fn bad_argument(&self, stack: Stack<'_>, index: i32, function: &str, why: &str) -> Flow {
        self.raise(stack, &format!("bad argument #{index} to '{function}' ({why})"))
    }

    /// Raises Lua's own complaint about an argument of the wrong type.
    pub fn wrong_type(&self, stack: Stack<'_>, index: i32, function: &str, want: &str) -> Flow {
        let got = stack.kind(index).name();
        self.bad_argument(stack, index, function, &format!("{want} expected, got {got}"))
    }

    pub(super) fn take_failure(&self) -> ErrorValue {
        self.failure
            .take()
            .unwrap_or_else(|| ErrorValue::new(kind::INTERNAL, "a host function lost its error"))
    }

    /// Opens a wait of the running coroutine; `None` where it cannot be suspended. After `Some`
    /// the primitive must answer `Flow::Wait`.
    pub fn begin_wait(&self, stack: Stack<'_>) -> Option<Ticket> {
        stack.is_yieldable().then(|| self.current().begin_wait(self.coroutine.get()))
    }

    /// The complaint of a call that would have to wait where Lua cannot suspend.
    pub fn cannot_wait(&self, stack: Stack<'_>, call: &str) -> Flow {
        let text = format!(
            "{call} would have to wait here, inside a function called from C \
             (a sort comparator, a gsub callback or a metamethod); call it outside"
        );
        self.raise(stack, &text)
    }

    /// What the wait that has just ended brought.
    pub fn take_woken(&self) -> Woken {
        self.woken.take().unwrap_or(Woken::Refused)
    }

    pub(super) fn set_woken(&self, woken: Woken) {
        self.woken.set(Some(woken));
    }

    /// Ends the running coroutine's wait: it cannot be suspended after all.
    pub(super) fn refuse_wait(&self) {
        self.current().abort_wait(self.coroutine.get());
        self.woken.set(Some(Woken::Refused));
    }

    pub(super) fn enter_wait(&self, thread: usize) {
        self.current().waiting_inside.borrow_mut().insert(thread);
    }

    pub(super) fn leave_wait(&self, thread: usize) {
        self.current().waiting_inside.borrow_mut().remove(&thread);
    }

    pub(super) fn is_in_wait(&self, thread: usize) -> bool {
        self.current().waiting_inside.borrow().contains(&thread)
    }

    /// Whose behalf the running process acts on.
    pub fn identity(&self) -> Identity {
        self.current().identity()
    }

    /// Checks a guarded call of the running process.
    ///
    /// # Errors
    /// `PermissionDenied` with the text that `denied` makes.
    pub fn require(
        &self,
        check: &Check<'_>,
        denied: impl FnOnce() -> String,
    ) -> Result<(), ErrorValue> {
        let current = self.current();
        match self.services.guard.require(&current.identity.borrow().security, check) {
            Ok(()) => Ok(()),
            Err(_) => Err(ErrorValue::new(kind::PERMISSION_DENIED, denied())),
        }
    }

    /// Whether the running process may do everything: it has no complete security context, and the
    /// node is not strict.
    pub fn is_unrestricted(&self) -> bool {
        let current = self.current();
        let identity = current.identity.borrow();
        let security = &identity.security;
        self.services.guard.mode() == Mode::Permissive
            && (security.actor().is_none() || security.scope().is_none())
    }

    /// Whether the running process may do something, without side effects.
    pub fn may(&self, check: &Check<'_>) -> bool {
        let current = self.current();
        let identity = current.identity.borrow();
        self.services.guard.decide(&identity.security, check) == Decision::Allowed
    }

    pub(super) fn take_encoder(&self) -> Encoder {
        self.encoder.take().unwrap_or_default()
    }

    pub(super) fn return_encoder(&self, mut encoder: Encoder) {
        encoder.clear();
        self.encoder.set(Some(encoder));
    }

    /// The error that a coroutine ended with, which lies on top of its stack.
    pub(super) fn raised(&self, stack: Stack<'_>) -> ErrorValue {
        match stack.to_mlua(&self.lua, -1) {
            Ok(value) => super::error::from_raised(&value),
            Err(error) => super::error::from_mlua(&error),
        }
    }

    /// A function for scripts that does not wait; see `raw` for those that do.
    ///
    /// # Errors
    /// Out of memory.
    pub fn function<A, R>(
        self: &Rc<Self>,
        call: impl Fn(&Rc<Host>, A) -> mlua::Result<R> + 'static,
    ) -> mlua::Result<mlua::Function>
    where
        A: mlua::FromLuaMulti,
        R: mlua::IntoLuaMulti,
    {
        // The VM owns its functions, so they may not own the host that owns the VM.
        let host = Rc::downgrade(self);
        self.lua.create_function(move |_, arguments| match host.upgrade() {
            Some(host) => call(&host, arguments),
            None => Err(mlua::Error::runtime("the node has stopped")),
        })
    }

    /// A function for scripts that works on the stack and may wait.
    ///
    /// # Errors
    /// Out of memory.
    pub fn primitive(&self, primitive: raw::Primitive) -> mlua::Result<mlua::Function> {
        let failer = self.lua.named_registry_value("moonmesh.failer")?;
        raw::primitive(&self.lua, self, &failer, primitive)
    }

    /// Remembers what error objects look like.
    pub(super) fn learn_error_metatable(&self) -> mlua::Result<()> {
        let sample = super::error::into_userdata(&self.lua, Error::new(ErrorValue::new("", "")))?;
        self.error_metatable.set(raw::metatable_address(&self.lua, sample)?);
        Ok(())
    }

    /// The error object at `index`, if it is one.
    pub fn read_error(&self, stack: Stack<'_>, index: i32) -> Option<ErrorValue> {
        if !stack.push_metatable(index) {
            return None;
        }
        let is_error = stack.address(-1) == self.error_metatable.get();
        stack.pop();
        if !is_error {
            return None;
        }
        let value = stack.to_mlua(&self.lua, index).ok()?;
        Error::of(&value).map(|error| error.value().clone())
    }

    /// Pushes an error object.
    pub fn push_error(&self, stack: Stack<'_>, error: ErrorValue) {
        let pushed = super::error::into_userdata(&self.lua, Error::new(error))
            .and_then(|userdata| stack.push_mlua(&self.lua, userdata));
        if pushed.is_err() {
            stack.push_nil();
        }
    }
}
