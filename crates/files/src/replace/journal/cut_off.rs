//! Writes that were cut off, and what became of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::line::Planned;

/// A write of a process that ended in the middle of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The files, as they are shown.
    pub files: Vec<String>,
    /// What became of them.
    pub how: RecoveredHow,
}

/// What became of files that were being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveredHow {
    /// They hold again what they held before.
    TakenBack,
    /// Somebody else changed them since, so that they were left as they are.
    Left {
        /// Where the texts from before and after the write are that no file holds now.
        kept: Vec<PathBuf>,
    },
}

/// A write that has not ended: its files, and the new ones that were made for them.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    pub(super) files: Vec<Planned>,
    pub(super) made: BTreeMap<usize, u64>,
}
