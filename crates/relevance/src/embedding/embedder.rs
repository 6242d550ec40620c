//! The interface between the index and embedding models.

use super::{EmbeddingError, ModelId, Vector};

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the identity of the model. Other models and other versions have other identities, as
    /// far as their names differ.
    fn identity(&self) -> ModelId;

    /// Returns the preferred size of calls.
    fn batch_preference(&self) -> BatchPreference;

    /// Returns one vector per text, in order, all with the same number of components. The built-in
    /// model never fails; a model behind a server fails if the server is unreachable or its answer
    /// is invalid.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbeddingError>;
}

/// The preferred size of calls to an [`Embedder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchPreference {
    /// Any number of texts at any time: a call takes less time than reading them.
    Instant,
    /// Many texts per call, in the background: every call takes a while.
    Batches {
        /// The preferred number of texts per call.
        texts: usize,
    },
}
