//! Outcomes of writes.

use crate::file_version::FileVersion;

/// The outcome of writing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOutcome {
    /// The version of the new content.
    pub version: FileVersion,
    /// The old content, for undo; `None` for a new file.
    pub before: Option<Vec<u8>>,
    /// Side effects that the caller should report.
    pub notes: Vec<WriteNotice>,
}

/// A side effect of a write that the user may not expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteNotice {
    /// The file had other hard links, which keep the old content.
    OtherNames {
        /// The number of other links.
        count: u64,
    },
    /// The owner or group of the file could not be preserved.
    OwnerNotKept,
    /// The path is a symbolic link; its target was written, the link is unchanged.
    ThroughLink {
        /// The path of the link.
        link: String,
    },
}
