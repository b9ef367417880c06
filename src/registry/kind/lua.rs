use std::sync::Arc;

use smol_str::SmolStr;

use crate::document::{Field, Fields, Span, code as document_code, nearest};
use crate::id::EntryId;

use super::super::code;
use super::context::{EntryContext, Wanted};

/// Lua source text with what it may `require`.
#[derive(Debug, Clone)]
pub struct LuaCode {
    /// The text.
    pub text: Arc<str>,
    /// Where the text begins: a Lua file, or a place within an entry file. Line `n` of the text is
    /// line `place.line() + n - 1` of `place.file()`.
    pub place: Span,
    /// Names of built-in modules.
    pub modules: Vec<SmolStr>,
    /// Other entries, by the names under which they are required.
    pub imports: Vec<Import>,
}

/// An entry that another one may `require`.
#[derive(Debug, Clone)]
pub struct Import {
    /// The name for `require`.
    pub alias: SmolStr,
    /// A library, function or process.
    pub id: EntryId,
}

/// Code that processes run (`process.lua`).
#[derive(Debug, Clone)]
pub struct ProcessLua {
    /// The code.
    pub code: LuaCode,
    /// The function that is run, if the code returns a table. Default `main`.
    pub method: SmolStr,
}

/// Code that `funcs.call` runs (`function.lua`).
#[derive(Debug, Clone)]
pub struct FunctionLua {
    /// The code.
    pub code: LuaCode,
    /// The function that is called.
    pub method: SmolStr,
    /// How calls share states.
    pub pool: Pool,
}

/// Code for others to import (`library.lua`).
#[derive(Debug, Clone)]
pub struct LibraryLua {
    /// The code.
    pub code: LuaCode,
}

/// How the calls of a function share states; `None` leaves the choice to the runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pool {
    /// Which policy.
    pub pool_type: Option<PoolType>,
    /// States kept ready.
    pub size: Option<u32>,
    /// Calls that run at the same time.
    pub workers: Option<u32>,
    /// Calls that may wait.
    pub buffer: Option<u32>,
    /// Make the states at start.
    pub warm_start: Option<bool>,
    /// Most states.
    pub max_size: Option<u32>,
}

/// The policies of a [`Pool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolType {
    /// States are made when they are needed.
    Lazy,
    /// A fixed number of states.
    Static,
    /// Calls run in the caller's place.
    Inline,
    /// The number of states follows the load.
    Adaptive,
}

impl ProcessLua {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        fields.forbid(
            "lifecycle",
            "a process.lua is only code; a `process.service` entry keeps a process of it running",
        );
        let text = source(fields);
        let method = fields.optional("method").and_then(|field| field.filled_text());
        let method = method.map_or_else(|| SmolStr::new_static("main"), |method| method.text);
        Some(Self { code: LuaCode::read(fields, context, text)?, method })
    }
}

impl FunctionLua {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        fields.forbid("lifecycle", "a function.lua runs when it is called; nothing starts it");
        let text = source(fields);
        let method = fields.required("method").and_then(|field| field.filled_text());
        let code = LuaCode::read(fields, context, text);
        let pool = fields.block("pool", Pool::read).unwrap_or_default();
        Some(Self { code: code?, method: method?.text, pool })
    }
}

impl LibraryLua {
    pub(super) fn read(fields: &mut Fields<'_>, context: &EntryContext<'_>) -> Option<Self> {
        fields.forbid("method", "a library.lua gives what its code returns; it has no method");
        fields.forbid("lifecycle", "a library.lua is only code; nothing starts it");
        let text = source(fields);
        Some(Self { code: LuaCode::read(fields, context, text)? })
    }
}

impl Pool {
    fn read(fields: &mut Fields<'_>) -> Self {
        let types = [
            ("lazy", PoolType::Lazy),
            ("static", PoolType::Static),
            ("inline", PoolType::Inline),
            ("adaptive", PoolType::Adaptive),
        ];
        let pool_type = fields.optional("type").and_then(|field| field.choice(&types));
        let mut count = |name| fields.optional(name).and_then(|f| f.integer(0..=u32::MAX));
        let (size, workers, buffer) = (count("size"), count("workers"), count("buffer"));
        let warm_start = fields.optional("warm_start").and_then(|field| field.flag());
        let max_size = fields.optional("max_size").and_then(|f| f.integer(0..=u32::MAX));
        Self { pool_type, size, workers, buffer, warm_start, max_size }
    }
}

impl LuaCode {
    fn read(
        fields: &mut Fields<'_>,
        context: &EntryContext<'_>,
        text: Option<(Arc<str>, Span)>,
    ) -> Option<Self> {
        let listed = fields.optional("modules");
        let modules = listed.map(|field| modules(&field, context)).unwrap_or_default();
        let listed = fields.optional("imports");
        let imports = listed.map(|field| imports(&field, context, &modules)).unwrap_or_default();
        let (text, place) = text?;
        Some(Self { text, place, modules, imports })
    }
}

/// The required field `source`.
fn source(fields: &mut Fields<'_>) -> Option<(Arc<str>, Span)> {
    fields.required("source").and_then(|field| {
        let text = field.filled_text()?;
        if text.text.starts_with("file://") {
            // It could not be read, which was reported with the file.
            return None;
        }
        if text.text.ends_with(".lua") && !text.text.contains(char::is_whitespace) {
            let message = format!("`source` is Lua code, not a path: `{}`", text.text);
            let problem = field.problem(document_code::INVALID_VALUE, message);
            field.report(problem.help(format!("write `file://{}`", text.text)));
            return None;
        }
        Some((Arc::from(text.text), text.span))
    })
}

fn modules(field: &Field<'_>, context: &EntryContext<'_>) -> Vec<SmolStr> {
    let mut modules: Vec<SmolStr> = Vec::new();
    for item in field.items().unwrap_or_default() {
        let Some(name) = item.filled_text() else { continue };
        let name = name.text;
        if modules.contains(&name) {
            item.refuse::<()>(code::DUPLICATE_MODULE, format!("`{name}` is listed twice"));
        } else if context.modules().iter().any(|module| *module == name) {
            modules.push(name);
        } else {
            report_unknown_module(&item, &name, context);
        }
    }
    modules
}

fn report_unknown_module(item: &Field<'_>, name: &str, context: &EntryContext<'_>) {
    let known = || context.modules().iter().map(String::as_str);
    let message = format!("there is no built-in module `{name}`");
    let problem = item.problem(code::UNKNOWN_MODULE, message);
    let problem = match nearest(name, known()) {
        _ if name.contains(':') => problem.help("other entries belong in `imports`"),
        Some(module) => problem.label(format!("did you mean `{module}`?")),
        None => problem,
    };
    let all: Vec<&str> = known().collect();
    item.report(problem.note(format!("the built-in modules are {}", all.join(", "))));
}

fn imports(field: &Field<'_>, context: &EntryContext<'_>, modules: &[SmolStr]) -> Vec<Import> {
    let mut imports = Vec::new();
    for (entry, value) in field.pairs().unwrap_or_default() {
        let alias = entry.key.clone();
        if modules.contains(&alias) {
            let message =
                format!("`{alias}` is listed in `modules` too: `require` could mean both");
            let mut problem = value.problem(code::ALIAS_CLASH, message);
            problem.span = entry.key_span.clone();
            value.report(problem.help("give the import another name"));
        }
        if let Some(id) = context.full_id(&value, Wanted::Importable) {
            imports.push(Import { alias, id });
        }
    }
    imports
}
