//! Rules of when two calls of one tool are duplicates.

use crate::arguments::{CONTENT_NAMES, EDIT_LIST_NAMES, INTENT_NAMES, PATH_NAMES};

/// Names of arguments, in groups of spellings.
pub type ArgumentNames = &'static [&'static [&'static str]];

/// The rule by which a call repeats an earlier call of the same tool.
///
/// Where arguments are compared, one that is false or null equals an absent one, and paths compare
/// by a key of the caller. Neither holds for [`SimilarityRule::Exact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimilarityRule {
    /// Never: the call acts, or reports something that changes by itself.
    Never,
    /// All arguments are equal; only the order of properties may differ.
    Exact,
    /// The files are the same, the requested lines are among the earlier call's, and all other
    /// arguments but the [`INTENT_NAMES`] are equal.
    Lines,
    /// All arguments but these are equal.
    AllBut(ArgumentNames),
    /// These arguments are equal; the others may differ.
    Only(ArgumentNames),
}

/// Names of arguments for the number of lines around a hit.
const CONTEXT_LINE_NAMES: &[&str] = &[
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
    /// For lists, and for searches whose answers have no context lines.
    pub(super) const SEARCH: Self = Self::AllBut(&[INTENT_NAMES]);
    /// For text searches.
    pub(super) const GREP: Self = Self::AllBut(&[CONTEXT_LINE_NAMES, INTENT_NAMES]);
    /// For whole files. A call that restores content may name its handle instead of the content.
    pub(super) const CONTENT: Self = Self::Only(&[PATH_NAMES, CONTENT_NAMES, &["handle", "mode"]]);
    /// For several edits at once.
    pub(super) const EDITS: Self = Self::Only(&[PATH_NAMES, EDIT_LIST_NAMES]);
    /// For pages. The prompt and the format, if a tool has them, are part of the request.
    pub(super) const URL: Self = Self::Only(&[&["url", "prompt", "format"]]);
}
