//! Ranges of lines of one file.

use std::fmt;

use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// Lines of a file from `first` to `last`, both 1-based and included; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: LineNumber,
    /// The last line; never before `first`.
    pub last: LineNumber,
}

impl LineRange {
    /// The lines from `first` to `last`; a `last` before `first` counts as `first`.
    pub fn new(first: LineNumber, last: LineNumber) -> Self {
        Self { first, last: last.max(first) }
    }

    /// The lines of the 0-based rows `first..=last`, as parsers count them.
    pub(crate) fn of_rows(first: u32, last: u32) -> Self {
        Self::new(LineNumber(first.saturating_add(1)), LineNumber(last.saturating_add(1)))
    }

    /// How many lines; at least 1.
    pub fn count(self) -> u32 {
        (self.last.0 - self.first.0).saturating_add(1)
    }

    /// Whether `line` is one of them.
    pub fn contains(self, line: LineNumber) -> bool {
        self.first <= line && line <= self.last
    }

    /// Whether all of `other` lies in it.
    pub fn covers(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Whether some line is in both.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// This range cut to what lies in `outer`; where nothing does, the nearest line of it.
    pub(crate) fn clamped(self, outer: Self) -> Self {
        Self {
            first: self.first.clamp(outer.first, outer.last),
            last: self.last.clamp(outer.first, outer.last),
        }
    }
}

impl fmt::Display for LineRange {
    /// `12` or `12-40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first.0)
        } else {
            write!(f, "{}-{}", self.first.0, self.last.0)
        }
    }
}
