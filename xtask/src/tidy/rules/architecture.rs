//! The map names every crate.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// The map of the workspace.
const MAP: &str = "ARCHITECTURE.md";

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let Some(map) = &tree.architecture else { return Vec::new() };
    let rows: Vec<&str> = map.lines().filter(|line| line.trim_start().starts_with('|')).collect();
    tree.graph
        .members()
        .filter(|(_, folder)| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let spellings = [format!("`{folder}`"), format!("`{folder}/`"), format!("`{name}`")];
            !rows.iter().any(|row| spellings.iter().any(|spelling| row.contains(spelling)))
        })
        .map(|(_, folder)| {
            let what = format!("no table row names `{folder}`; add one that says what it is for");
            Place::new(MAP, 1, what)
        })
        .collect()
}

#[cfg(test)]
mod tests;
