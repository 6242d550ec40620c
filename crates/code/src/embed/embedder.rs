//! What the index asks for vectors.

use super::{EmbedError, ModelId, Vector};

/// Something that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model it is. Another model, or another version of it, has another identity, as
    /// far as its name tells.
    fn identity(&self) -> ModelId;

    /// How it is best asked.
    fn pace(&self) -> Pace;

    /// One vector for each text, in order, all of the same number of components. The
    /// built-in model never fails; one behind a server does when the server cannot be
    /// reached or answers something else.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;
}

/// How an [`Embedder`] is best asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// For any number of texts at any time: it takes less than to read them.
    Instant,
    /// For many texts together, and by nobody who waits: every call takes a while.
    Batches {
        /// Texts that a call should have.
        texts: usize,
    },
}
