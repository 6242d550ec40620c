//! Texts as vectors: near ones mean the same, whatever words they use.
//!
//! [`Embedder`] is what the index asks; [`StaticModel`] is the one that is built in and
//! needs no server. Vectors are kept as [`QuantizedVector`]s in [`Vectors`], with the
//! [`ModelId`] of their model: vectors of two models cannot be compared.

mod error;
mod format;
mod pieces;
mod static_model;
mod vectors;

use std::fmt;

pub use error::{EmbedError, ModelError};
pub use static_model::StaticModel;
pub use vectors::{QuantizedVector, Vectors};

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

/// The name of a model that vectors were made with; equal only for the same model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(String);

impl ModelId {
    /// The identity written `name`, such as `static-256-0123456789abcdef`.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// As it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A direction: components of length 1 together, or all 0 for a text that says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// `components` brought to length 1. What has no length, or one that is no number,
    /// becomes 0 throughout.
    pub fn normalized(mut components: Vec<f32>) -> Self {
        let length = components.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
        let factor = if length.is_finite() && length > 0.0 { 1.0 / length } else { 0.0 };
        for component in &mut components {
            let scaled = (f64::from(*component) * factor) as f32;
            *component = if scaled.is_finite() { scaled } else { 0.0 };
        }
        Self(components)
    }

    /// The components.
    pub fn components(&self) -> &[f32] {
        &self.0
    }

    /// The cosine between two vectors of the same model, -1 to 1; 0 with a vector of 0.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}
