//! The progress and the results of an update.

/// The stage of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateStage {
    /// Changed files are analysed. Their chunks can then be found by words.
    Files,
    /// Files without vectors are embedded.
    Vectors,
}

/// The progress of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateProgress {
    /// The current stage.
    pub stage: UpdateStage,
    /// The number of finished files in this stage.
    pub done: u64,
    /// The number of all files in this stage.
    pub total: u64,
}

/// The results of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpdateSummary {
    /// Files that were read and stored.
    pub indexed: u64,
    /// Unchanged files.
    pub unchanged: u64,
    /// Files that were removed from the index.
    pub removed: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Files that were skipped because they are too large or secret.
    pub skipped: u64,
    /// Unchanged files that received vectors.
    pub embedded: u64,
    /// Files that have no vectors of the index's model yet. They are found by their words.
    pub without_vectors: u64,
    /// Whether the update was cancelled. Finished work is kept.
    pub cancelled: bool,
    /// Whether the store was damaged or of another version, and was rebuilt.
    pub rebuilt: bool,
}
