//! Every package comes from a registry that `deny.toml` allows, and members say which
//! version they need. What `cargo deny` says of sources and wildcards, without it.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for package in &tree.graph.packages {
        if let Some(folder) = &package.folder {
            places.extend(package.wildcards.iter().map(|name| {
                let what = format!("`{name}` in any version; name the one that is needed");
                Place::new(format!("{folder}/Cargo.toml"), 1, what)
            }));
            continue;
        }
        let what = match &package.source {
            Some(source) if is_allowed(source, &tree.allowed_registries) => continue,
            Some(source) => format!("`{}` comes from {source}", package.name),
            None => format!("`{}` comes from a folder outside the workspace", package.name),
        };
        let what = format!("{what}, which deny.toml does not allow; take a published version");
        places.push(Place::new("Cargo.lock", 1, what));
    }
    places
}

fn is_allowed(source: &str, registries: &[String]) -> bool {
    source
        .strip_prefix("registry+")
        .is_some_and(|address| registries.iter().any(|registry| registry == address))
}

#[cfg(test)]
mod tests;
