//! Embeddings: vectors of texts that are near each other when the texts mean the same, whatever
//! words they use.
//!
//! [`Embedder`] is the interface for the index; [`StaticModel`] is the built-in model, which needs
//! no server. [`VectorTable`] stores vectors as [`QuantizedVector`]s. Vectors of models with
//! different [`ModelId`]s cannot be compared.

mod embedder;
mod error;
mod model_file;
mod model_id;
mod static_model;
mod subword_tokenizer;
mod vector;
mod vector_table;

pub use embedder::{BatchPreference, Embedder};
pub use error::{EmbeddingError, StaticModelError};
pub use model_id::ModelId;
pub use static_model::StaticModel;
pub use vector::Vector;
pub use vector_table::{QuantizedVector, VectorTable};
