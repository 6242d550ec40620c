//! What is known of a file at one moment.

/// How far a [`FileState`] can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Nothing is known.
    Unknown,
    /// Some lines were never seen, or may have changed or moved since.
    Partial,
    /// Every line is known, unless a program that is not known to change files did, or
    /// something outside the conversation.
    Exact,
}

/// A file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The lines without line breaks, from line 1; `None` for lines never seen. Below
    /// [`Confidence::Exact`] more lines may follow.
    pub lines: Vec<Option<String>>,
    /// How far they can be trusted.
    pub confidence: Confidence,
    /// Whether the file was removed.
    pub removed: bool,
}
