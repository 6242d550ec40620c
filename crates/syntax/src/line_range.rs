//! Line ranges.

use std::fmt;

use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// The lines of a file from `first` to `last`, 1-based and inclusive; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: LineNumber,
    /// The last line; never before `first`.
    pub last: LineNumber,
}

impl LineRange {
    /// Returns the lines from `first` to `last`; a `last` before `first` counts as `first`.
    pub fn new(first: LineNumber, last: LineNumber) -> Self {
        Self { first, last: last.max(first) }
    }

    /// Returns the lines of the 0-based rows `first..=last`, as parsers count them.
    pub fn from_rows(first: u32, last: u32) -> Self {
        Self::new(LineNumber(first.saturating_add(1)), LineNumber(last.saturating_add(1)))
    }

    /// Returns the number of lines; at least 1.
    pub fn line_count(self) -> u32 {
        (self.last.0 - self.first.0).saturating_add(1)
    }

    /// Returns whether `line` is in the range.
    pub fn contains(self, line: LineNumber) -> bool {
        self.first <= line && line <= self.last
    }

    /// Returns whether `other` lies within the range.
    pub fn covers(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Returns whether the ranges share a line.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Returns the intersection with `outer`, or the nearest line of `outer` if there is none.
    pub(crate) fn clamped(self, outer: Self) -> Self {
        Self {
            first: self.first.clamp(outer.first, outer.last),
            last: self.last.clamp(outer.first, outer.last),
        }
    }
}

impl fmt::Display for LineRange {
    /// Writes `12` or `12-40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first.0)
        } else {
            write!(f, "{}-{}", self.first.0, self.last.0)
        }
    }
}
