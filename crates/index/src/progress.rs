//! How far an update is, and what it did.

/// What an update is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Files that have changed are read; what they consist of can be found by its words.
    Files,
    /// Files get vectors that had none.
    Vectors,
}

/// How far an update is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Of what.
    pub stage: Stage,
    /// Files done so far.
    pub done: u64,
    /// Files to be done in this stage.
    pub total: u64,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Files that were read and are kept as they are now.
    pub indexed: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Files that are in the index no more.
    pub removed: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Files that are passed by: too large or secret.
    pub passed_by: u64,
    /// Files that were as they were and got vectors.
    pub embedded: u64,
    /// Files that still have no vectors of the index's model; they are found by their words.
    pub waiting: u64,
    /// The update was stopped before it was done; what it did is kept.
    pub stopped: bool,
    /// The store was damaged or of another version, and was built anew.
    pub rebuilt: bool,
}
