//! What the rules look at and what they say. Rules are functions of a [`Tree`], which is
//! plain data, so that each can be tested on a few lines of bad source.

pub(crate) mod graph;
pub(crate) mod load;
pub(crate) mod rules;
pub(crate) mod source;

use std::fmt;

use serde::Deserialize;

use graph::Graph;
use source::Source;

/// Everything a rule may look at.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Every Rust file of the repository, sorted by path.
    pub(crate) sources: Vec<Source>,
    /// Packages and the edges between them.
    pub(crate) graph: Graph,
    /// Packages in `Cargo.lock`.
    pub(crate) locked_crates: usize,
    /// SPDX names that `deny.toml` allows.
    pub(crate) allowed_licences: Vec<String>,
    /// Addresses of registries that `deny.toml` allows.
    pub(crate) allowed_registries: Vec<String>,
    /// `ARCHITECTURE.md`, where it exists.
    pub(crate) architecture: Option<String>,
    /// Bounds from `xtask/tidy.toml`.
    pub(crate) limits: Limits,
}

/// The bounds in `xtask/tidy.toml`; see there.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) crates_max: usize,
    pub(crate) function_lines_max: usize,
    pub(crate) file_lines_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { crates_max: 1, function_lines_max: 70, file_lines_max: 800 }
    }
}

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// File, relative to the repository, with `/`.
    pub(crate) path: String,
    /// 1-based line.
    pub(crate) line: usize,
    /// The rule's name in the table.
    pub(crate) rule: &'static str,
    /// What is wrong, and what to do.
    pub(crate) what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

/// All findings, sorted by place.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = rules::RULES
        .iter()
        .flat_map(|rule| {
            (rule.check)(tree).into_iter().map(|place| Finding {
                path: place.path,
                line: place.line,
                rule: rule.name,
                what: place.what,
            })
        })
        .collect();
    findings.sort();
    findings
}
