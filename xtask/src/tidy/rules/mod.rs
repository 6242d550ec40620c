//! The table of rules. One rule is one file.

mod architecture;
mod dependency_count;
mod file_length;
mod function_length;
mod history;
mod layers;
mod licences;
mod names;
mod pure_dependencies;
mod purity;
mod sources;
mod string_errors;

use super::Tree;

/// One rule of the house.
pub(crate) struct Rule {
    /// The name that findings carry.
    pub(crate) name: &'static str,
    /// Finds where a tree breaks it.
    pub(crate) check: fn(&Tree) -> Vec<Place>,
}

/// Where a rule is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// File, relative to the repository.
    pub(crate) path: String,
    /// 1-based line.
    pub(crate) line: usize,
    /// What is wrong, and what to do.
    pub(crate) what: String,
}

impl Place {
    fn new(path: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into() }
    }
}

/// Every rule that `cargo xtask tidy` checks.
pub(crate) const RULES: &[Rule] = &[
    Rule { name: "layers", check: layers::check },
    Rule { name: "purity", check: purity::check },
    Rule { name: "pure-dependencies", check: pure_dependencies::check },
    Rule { name: "function-length", check: function_length::check },
    Rule { name: "file-length", check: file_length::check },
    Rule { name: "history", check: history::check },
    Rule { name: "names", check: names::check },
    Rule { name: "string-errors", check: string_errors::check },
    Rule { name: "dependency-count", check: dependency_count::check },
    Rule { name: "licences", check: licences::check },
    Rule { name: "sources", check: sources::check },
    Rule { name: "architecture", check: architecture::check },
];

/// Runs a rule on source files given as `(path, text)` and prints its findings, one a line
/// as `path:line: what`.
#[cfg(test)]
fn findings_in(check: fn(&Tree) -> Vec<Place>, files: &[(&str, &str)]) -> String {
    let sources =
        files.iter().map(|(path, text)| super::source::Source::new(*path, *text)).collect();
    printed(check, &Tree { sources, ..Tree::default() })
}

/// Runs a rule on packages given as for [`graph_of`](super::graph::graph_of) and prints its
/// findings, one a line.
#[cfg(test)]
fn findings_in_graph(
    check: fn(&Tree) -> Vec<Place>,
    rows: &[(&str, &[(&str, super::graph::EdgeKind)])],
) -> String {
    printed(check, &Tree { graph: super::graph::graph_of(rows), ..Tree::default() })
}

/// Runs a rule on a tree and prints its findings, one a line.
#[cfg(test)]
fn printed(check: fn(&Tree) -> Vec<Place>, tree: &Tree) -> String {
    check(tree).iter().map(|p| format!("{}:{}: {}\n", p.path, p.line, p.what)).collect()
}
