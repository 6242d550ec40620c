//! The state of a file at one moment.

/// The confidence in a [`FileState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateConfidence {
    /// Nothing is known.
    Unknown,
    /// Some lines were never seen, or may have changed or moved since.
    Partial,
    /// Every line is known, unless an unrecognised program or something outside the conversation
    /// changed the file.
    Exact,
}

/// The state of a file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The lines without line breaks, from line 1; `None` for lines never seen. Below
    /// [`StateConfidence::Exact`] more lines may follow.
    pub lines: Vec<Option<String>>,
    /// The confidence in them.
    pub confidence: StateConfidence,
    /// Whether the file was removed.
    pub removed: bool,
}
