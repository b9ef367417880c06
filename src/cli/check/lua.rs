use std::ops::Range;

use mlua::Lua;

use super::script::Script;
use crate::cli::load::MODULES;
use crate::document::{Diagnostic, Report, Span, nearest};
use crate::registry::kind::{Definition, LuaCode};
use crate::registry::{Entry, Registry};

const SYNTAX: &str = "lua-syntax";
const UNKNOWN_MODULE: &str = "unknown-module";
const MISSING_METHOD: &str = "missing-method";
const UNUSED_IMPORT: &str = "unused-import";
const UNUSED_MODULE: &str = "unused-module";

/// Modules that a script may require without listing them: they are globals.
const ALWAYS: [&str; 4] = ["channel", "errors", "payload", "process"];

/// The warnings of a registry, and what is wrong with its Lua code.
pub(super) fn check(registry: &Registry) -> Report {
    let lua = Lua::new();
    let mut report = registry.warnings().clone();
    for entry in registry.iter() {
        if let Some(code) = entry.definition().lua_code() {
            Checked { entry, code, lua: &lua }.report(&mut report);
        }
    }
    report
}

struct Checked<'a> {
    entry: &'a Entry,
    code: &'a LuaCode,
    lua: &'a Lua,
}

impl Checked<'_> {
    fn report(&self, report: &mut Report) {
        let mut found = Vec::new();
        if let Some(problem) = self.syntax() {
            found.push(problem);
        } else {
            let script = Script::read(&self.code.text);
            found.extend(self.unknown_modules(&script));
            found.extend(self.missing_method(&script));
            found.extend(self.unused(&script));
        }
        for problem in found {
            report.push(problem.entry(self.entry.id().as_str()));
        }
    }

    fn syntax(&self) -> Option<Diagnostic> {
        let chunk = self.lua.load(self.code.text.as_ref()).set_name("=lua");
        let Err(error) = chunk.into_function() else { return None };
        // "syntax error: lua:3: what is wrong", with a traceback on the lines after.
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        let text = text.strip_prefix("syntax error: ").unwrap_or(text);
        let placed = text.strip_prefix("lua:").and_then(|rest| rest.split_once(": "));
        let numbered = placed.and_then(|(line, what)| Some((line.parse::<u32>().ok()?, what)));
        let (line, what) = numbered.unwrap_or((1, text));
        Some(Diagnostic::error(SYNTAX, self.line(line), what))
    }

    fn unknown_modules(&self, script: &Script) -> Vec<Diagnostic> {
        let listed = || {
            let modules = self.code.modules.iter().map(|name| name.as_str());
            let imports = self.code.imports.iter().map(|import| import.alias.as_str());
            modules.chain(imports).chain(ALWAYS)
        };
        let unknown = script.requires.iter().filter(|(name, _)| listed().all(|one| one != name));
        let problem = |(name, range): &(String, Range<usize>)| {
            let message =
                format!("{name:?} is required, but neither a module nor an import of the entry");
            let problem = Diagnostic::error(UNKNOWN_MODULE, self.place(range.clone()), message);
            match MODULES.contains(&name.as_str()) {
                true => problem.help(format!("add it: modules: [{name}]")),
                false => match nearest(name, listed().chain(MODULES.iter().copied())) {
                    Some(near) => problem.help(format!("did you mean {near:?}?")),
                    None => {
                        problem.help(format!("import the library: imports: {{{name}: ns:name}}"))
                    }
                },
            }
        };
        unknown.map(problem).collect()
    }

    fn missing_method(&self, script: &Script) -> Option<Diagnostic> {
        let method = match self.entry.definition() {
            Definition::ProcessLua(process) => &process.method,
            Definition::FunctionLua(function) => &function.method,
            _ => return None,
        };
        let returned = script.returned.as_ref()?;
        if returned.iter().any(|name| name == method) {
            return None;
        }
        let message = format!("the code returns a table without the method {method:?}");
        let last = u32::try_from(self.code.text.lines().count()).unwrap_or(1).max(1);
        let problem = Diagnostic::error(MISSING_METHOD, self.line(last), message).field("method");
        Some(match returned.is_empty() {
            true => problem,
            false => problem.help(format!("it has {}", returned.join(", "))),
        })
    }

    fn unused(&self, script: &Script) -> Vec<Diagnostic> {
        let required = |name: &str| script.requires.iter().any(|(found, _)| found == name);
        let mut problems = Vec::new();
        for import in self.code.imports.iter().filter(|import| !required(&import.alias)) {
            let message =
                format!("{} is imported as {:?} and never required", import.id, import.alias);
            let place = self.entry.place().clone();
            problems.push(Diagnostic::hint(UNUSED_IMPORT, place, message).field("imports"));
        }
        for module in &self.code.modules {
            if !ALWAYS.contains(&module.as_str()) && !required(module) {
                let message = format!("the module {module:?} is listed and never required");
                let place = self.entry.place().clone();
                problems.push(Diagnostic::hint(UNUSED_MODULE, place, message).field("modules"));
            }
        }
        problems
    }

    /// The place of bytes of the code. Code inside an entry file is indented there, so only its
    /// line is known.
    fn place(&self, range: Range<usize>) -> Span {
        let source = self.code.place.source();
        if source.text() == &self.code.text {
            return Span::new(source.clone(), range);
        }
        let before = self.code.text.get(..range.start).unwrap_or_default();
        self.line(u32::try_from(before.matches('\n').count()).unwrap_or(0) + 1)
    }

    /// A line of the code, counted from 1.
    fn line(&self, line: u32) -> Span {
        let first = self.code.place.line();
        self.code.place.source().line_span(first + line - 1)
    }
}
