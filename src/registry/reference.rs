use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::document::{Diagnostic, Report, Source, nearest};
use crate::id::EntryId;

use super::code;
use super::entry::Entry;
use super::kind::{Definition, Kind, Reference, Wanted};
use super::raw::RawEntry;

/// Longest list of candidates that a message names.
const MOST_CANDIDATES: usize = 6;

/// An entry with the ids in it.
pub(super) struct Referrer {
    pub id: EntryId,
    pub kind: Option<Kind>,
    pub references: Vec<Reference>,
}

/// What references can lead to.
pub(super) struct Known<'a> {
    /// The kind is unknown where that is an error of its own.
    kinds: HashMap<&'a EntryId, Option<Kind>>,
    groups: BTreeSet<&'a EntryId>,
    disabled: &'a [EntryId],
    broken: &'a [Arc<Source>],
}

impl<'a> Known<'a> {
    pub(super) fn new(
        raw: &'a [RawEntry],
        entries: &'a [Entry],
        disabled: &'a [EntryId],
        broken: &'a [Arc<Source>],
    ) -> Self {
        let groups = entries.iter().flat_map(|entry| match entry.definition() {
            Definition::SecurityPolicy(policy) => policy.groups.as_slice(),
            _ => &[],
        });
        Self {
            kinds: raw.iter().map(|raw| (&raw.id, raw.kind)).collect(),
            groups: groups.collect(),
            disabled,
            broken,
        }
    }

    /// Whether `id` may be in a file that could not be understood: then its absence proves nothing.
    fn may_be_in_broken_file(&self, id: &EntryId) -> bool {
        self.broken.iter().any(|source| source.text().contains(id.name()))
    }

    /// The ids that `wanted` allows, sorted.
    fn candidates(&self, wanted: Wanted) -> BTreeSet<&str> {
        if wanted == Wanted::PolicyGroup {
            return self.groups.iter().map(|id| id.as_str()).collect();
        }
        let fits = |kind: &Option<Kind>| kind.is_some_and(|kind| wanted.allows(kind));
        self.kinds.iter().filter(|(_, kind)| fits(kind)).map(|(id, _)| id.as_str()).collect()
    }
}

impl Wanted {
    fn allows(self, kind: Kind) -> bool {
        match self {
            Wanted::Any => true,
            Wanted::Process => kind == Kind::ProcessLua,
            Wanted::Host => kind == Kind::ProcessHost,
            Wanted::Policy => kind == Kind::SecurityPolicy,
            Wanted::PolicyGroup => false,
            Wanted::Importable => {
                matches!(kind, Kind::LibraryLua | Kind::FunctionLua | Kind::ProcessLua)
            }
            Wanted::Storage => kind.as_str().starts_with("env.storage."),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Wanted::Any => "an entry",
            Wanted::Process => "process.lua",
            Wanted::Host => "process.host",
            Wanted::Policy => "security.policy",
            Wanted::PolicyGroup => "a group of policies",
            Wanted::Importable => "library.lua, function.lua or process.lua",
            Wanted::Storage => "one of the env.storage kinds",
        }
    }
}

/// Reports every reference that leads nowhere, or to an entry of a kind that does not fit.
pub(super) fn check(referrers: &[Referrer], known: &Known<'_>, report: &mut Report) {
    for referrer in referrers {
        for reference in &referrer.references {
            if let Some(problem) = problem(reference, known) {
                report.push(problem.entry(referrer.id.as_str()).field(reference.field.as_str()));
            }
        }
    }
}

fn problem(reference: &Reference, known: &Known<'_>) -> Option<Diagnostic> {
    let Reference { target, wanted, span, .. } = reference;
    if *wanted == Wanted::PolicyGroup {
        let missing = !known.groups.contains(target) && !known.may_be_in_broken_file(target);
        return missing.then(|| {
            let message = format!("no policy is in the group \"{target}\"");
            let diagnostic = Diagnostic::error(code::MISSING_REFERENCE, span.clone(), message);
            suggest(diagnostic, reference, known)
        });
    }
    match known.kinds.get(target) {
        None if known.may_be_in_broken_file(target) => None,
        None => {
            let message = format!("no entry \"{target}\"");
            let diagnostic = Diagnostic::error(code::MISSING_REFERENCE, span.clone(), message);
            Some(if known.disabled.contains(target) {
                diagnostic.help("the entry exists, but is disabled by the configuration")
            } else {
                suggest(diagnostic, reference, known)
            })
        }
        Some(Some(kind)) if !wanted.allows(*kind) => {
            let kind = kind.as_str();
            let message = format!("\"{target}\" is a {kind}, expected {}", wanted.describe());
            let diagnostic = Diagnostic::error(code::WRONG_REFERENCE, span.clone(), message);
            Some(suggest(diagnostic, reference, known))
        }
        Some(_) => None,
    }
}

fn suggest(diagnostic: Diagnostic, reference: &Reference, known: &Known<'_>) -> Diagnostic {
    let candidates = known.candidates(reference.wanted);
    let name = reference.target.name();
    let same_name =
        candidates.iter().copied().find(|id| id.split_once(':').is_some_and(|(_, n)| n == name));
    let near = same_name.or_else(|| nearest(reference.target.as_str(), candidates.iter().copied()));
    match near {
        Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
        None if candidates.is_empty() && reference.wanted != Wanted::Any => {
            diagnostic.note(format!("there is no {} at all", reference.wanted.describe()))
        }
        None if candidates.len() <= MOST_CANDIDATES => {
            let all: Vec<&str> = candidates.into_iter().collect();
            diagnostic.note(format!("what fits here: {}", all.join(", ")))
        }
        None => diagnostic,
    }
}
