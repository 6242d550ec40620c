//! What can go wrong with models and their vectors.

use thiserror::Error;

use super::ModelId;

/// Why texts have no vectors.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EmbedError {
    #[error("the embedding model cannot be used")]
    Unusable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the embedding model gave {given} vectors for {asked} texts")]
    Count { asked: usize, given: usize },
    #[error("the embedding model gave a vector of {given} components beside one of {expected}")]
    Dimensions { expected: usize, given: usize },
    /// A text that says something has the vector of nothing.
    #[error("the embedding model gave a vector of 0 for a text with words")]
    Zero,
    #[error("another model answers to the name `{0}` than before")]
    Changed(ModelId),
}

/// Why bytes are no static model.
#[derive(Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ModelError {
    /// The first bytes are not those of a model file.
    #[error("not a static embedding model")]
    NotAModel,
    /// A model file of another format.
    #[error("static embedding model of format {found}, expected {expected}")]
    Format { found: u32, expected: u32 },
    /// The header asks for more or fewer bytes than there are.
    #[error("static embedding model of {actual} bytes, its header says {expected}")]
    Length { expected: u64, actual: u64 },
    /// The header says there are no tokens or no dimensions, or too many.
    #[error("static embedding model of {tokens} tokens and {dimensions} dimensions")]
    Size { tokens: u32, dimensions: u32 },
    /// The vocabulary is not UTF-8, or not as many different words as there are rows.
    #[error("static embedding model with a broken vocabulary")]
    Vocabulary,
    /// The scale of a row is no positive number.
    #[error("static embedding model with a broken scale in row {row}")]
    Scale {
        /// The row, from 0.
        row: usize,
    },
}
