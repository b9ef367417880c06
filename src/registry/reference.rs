use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::document::{Diagnostic, Report, Source, nearest};
use crate::id::EntryId;

use super::code;
use super::kind::{Kind, Reference, Wanted};

/// Longest list of candidates that a message names.
const MOST_CANDIDATES: usize = 6;

/// Most ids that are compared to find something similar: that takes time.
const MOST_COMPARISONS: usize = 200_000;

/// An entry with the ids in it.
pub(super) struct Referrer {
    pub id: EntryId,
    pub kind: Option<Kind>,
    pub references: Vec<Reference>,
    /// The groups that it brings into being.
    pub groups: Vec<EntryId>,
}

/// What references can lead to.
pub(super) struct Known<'a> {
    /// The kind is unknown where that is an error of its own.
    kinds: HashMap<&'a EntryId, Option<Kind>>,
    groups: BTreeSet<&'a EntryId>,
    disabled: &'a [EntryId],
    /// Names that stand in a file that could not be understood, so that the absence of an entry of
    /// that name proves nothing.
    doubtful: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    pub(super) fn new(
        referrers: &'a [Referrer],
        disabled: &'a [EntryId],
        broken: &'a [Arc<Source>],
    ) -> Self {
        let references = || referrers.iter().flat_map(|referrer| &referrer.references);
        let named: HashSet<&str> = references().map(|reference| reference.target.name()).collect();
        let is_separator = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        let words = broken.iter().flat_map(|source| source.text().split(is_separator));
        Self {
            kinds: referrers.iter().map(|referrer| (&referrer.id, referrer.kind)).collect(),
            groups: referrers.iter().flat_map(|referrer| &referrer.groups).collect(),
            disabled,
            doubtful: words.filter_map(|word| named.get(word).copied()).collect(),
        }
    }

    /// Whether nothing is known about `id`, not even that it is missing.
    fn is_doubtful(&self, id: &EntryId) -> bool {
        self.doubtful.contains(id.name())
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
    let mut comparisons = 0;
    for referrer in referrers {
        for reference in &referrer.references {
            let Some(problem) = problem(reference, known) else { continue };
            let problem = problem.entry(referrer.id.as_str()).field(reference.field.as_str());
            if comparisons > MOST_COMPARISONS {
                report.push(problem);
                continue;
            }
            comparisons += known.kinds.len();
            report.push(suggest(problem, reference, known));
        }
    }
}

fn problem(reference: &Reference, known: &Known<'_>) -> Option<Diagnostic> {
    let Reference { target, wanted, span, .. } = reference;
    let missing = |message: String| {
        (!known.is_doubtful(target))
            .then(|| Diagnostic::error(code::MISSING_REFERENCE, span.clone(), message))
    };
    if *wanted == Wanted::PolicyGroup {
        let is_known = known.groups.contains(target);
        return (!is_known)
            .then(|| missing(format!("no policy is in the group \"{target}\"")))
            .flatten();
    }
    match known.kinds.get(target) {
        None if known.disabled.contains(target) => {
            let help = "the entry exists, but is disabled by the configuration";
            missing(format!("no entry \"{target}\"")).map(|diagnostic| diagnostic.help(help))
        }
        None => missing(format!("no entry \"{target}\"")),
        Some(Some(kind)) if !wanted.allows(*kind) => {
            let kind = kind.as_str();
            let message = format!("\"{target}\" is a {kind}, expected {}", wanted.describe());
            Some(Diagnostic::error(code::WRONG_REFERENCE, span.clone(), message))
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
