use std::collections::HashMap;

use crate::document::{Diagnostic, Report};
use crate::id::EntryId;

use super::code;
use super::kind::{Kind, Reference, Wanted};
use super::reference::Referrer;

/// Reports entries that import each other in a circle, and services that wait for each other in
/// one (registry.md section 6, supervision.md section 4).
pub(super) fn check(referrers: &[Referrer], report: &mut Report) {
    let imports = |_: &Referrer, reference: &Reference| reference.wanted == Wanted::Importable;
    find(referrers, imports, code::IMPORT_CYCLE, "imports", report);
    let waits = |referrer: &Referrer, reference: &Reference| {
        referrer.kind.is_some_and(Kind::is_service)
            && matches!(reference.wanted, Wanted::Any | Wanted::Host)
    };
    find(referrers, waits, code::REQUIRES_CYCLE, "requires", report);
}

fn find(
    referrers: &[Referrer],
    counts: impl Fn(&Referrer, &Reference) -> bool,
    code: &'static str,
    verb: &str,
    report: &mut Report,
) {
    let places: HashMap<&EntryId, usize> =
        referrers.iter().enumerate().map(|(place, referrer)| (&referrer.id, place)).collect();
    let edges: Vec<Vec<(usize, &Reference)>> = referrers
        .iter()
        .map(|referrer| {
            let counted = referrer.references.iter().filter(|r| counts(referrer, r));
            counted.filter_map(|r| Some((*places.get(&r.target)?, r))).collect()
        })
        .collect();
    for cycle in cycles(&edges) {
        let ids: Vec<&str> = cycle
            .iter()
            .chain(cycle.first())
            .filter_map(|place| referrers.get(*place).map(|referrer| referrer.id.as_str()))
            .collect();
        let closing = cycle.last().zip(cycle.first()).and_then(|(last, first)| {
            let (_, reference) = edges.get(*last)?.iter().find(|(place, _)| place == first)?;
            Some((referrers.get(*last)?, *reference))
        });
        let Some((referrer, reference)) = closing else { continue };
        let message = format!("a circle: {}", ids.join(&format!(" {verb} ")));
        let diagnostic = Diagnostic::error(code, reference.span.clone(), message);
        report.push(diagnostic.entry(referrer.id.as_str()).field(reference.field.as_str()));
    }
}

/// For each edge that leads back into the path from a start to it, the nodes of that circle.
fn cycles<E>(edges: &[Vec<(usize, E)>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut states = vec![State::New; edges.len()];
    let mut cycles = Vec::new();
    for start in 0..edges.len() {
        if states[start] != State::New {
            continue;
        }
        states[start] = State::OnPath;
        let mut path = vec![(start, edges[start].iter())];
        while let Some((node, rest)) = path.last_mut() {
            match rest.next() {
                None => {
                    states[*node] = State::Done;
                    path.pop();
                }
                Some((next, _)) => match states[*next] {
                    State::Done => {}
                    State::New => {
                        states[*next] = State::OnPath;
                        path.push((*next, edges[*next].iter()));
                    }
                    State::OnPath => {
                        let on_path = path.iter().map(|(node, _)| *node);
                        cycles.push(on_path.skip_while(|node| node != next).collect());
                    }
                },
            }
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        let edges: Vec<Vec<(usize, ())>> =
            edges.iter().map(|to| to.iter().map(|to| (*to, ())).collect()).collect();
        cycles(&edges)
    }

    #[test]
    fn circles_are_found_once_each() {
        assert_eq!(found(&[&[1], &[2], &[]]), Vec::<Vec<usize>>::new());
        assert_eq!(found(&[&[1, 2], &[2], &[]]), Vec::<Vec<usize>>::new());
        assert_eq!(found(&[&[0]]), [[0]]);
        assert_eq!(found(&[&[1], &[2], &[1]]), [[1, 2]]);
        assert_eq!(found(&[&[1], &[0], &[3], &[2]]), [[0, 1], [2, 3]]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let edges: Vec<Vec<(usize, ())>> =
            (1..=100_000).map(|next| vec![(next % 100_000, ())]).collect();
        assert_eq!(cycles(&edges)[0].len(), 100_000);
    }
}
