//! What was done to a file.

use crate::stamp::Version;

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What stands there now.
    pub version: Version,
    /// What stood there before, to be able to go back; `None` for a new file.
    pub before: Option<Vec<u8>>,
    /// What the caller should be told.
    pub notes: Vec<Note>,
}

/// Something about a replacement that someone may not expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file had more names (hard links); the others keep the old content.
    OtherNames {
        /// How many others.
        count: u64,
    },
    /// The file belonged to another user or group, which could not be kept.
    OwnerNotKept,
    /// The path is a symbolic link; its target was written, the link is as it was.
    ThroughLink {
        /// The link.
        link: String,
    },
}
