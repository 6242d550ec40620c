//! The bodies of the fuzz targets; `fuzz/src/lib.rs` includes this file.

use foveal_relevance::curation::CurationQuery;

use super::invariants;
use super::structure::{self, PATHS};

/// The input of a fuzz target: the first byte selects the language, the rest is the text, followed
/// by an optional zero byte and a query.
pub(crate) struct Input {
    /// A file name of the language.
    pub(crate) path: &'static str,
    /// The text of the file.
    pub(crate) text: String,
    /// The query.
    pub(crate) question: String,
}

impl Input {
    /// Decodes any bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
        let mut parts = rest.splitn(2, |byte| *byte == 0);
        let mut next = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let at = usize::from(first.wrapping_sub(b'a')) % PATHS.len();
        Self { path: PATHS[at], text: next(), question: next() }
    }
}

/// Checks entities, statements, names and outlines.
pub(crate) fn structure(bytes: &[u8]) {
    let input = Input::of(bytes);
    structure::structure(input.path, &input.text);
    invariants::outline_listing(input.path, &input.text);
}

/// Checks curated views within budgets.
pub(crate) fn curate(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::views(input.path, &input.text, &CurationQuery::from_text(&input.question));
}

/// Checks the symbols that relations are built from.
pub(crate) fn symbols(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::symbols(input.path, &input.text);
}

/// Checks highlights.
pub(crate) fn highlight(bytes: &[u8]) {
    let input = Input::of(bytes);
    structure::highlighting(input.path, &input.text);
}
