//! What the fuzz targets do with their bytes; `fuzz/src/lib.rs` takes this file as it is.

use foveal_code::curate::Question;

use super::invariants::{self, PATHS};

/// What bytes mean: the first says the language, the rest is text, and after a zero byte a
/// question about it.
pub(crate) struct Input {
    /// A file name of the language.
    pub(crate) path: &'static str,
    /// What the file holds.
    pub(crate) text: String,
    /// What is asked of it.
    pub(crate) question: String,
}

impl Input {
    /// Any bytes mean something.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
        let mut parts = rest.splitn(2, |byte| *byte == 0);
        let mut next = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let at = usize::from(first.wrapping_sub(b'a')) % PATHS.len();
        Self { path: PATHS[at], text: next(), question: next() }
    }
}

/// Entities, statements, names and outlines.
pub(crate) fn structure(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::structure(input.path, &input.text);
}

/// Curated views within budgets.
pub(crate) fn curate(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::views(input.path, &input.text, &Question::of_text(&input.question));
}

/// What relations are built from.
pub(crate) fn symbols(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::symbols(input.path, &input.text);
}

/// What is shown in colours.
pub(crate) fn highlight(bytes: &[u8]) {
    let input = Input::of(bytes);
    invariants::highlighting(input.path, &input.text);
}
