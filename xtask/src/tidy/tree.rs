//! The input of the rules: plain data, so that each rule can be tested on a few lines of
//! bad source.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::graph::Graph;
use super::source::Source;

/// Everything a rule may look at.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Every Rust file of the repository, sorted by path.
    pub(crate) sources: Vec<Source>,
    /// Packages and the edges between them.
    pub(crate) graph: Graph,
    /// Packages in `Cargo.lock`.
    pub(crate) locked_crates: usize,
    /// `ARCHITECTURE.md`, where it exists.
    pub(crate) architecture: Option<String>,
    /// `docs/design-documents.md`, where it exists.
    pub(crate) design_documents: Option<String>,
    /// Bounds from `xtask/tidy.toml`.
    pub(crate) limits: Limits,
}

impl Tree {
    /// The files of programs and libraries, without tests and examples.
    pub(crate) fn product_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.is_product_file())
    }
}

/// The bounds in `xtask/tidy.toml`; see there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) crates_max: usize,
    pub(crate) file_lines_max: usize,
    pub(crate) floors: Vec<Vec<String>>,
    pub(crate) for_tests: Vec<String>,
    pub(crate) reserved: BTreeMap<String, Vec<String>>,
}
