//! Errors of embedding models and their vectors.

use thiserror::Error;

use super::ModelId;

/// The reason why texts have no vectors.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EmbeddingError {
    #[error("the embedding model cannot be used")]
    Unusable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the embedding model returned {given} vectors for {asked} texts")]
    Count { asked: usize, given: usize },
    #[error(
        "the embedding model returned a vector of {given} dimensions, but others have \
         {expected}"
    )]
    Dimensions { expected: usize, given: usize },
    /// A text with words has the zero vector.
    #[error("the embedding model returned a zero vector for a text with words")]
    Zero,
    #[error("the model behind the name `{0}` has changed")]
    Changed(ModelId),
}

/// The reason why bytes are not a static model.
#[derive(Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum StaticModelError {
    /// The magic number is missing.
    #[error("not a static embedding model")]
    NotAModel,
    /// The model file has another format version.
    #[error("static embedding model of format {found}, expected {expected}")]
    Format { found: u32, expected: u32 },
    /// The length differs from the header's.
    #[error("static embedding model of {actual} bytes, its header says {expected}")]
    Length { expected: u64, actual: u64 },
    /// The header's number of tokens or dimensions is zero or too large.
    #[error("static embedding model of {tokens} tokens and {dimensions} dimensions")]
    Size { tokens: u32, dimensions: u32 },
    /// The vocabulary is not UTF-8, or not as many different words as there are rows.
    #[error("static embedding model with a broken vocabulary")]
    Vocabulary,
    /// The scale of a row is negative or not finite.
    #[error("static embedding model with a broken scale in row {row}")]
    Scale {
        /// The 0-based row.
        row: usize,
    },
}
