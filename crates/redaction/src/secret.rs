//! A detected secret.

use std::ops::Range;

/// The kind of a word that only its randomness marks as a secret.
pub(crate) const RANDOM_WORD_KIND: &str = "random word";

/// A part of a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its range in bytes.
    pub range: Range<usize>,
    /// The name of its kind.
    pub kind: &'static str,
    /// Whether each of its characters takes two bytes, as in UTF-16.
    pub is_wide: bool,
}

impl Secret {
    pub(crate) fn new(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, is_wide: false }
    }

    /// Returns whether only its randomness marks it as a secret, without a known form or name. Tags
    /// and ids look the same.
    pub fn is_random_word(&self) -> bool {
        self.kind == RANDOM_WORD_KIND
    }
}

/// Sorts the secrets and merges overlapping ones. A merged secret has the kind of the one that
/// begins first; if two begin at the same place, of the one that is not a random word.
pub(crate) fn merge_overlaps(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.range.start, secret.is_random_word()));
    found.dedup_by(|second, first| {
        let overlaps = second.range.start < first.range.end;
        if overlaps {
            first.range.end = first.range.end.max(second.range.end);
        }
        overlaps
    });
    found
}
