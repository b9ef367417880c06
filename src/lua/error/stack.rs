use std::fmt::{self, Write as _};

use mlua::Lua;
use mlua::debug::Debug;
use smol_str::{SmolStr, format_smolstr};

/// Name prefix of the chunks that belong to the host itself (`=[moonmesh]` shows as `[moonmesh]`).
/// Their frames are left out of positions and stacks: a script's author looks for the own line.
pub const HOST_CHUNK: &str = "[moonmesh]";

/// Whether a chunk is the host's: by its name, or because it has none, as only the host's own
/// chunks can be stripped of it.
pub(super) fn is_host(short_source: &str) -> bool {
    short_source == "?" || short_source.starts_with(HOST_CHUNK)
}

/// Frames kept of one stack; the innermost ones tell most.
const MAX_FRAMES: usize = 32;

/// One frame of a Lua stack. Texts are made when somebody asks: most errors are never looked into.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub source: SmolStr,
    /// The line being run; `None` for native functions.
    pub line: Option<u32>,
    name: Option<SmolStr>,
    /// Where the function begins; 0 for the main function of a chunk.
    defined: u32,
}

impl Frame {
    fn read(debug: &Debug<'_>) -> Option<Self> {
        let source = debug.source();
        let short = source.short_src.as_deref().unwrap_or("?");
        if is_host(short) {
            return None;
        }
        let line = |line: usize| u32::try_from(line).ok();
        Some(Self {
            source: SmolStr::new(short),
            line: debug.current_line().and_then(line),
            name: debug.names().name.map(SmolStr::from),
            defined: source.line_defined.and_then(line).unwrap_or_default(),
        })
    }

    pub(super) fn is_native(&self) -> bool {
        self.line.is_none()
    }

    pub(super) fn name(&self) -> SmolStr {
        match (&self.name, self.defined) {
            (Some(name), _) => name.clone(),
            (None, _) if self.is_native() => SmolStr::new_static("?"),
            (None, 0) => SmolStr::new_static("main chunk"),
            (None, line) => format_smolstr!("<{}:{line}>", self.source),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: in {}", self.source, self.name()),
            None => write!(f, "[native]: in {}", self.name()),
        }
    }
}

/// A Lua stack as it was when an error object was made, innermost frame first.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// The address of the coroutine.
    pub thread: usize,
    pub frames: Vec<Frame>,
}

impl Stack {
    /// The stack of whoever called the running native function.
    pub(super) fn capture(lua: &Lua) -> Self {
        let mut frames = Vec::with_capacity(4);
        for level in 1..=MAX_FRAMES {
            match lua.inspect_stack(level, Frame::read) {
                Some(frame) => frames.extend(frame),
                None => break,
            }
        }
        Self { thread: lua.current_thread().to_pointer() as usize, frames }
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stack traceback:")?;
        self.frames.iter().try_for_each(|frame| write!(f, "\n\t{frame}"))
    }
}

/// `source:line` of the innermost line of script code that is running, or `None` outside scripts.
pub fn position(lua: &Lua) -> Option<String> {
    for level in 1..=MAX_FRAMES {
        let line = lua.inspect_stack(level, |debug| {
            let line = debug.current_line()?;
            let source = debug.source();
            let source = source.short_src.as_deref().filter(|name| !is_host(name))?;
            let mut text = String::with_capacity(source.len() + 8);
            write!(text, "{source}:{line}").ok()?;
            Some(text)
        })?;
        if line.is_some() {
            return line;
        }
    }
    None
}

/// The name by which the running native function was called.
pub(super) fn function_name(lua: &Lua) -> Option<String> {
    lua.inspect_stack(0, |debug| debug.names().name.map(|name| name.into_owned())).flatten()
}
