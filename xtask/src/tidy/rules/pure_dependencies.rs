//! The pure crates link nothing that brings a runtime, a file system, a clock or
//! randomness with it, however deep in the tree.

use super::purity::PURE;
use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// Packages whose presence means an effect.
const FORBIDDEN: &[&str] = &[
    // Runtimes and threads.
    "async-std",
    "mio",
    "num_cpus",
    "polling",
    "rayon",
    "smol",
    "tokio",
    // Network.
    "curl",
    "hyper",
    "native-tls",
    "openssl",
    "reqwest",
    "rustls",
    "socket2",
    "ureq",
    // Files and databases.
    "dirs",
    "fs-err",
    "home",
    "libsqlite3-sys",
    "memmap2",
    "notify",
    "rusqlite",
    "sqlx",
    "tempfile",
    "walkdir",
    // Clock; `iana-time-zone` is what chrono's clock needs.
    "iana-time-zone",
    "instant",
    "web-time",
    // Randomness.
    "fastrand",
    "getrandom",
    "rand",
    // Terminal.
    "console",
    "crossterm",
    "indicatif",
];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let graph = &tree.graph;
    let pure = graph.members().filter(|(_, folder)| PURE.contains(folder));
    pure.flat_map(|(package, folder)| {
        graph
            .linked_into(&package.name)
            .into_iter()
            .filter(|(at, _)| FORBIDDEN.contains(&graph.packages[*at].name.as_str()))
            .map(move |(at, from)| {
                let what = format!(
                    "`{}` links `{}` through `{}`; turn off the feature or leave the work to an effect crate",
                    package.name, graph.packages[at].name, graph.packages[from].name
                );
                Place::new(format!("{folder}/Cargo.toml"), 1, what)
            })
    })
    .collect()
}

#[cfg(test)]
mod tests;
