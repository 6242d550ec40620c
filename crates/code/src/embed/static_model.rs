//! A vector for every token, and a text is the sum of its tokens.
//!
//! A row's length is the weight of its token: training starts at smooth inverse frequency
//! (Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings",
//! 2017) and moves from there. A token that occurs n times counts as the root of n.

use std::borrow::Cow;

use super::pieces::{Pieces, Token};
use super::{EmbedError, Embedder, ModelError, ModelId, Pace, Vector, format};

/// Trained on docstrings and their functions by `models/train.py`, which is described there.
static BUILT_IN: &[u8] = include_bytes!("static.bin");

/// Tokens of one text that are read; what comes after them is left out.
const TOKENS_MAX: usize = 1 << 16;

/// A table of int8 rows, one for each token.
#[derive(Debug)]
pub struct StaticModel {
    bytes: Cow<'static, [u8]>,
    rows_at: usize,
    dimensions: usize,
    scales: Vec<f32>,
    pieces: Pieces,
    identity: ModelId,
}

impl StaticModel {
    /// The model that is part of the program.
    pub fn built_in() -> Self {
        Self::read(BUILT_IN).expect("the built-in model is read by the tests")
    }

    /// The model in `bytes`, of the form that `models/train.py` writes.
    pub fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, ModelError> {
        let bytes = bytes.into();
        let parts = format::parse(&bytes)?;
        let hash = blake3::hash(&bytes).to_hex();
        let identity = ModelId::new(format!("static-{}-{}", parts.dimensions, &hash[..16]));
        let pieces = Pieces::new(&parts.vocabulary);
        let (rows_at, dimensions, scales) = (parts.rows_at, parts.dimensions, parts.scales);
        Ok(Self { bytes, rows_at, dimensions, scales, pieces, identity })
    }

    /// The number of components of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of one text; 0 throughout if it has no known token.
    pub fn vector(&self, text: &str) -> Vector {
        let mut tokens = self.pieces.tokens(text);
        tokens.truncate(TOKENS_MAX);
        // Sorted, equal ones are together, and sums are the same whatever the order of words.
        tokens.sort_unstable();
        let mut sum = vec![0.0_f32; self.dimensions];
        for same in tokens.chunk_by(|a, b| a == b) {
            self.add(same[0], (same.len() as f32).sqrt(), &mut sum);
        }
        Vector::normalized(sum)
    }

    fn add(&self, token: Token, weight: f32, sum: &mut [f32]) {
        let row = token.0 as usize;
        let start = self.rows_at + row * self.dimensions;
        let (Some(bytes), Some(scale)) =
            (self.bytes.get(start..start + self.dimensions), self.scales.get(row))
        else {
            return;
        };
        let weight = weight * scale;
        for (total, byte) in sum.iter_mut().zip(bytes) {
            *total += weight * f32::from(byte.cast_signed());
        }
    }
}

impl Embedder for StaticModel {
    fn identity(&self) -> ModelId {
        self.identity.clone()
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
