//! The findings of a rule as text, for the tests of the rules.

use crate::tidy::finding::Place;
use crate::tidy::graph::{EdgeKind, graph_of};
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// Runs a rule on source files given as `(path, text)` and prints its findings, one a line
/// as `path:line: what`.
pub(super) fn findings_in(check: fn(&Tree) -> Vec<Place>, files: &[(&str, &str)]) -> String {
    let sources = files.iter().map(|(path, text)| Source::new(*path, *text)).collect();
    printed(check, &Tree { sources, ..Tree::default() })
}

/// Runs a rule on packages given as for [`graph_of`] and prints its findings, one a line.
pub(super) fn findings_in_graph(
    check: fn(&Tree) -> Vec<Place>,
    rows: &[(&str, &[(&str, EdgeKind)])],
) -> String {
    printed(check, &Tree { graph: graph_of(rows), ..Tree::default() })
}

/// Runs a rule on a tree and prints its findings, one a line.
pub(super) fn printed(check: fn(&Tree) -> Vec<Place>, tree: &Tree) -> String {
    check(tree).iter().map(|p| format!("{}:{}: {}\n", p.path, p.line, p.what)).collect()
}
