//! Packages and what they depend on, as `cargo metadata` resolved them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// How one package depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EdgeKind {
    Normal,
    Dev,
    Build,
}

/// One package of the resolved tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// For a workspace member, its folder relative to the repository.
    pub(crate) folder: Option<String>,
    /// Its dependencies: position in [`Graph::packages`] and how.
    pub(crate) depends: Vec<(usize, EdgeKind)>,
}

/// The resolved tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Graph {
    pub(crate) packages: Vec<Package>,
}

impl Graph {
    /// The workspace's own packages with their folders.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&Package, &str)> {
        self.packages
            .iter()
            .filter_map(|package| package.folder.as_deref().map(|folder| (package, folder)))
    }

    /// Everything that ends up in the binary when `name` does: for each package reached over
    /// normal edges, the one that leads to it.
    pub(crate) fn linked_into(&self, name: &str) -> BTreeMap<usize, usize> {
        let mut reached_from = BTreeMap::new();
        let mut waiting: BTreeSet<usize> =
            (0..self.packages.len()).filter(|at| self.packages[*at].name == name).collect();
        while let Some(at) = waiting.pop_first() {
            for (to, kind) in &self.packages[at].depends {
                if *kind == EdgeKind::Normal && !reached_from.contains_key(to) {
                    reached_from.insert(*to, at);
                    waiting.insert(*to);
                }
            }
        }
        reached_from
    }
}

/// A graph of workspace members, for tests: `("cli", &[("wire", EdgeKind::Normal)])`. A name
/// that has no row of its own is an outside package.
#[cfg(test)]
pub(crate) fn graph_of(rows: &[(&str, &[(&str, EdgeKind)])]) -> Graph {
    let mut names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    for (to, _) in rows.iter().flat_map(|(_, edges)| *edges) {
        if !names.contains(to) {
            names.push(to);
        }
    }
    let at = |name: &str| names.iter().position(|n| *n == name).expect("every name was listed");
    let packages = names
        .iter()
        .enumerate()
        .map(|(index, name)| Package {
            name: (*name).to_owned(),
            folder: (index < rows.len()).then(|| format!("crates/{name}")),
            depends: rows
                .get(index)
                .map(|(_, edges)| edges.iter().map(|(to, kind)| (at(to), *kind)).collect())
                .unwrap_or_default(),
        })
        .collect();
    Graph { packages }
}
