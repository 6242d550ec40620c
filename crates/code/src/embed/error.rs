//! What can go wrong with models and their vectors.

use thiserror::Error;

use super::ModelId;

/// Why texts have no vectors.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The model could not be asked.
    #[error("the embedding model cannot be used")]
    Unusable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model answered for another number of texts.
    #[error("the embedding model gave {given} vectors for {asked} texts")]
    Count {
        /// Texts that were sent.
        asked: usize,
        /// Vectors that came back.
        given: usize,
    },
    /// A vector has another size than the others.
    #[error("the embedding model gave a vector of {given} components beside one of {expected}")]
    Dimensions {
        /// Components of the others.
        expected: usize,
        /// Components of the vector.
        given: usize,
    },
    /// A text that says something has the vector of nothing.
    #[error("the embedding model gave a vector of 0 for a text with words")]
    Zero,
    /// Behind the same name is another model than before.
    #[error("another model answers to the name `{0}` than before")]
    Changed(ModelId),
}

/// Why bytes are no static model.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// The first bytes are not those of a model file.
    #[error("not a static embedding model")]
    NotAModel,
    /// A model file of another format.
    #[error("static embedding model of format {found}, expected {expected}")]
    Format {
        /// The format in the file.
        found: u32,
        /// The one this program reads.
        expected: u32,
    },
    /// The header asks for more or fewer bytes than there are.
    #[error("static embedding model of {actual} bytes, its header says {expected}")]
    Length {
        /// What the header adds up to, in bytes.
        expected: u64,
        /// Bytes of the file.
        actual: u64,
    },
    /// The header says there are no tokens or no dimensions, or too many.
    #[error("static embedding model of {tokens} tokens and {dimensions} dimensions")]
    Size {
        /// Tokens by the header.
        tokens: u32,
        /// Dimensions by the header.
        dimensions: u32,
    },
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
