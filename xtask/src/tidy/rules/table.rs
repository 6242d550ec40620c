//! The table of rules.

use super::{
    architecture, circles, comment_openings, dependency_count, design_documents, file_length,
    history, layers, names, pure_dependencies, purity, shared_type_names, string_errors, terminal,
    tuple_parameters, vague_names,
};
use crate::tidy::finding::{Finding, Place};
use crate::tidy::tree::Tree;

/// One rule of the house.
pub(crate) struct Rule {
    /// The name that findings carry.
    name: &'static str,
    /// Finds where a tree breaks it.
    check: fn(&Tree) -> Vec<Place>,
}

/// Every rule that `cargo xtask tidy` checks.
pub(crate) const RULES: &[Rule] = &[
    Rule { name: "layers", check: layers::check },
    Rule { name: "circles", check: circles::check },
    Rule { name: "purity", check: purity::check },
    Rule { name: "pure-dependencies", check: pure_dependencies::check },
    Rule { name: "file-length", check: file_length::check },
    Rule { name: "history", check: history::check },
    Rule { name: "names", check: names::check },
    Rule { name: "vague-names", check: vague_names::check },
    Rule { name: "shared-type-names", check: shared_type_names::check },
    Rule { name: "comment-openings", check: comment_openings::check },
    Rule { name: "tuple-parameters", check: tuple_parameters::check },
    Rule { name: "string-errors", check: string_errors::check },
    Rule { name: "terminal", check: terminal::check },
    Rule { name: "dependency-count", check: dependency_count::check },
    Rule { name: "architecture", check: architecture::check },
    Rule { name: "design-documents", check: design_documents::check },
];

/// All findings, sorted by place.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let of_rule = |rule: &Rule| {
        let name = rule.name;
        (rule.check)(tree).into_iter().map(move |place| Finding {
            path: place.path,
            line: place.line,
            rule: name,
            what: place.what,
        })
    };
    let mut findings: Vec<Finding> = RULES.iter().flat_map(of_rule).collect();
    findings.sort();
    findings
}
