use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::spec::ServiceSpec;
use crate::id::EntryId;
use crate::registry::Registry;

/// One registry entry as the start graph sees it.
#[derive(Debug, Clone)]
pub struct Item {
    /// The entry.
    pub id: EntryId,
    /// Every entry it names: `requires`, `depends_on`, its host, its process, imports.
    pub references: Vec<EntryId>,
    /// Set if the entry is a service; other entries are only looked through.
    pub service: Option<ServiceSpec>,
}

/// Why entries make no start graph. The loader refuses both cases with a position; this is the
/// last line of defence for graphs that were built in another way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A reference to an entry that does not exist.
    #[error("{from} refers to {to}, which does not exist")]
    Missing {
        /// The entry with the reference.
        from: EntryId,
        /// What it names.
        to: EntryId,
    },
    /// Services that wait for each other.
    #[error("services wait for each other: {}", .0.iter().map(EntryId::as_str).collect::<Vec<_>>().join(" -> "))]
    Cycle(Vec<EntryId>),
}

/// Which service needs which, for starting and for stopping.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: BTreeMap<EntryId, Node>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) spec: Arc<ServiceSpec>,
    /// Services that have to be up before this one starts.
    pub(super) requires: BTreeSet<EntryId>,
    /// Services that need this one.
    pub(super) dependents: BTreeSet<EntryId>,
    /// Services stop from the highest level down; a dependent is above what it needs.
    pub(super) level: usize,
}

impl Graph {
    /// The graph of all services among `items`. References between non-services are followed until
    /// a service is met.
    pub fn build(items: impl IntoIterator<Item = Item>) -> Result<Self, GraphError> {
        let items: BTreeMap<_, _> = items.into_iter().map(|item| (item.id.clone(), item)).collect();
        let mut nodes = BTreeMap::new();
        for item in items.values() {
            if let Some(to) = item.references.iter().find(|to| !items.contains_key(*to)) {
                return Err(GraphError::Missing { from: item.id.clone(), to: to.clone() });
            }
            if let Some(spec) = &item.service {
                let requires = services_behind(item, &items);
                let node = Node {
                    spec: Arc::new(spec.clone()),
                    requires,
                    dependents: BTreeSet::new(),
                    level: 0,
                };
                nodes.insert(item.id.clone(), node);
            }
        }
        let mut graph = Self { nodes };
        for id in graph.order()? {
            graph.place(&id);
        }
        Ok(graph)
    }

    /// The graph of the services of a registry.
    ///
    /// # Errors
    /// [`GraphError::Cycle`]; a registry that was loaded has none.
    pub fn of(registry: &Registry) -> Result<Self, GraphError> {
        Self::build(registry.iter().map(|entry| Item {
            id: entry.id().clone(),
            references: registry.dependencies(entry.id()),
            service: ServiceSpec::of(entry.definition()),
        }))
    }

    /// Everything that has to run so that `roots` can, the roots included.
    pub fn closure<'a>(&self, roots: impl IntoIterator<Item = &'a EntryId>) -> BTreeSet<EntryId> {
        self.reach(roots, |node| &node.requires)
    }

    /// Everything that cannot run without one of `ids`, those included.
    pub fn dependents<'a>(&self, ids: impl IntoIterator<Item = &'a EntryId>) -> BTreeSet<EntryId> {
        self.reach(ids, |node| &node.dependents)
    }

    /// The services that are started at boot without being asked for.
    pub fn roots(&self) -> impl Iterator<Item = &EntryId> {
        self.nodes.iter().filter(|(_, node)| node.spec.lifecycle.auto_start).map(|(id, _)| id)
    }

    pub(super) fn node(&self, id: &EntryId) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &EntryId> {
        self.nodes.keys()
    }

    fn reach<'a>(
        &self,
        from: impl IntoIterator<Item = &'a EntryId>,
        next: impl Fn(&Node) -> &BTreeSet<EntryId>,
    ) -> BTreeSet<EntryId> {
        let mut pending: Vec<&EntryId> = from.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if let Some(node) = self.nodes.get(id)
                && found.insert(id.clone())
            {
                pending.extend(next(node));
            }
        }
        found
    }

    /// Dependencies before dependents.
    fn order(&self) -> Result<Vec<EntryId>, GraphError> {
        let mut done = BTreeSet::new();
        let mut order = Vec::with_capacity(self.nodes.len());
        for (root, node) in &self.nodes {
            if done.contains(root) {
                continue;
            }
            // The way down from the root, each with what is left of its dependencies to look at.
            let mut path = vec![(root, node.requires.iter())];
            let mut on_path = BTreeSet::from([root]);
            while let Some((id, rest)) = path.last_mut() {
                let id = *id;
                let Some(next) = rest.next() else {
                    path.pop();
                    on_path.remove(id);
                    done.insert(id);
                    order.push(id.clone());
                    continue;
                };
                if !on_path.insert(next) {
                    let from = path.iter().skip_while(|(id, _)| *id != next).map(|(id, _)| *id);
                    return Err(GraphError::Cycle(from.chain([next]).cloned().collect()));
                }
                match self.nodes.get(next) {
                    Some(node) if !done.contains(next) => path.push((next, node.requires.iter())),
                    _ => drop(on_path.remove(next)),
                }
            }
        }
        Ok(order)
    }

    /// Sets the level of `id`, whose dependencies have theirs, and makes it known to them.
    fn place(&mut self, id: &EntryId) {
        // No chain is longer than the number of services, so a tier never reaches into the next
        // one unless a dependency forces it to.
        let height = self.nodes.len() + 1;
        let requires = self.nodes[id].requires.clone();
        let above = requires.iter().map(|to| self.nodes[to].level + 1).max().unwrap_or(0);
        for to in &requires {
            if let Some(node) = self.nodes.get_mut(to) {
                node.dependents.insert(id.clone());
            }
        }
        if let Some(node) = self.nodes.get_mut(id) {
            node.level = above.max(node.spec.tier as usize * height);
        }
    }
}

