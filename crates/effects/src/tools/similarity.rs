//! When two calls of one tool ask for the same.

use crate::arguments::{CONTENT, EDITS, INTENT, PATH};

/// Names of arguments, in groups of spellings.
pub type ArgumentNames = &'static [&'static [&'static str]];

/// What makes a call of a tool the same as an earlier one of the same tool.
///
/// Where arguments are compared, one that is false or null is as good as absent, and paths
/// compare by a key that the caller knows; in [`SimilarityRule::Exact`] neither holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimilarityRule {
    /// Nothing: it does something, or tells of what changes by itself.
    Never,
    /// All arguments are equal; only the order of properties does not matter.
    Exact,
    /// The files are the same, the asked lines are among the earlier call's, and all other
    /// arguments but the [`INTENT`] are equal.
    Lines,
    /// All arguments but these are equal.
    AllBut(ArgumentNames),
    /// These arguments are equal; others do not matter.
    Only(ArgumentNames),
    /// More than a share of the properties are equal, or those of [`CRITICAL`] that there are.
    /// If one of these is not, the calls are not the same, however alike the rest is.
    Generic,
}

/// Properties that say what a call is about.
pub const CRITICAL: [&str; 3] = ["id", "name", "path"];

/// How many lines are shown around a hit.
const CONTEXT: &[&str] = &[
    "context",
    "context_lines",
    "contextLines",
    "context_before",
    "contextBefore",
    "context_after",
    "contextAfter",
    "before_context",
    "after_context",
    "before",
    "after",
    "-A",
    "-B",
    "-C",
    "A",
    "B",
    "C",
];

impl SimilarityRule {
    /// For lists and for searches whose answers come without lines around hits.
    pub(super) const SEARCH: Self = Self::AllBut(&[INTENT]);
    /// For searches of text.
    pub(super) const GREP: Self = Self::AllBut(&[CONTEXT, INTENT]);
    /// For whole files. What is put back may be said by its handle, in place of a content.
    pub(super) const CONTENT: Self = Self::Only(&[PATH, CONTENT, &["handle", "mode"]]);
    /// For several edits at once.
    pub(super) const EDITS: Self = Self::Only(&[PATH, EDITS]);
    /// For pages. The prompt and the form are part of the question where a tool has them.
    pub(super) const URL: Self = Self::Only(&[&["url", "prompt", "format"]]);
}
