//! Interrupted writes, and the outcome of their recovery.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::journal_line::PlannedWrite;

/// A recovered write of a process that ended in the middle of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredWrite {
    /// The files, as answers show them.
    pub files: Vec<String>,
    /// The outcome.
    pub how: RecoveryOutcome,
}

/// The outcome of a recovery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// The files have their old content again.
    RolledBack,
    /// The files were changed by others since and left as they are.
    LeftAsFound {
        /// The paths of the contents from before and after the write that are in no file now.
        kept: Vec<PathBuf>,
    },
}

/// A write without an end line: its files, and the inodes of the new files by index.
#[derive(Debug, Default)]
pub(super) struct UnfinishedWrite {
    pub(super) files: Vec<PlannedWrite>,
    pub(super) new_inodes: BTreeMap<usize, u64>,
}