/// The services that `item` needs, looking through entries that are none.
fn services_behind(item: &Item, items: &BTreeMap<EntryId, Item>) -> BTreeSet<EntryId> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut pending: Vec<&EntryId> = item.references.iter().collect();
    while let Some(id) = pending.pop() {
        match items.get(id) {
            Some(next) if next.service.is_some() => {
                found.insert(id.clone());
            }
            Some(next) if seen.insert(id) => pending.extend(&next.references),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::spec::Tier;
    use super::*;
    use crate::document::{Medium, Source};
    use crate::registry::LoadOptions;
    use crate::registry::kind::Lifecycle;

    fn id(text: &str) -> EntryId {
        format!("app:{text}").parse().unwrap()
    }

    fn item(name: &str, tier: Option<Tier>, references: &[&str]) -> Item {
        let references = references.iter().map(|name| id(name)).collect();
        let spec = |tier| ServiceSpec { tier, lifecycle: Lifecycle::default() };
        Item { id: id(name), references, service: tier.map(spec) }
    }

    fn names(ids: &BTreeSet<EntryId>) -> Vec<&str> {
        ids.iter().map(EntryId::name).collect()
    }

    #[test]
    fn definitions_are_looked_through() {
        let graph = Graph::build([
            item("chat", Some(Tier::Service), &["code", "host"]),
            item("code", None, &["library"]),
            item("library", None, &["code", "pg"]),
            item("host", Some(Tier::Host), &[]),
            item("pg", Some(Tier::Scope), &[]),
        ])
        .unwrap();
        assert_eq!(names(&graph.nodes[&id("chat")].requires), ["host", "pg"]);
        assert_eq!(names(&graph.closure([&id("chat")])), ["chat", "host", "pg"]);
        assert_eq!(names(&graph.dependents([&id("pg")])), ["chat", "pg"]);
    }

    #[test]
    fn levels_put_dependents_above_and_keep_the_tiers_apart() {
        let graph = Graph::build([
            item("pg", Some(Tier::Scope), &[]),
            item("idle-host", Some(Tier::Host), &[]),
            item("host", Some(Tier::Host), &[]),
            item("a", Some(Tier::Service), &["host"]),
            item("b", Some(Tier::Service), &["host", "a"]),
            item("odd", Some(Tier::Scope), &["b"]),
        ])
        .unwrap();
        let level = |name: &str| graph.nodes[&id(name)].level;
        assert!(level("pg") < level("host") && level("idle-host") < level("a"));
        assert!(level("a") < level("b") && level("b") < level("odd"));
    }

    #[test]
    fn a_registry_has_a_graph() {
        let text = "namespace: app\nentries:\n- {name: pg, kind: pg.scope}\n\
            - {name: host, kind: process.host}\n\
            - {name: code, kind: process.lua, source: 'return print'}\n\
            - {name: a, kind: process.service, process: code, host: host, \
               lifecycle: {auto_start: true, requires: [pg, code]}}\n";
        let source = Source::new("_index.yaml", text, Medium::File);
        let registry = Registry::from_sources(&[source], &LoadOptions::default()).unwrap();
        let graph = Graph::of(&registry).unwrap();
        assert_eq!(names(&graph.nodes[&id("a")].requires), ["host", "pg"]);
        assert_eq!(graph.roots().collect::<Vec<_>>(), [&id("a")]);
        assert_eq!(graph.nodes.len(), 3);
    }

    #[test]
    fn missing_entries_and_cycles_are_named() {
        let missing = Graph::build([item("a", Some(Tier::Service), &["b"])]).unwrap_err();
        assert_eq!(missing.to_string(), "app:a refers to app:b, which does not exist");
        let cycle = Graph::build([
            item("a", Some(Tier::Service), &["b"]),
            item("b", Some(Tier::Service), &["code"]),
            item("code", None, &["c"]),
            item("c", Some(Tier::Service), &["b"]),
        ]);
        assert_eq!(
            cycle.unwrap_err().to_string(),
            "services wait for each other: app:b -> app:c -> app:b"
        );
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let mut items = vec![item("n0", Some(Tier::Service), &[])];
        for n in 1..20_000 {
            items.push(item(&format!("n{n}"), Some(Tier::Service), &[&format!("n{}", n - 1)]));
        }
        let graph = Graph::build(items).unwrap();
        assert_eq!(graph.closure([&id("n19999")]).len(), 20_000);
    }
}
