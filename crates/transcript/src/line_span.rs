//! Ranges of lines by number.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::transcript::LineNumber;

/// A range of consecutive lines. An empty range denotes the place before line `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineSpan {
    /// The first line.
    pub first: LineNumber,
    /// The number of lines.
    pub lines: u32,
}

impl LineSpan {
    /// Creates the span of the lines at the 0-based indices `start..end`.
    pub fn from_indices(start: usize, end: usize) -> Self {
        let lines = u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX);
        Self { first: LineNumber::from_index(start), lines }
    }

    /// Returns the 0-based indices of the lines.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.first.index()..self.first.index() + self.lines as usize
    }
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            0 => write!(f, "before line {}", self.first),
            1 => write!(f, "line {}", self.first),
            lines => write!(f, "lines {}-{}", self.first, self.first.0.saturating_add(lines - 1)),
        }
    }
}
