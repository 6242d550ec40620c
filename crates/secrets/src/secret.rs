//! A secret that was found.

use std::ops::Range;

/// The kind of a word that only its randomness speaks for.
pub(crate) const GUESS: &str = "random word";

/// Something in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The name of its kind.
    pub kind: &'static str,
    /// Whether each of its signs has two bytes, as in UTF-16.
    pub is_wide: bool,
}

impl Secret {
    pub(crate) fn new(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, is_wide: false }
    }

    /// Whether nothing but its chance speaks for a secret: no form, no name that it is assigned
    /// to. Tags and the like look the same.
    pub fn is_guess(&self) -> bool {
        self.kind == GUESS
    }
}

/// The secrets in order; those that overlap are one, of the kind of the one that begins first;
/// of those that begin at the same place, of one that is no guess.
pub(crate) fn merge_overlaps(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.range.start, secret.is_guess()));
    found.dedup_by(|second, first| {
        let overlaps = second.range.start < first.range.end;
        if overlaps {
            first.range.end = first.range.end.max(second.range.end);
        }
        overlaps
    });
    found
}
