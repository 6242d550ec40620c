//! Texts as vectors: near ones mean the same, whatever words they use.
//!
//! [`Embedder`] is what the index asks; [`StaticModel`] is the one that is built in and
//! needs no server. Vectors are kept as [`QuantizedVector`]s in [`Vectors`], with the
//! [`ModelId`] of their model: vectors of two models cannot be compared.

mod embedder;
mod error;
mod format;
mod model_id;
mod pieces;
mod static_model;
mod vector;
mod vectors;

pub use embedder::{Embedder, Pace};
pub use error::{EmbedError, ModelError};
pub use model_id::ModelId;
pub use static_model::StaticModel;
pub use vector::Vector;
pub use vectors::{QuantizedVector, Vectors};
