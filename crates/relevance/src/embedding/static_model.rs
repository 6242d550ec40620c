//! The static model: a vector per token; the vector of a text is the sum of its tokens' vectors.
//!
//! The length of a row is the weight of its token: training starts at smooth inverse frequency
//! (Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", 2017) and
//! moves from there. A token that occurs n times has the weight √n.

use std::borrow::Cow;

use super::subword_tokenizer::{SubwordTokenizer, TokenId};
use super::{
    BatchPreference, Embedder, EmbeddingError, ModelId, StaticModelError, Vector, model_file,
};

/// Trained on docstrings and their functions by `models/train.py`, which documents it.
static BUILT_IN_MODEL: &[u8] = include_bytes!("static.bin");

/// The number of tokens of a text that are used; later ones are ignored.
const TOKENS_MAX: usize = 1 << 16;

/// A table of int8 rows, one per token.
#[derive(Debug)]
pub struct StaticModel {
    bytes: Cow<'static, [u8]>,
    rows_offset: usize,
    dimensions: usize,
    scales: Vec<f32>,
    tokenizer: SubwordTokenizer,
    identity: ModelId,
}

impl StaticModel {
    /// Returns the built-in model.
    pub fn built_in() -> Self {
        Self::from_bytes(BUILT_IN_MODEL).expect("the built-in model is read by the tests")
    }

    /// Parses a model from `bytes`, in the format that `models/train.py` writes.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, StaticModelError> {
        let bytes = bytes.into();
        let parts = model_file::parse_model_file(&bytes)?;
        let hash = blake3::hash(&bytes).to_hex();
        let identity = ModelId::new(format!("static-{}-{}", parts.dimensions, &hash[..16]));
        let pieces = SubwordTokenizer::new(&parts.vocabulary);
        let (rows_at, dimensions, scales) = (parts.rows_offset, parts.dimensions, parts.scales);
        Ok(Self { bytes, rows_offset: rows_at, dimensions, scales, tokenizer: pieces, identity })
    }

    /// Returns the number of components of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the vector of `text`; zero if it has no known token.
    pub fn embed_text(&self, text: &str) -> Vector {
        let mut tokens = self.tokenizer.tokenize(text);
        tokens.truncate(TOKENS_MAX);
        // Sorting groups equal tokens and makes the sum independent of word order.
        tokens.sort_unstable();
        let mut sum = vec![0.0_f32; self.dimensions];
        for same in tokens.chunk_by(|a, b| a == b) {
            self.add_token_row(same[0], (same.len() as f32).sqrt(), &mut sum);
        }
        Vector::normalized(sum)
    }

    fn add_token_row(&self, token: TokenId, weight: f32, sum: &mut [f32]) {
        let row = token.0 as usize;
        let start = self.rows_offset + row * self.dimensions;
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

    fn batch_preference(&self) -> BatchPreference {
        BatchPreference::Instant
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbeddingError> {
        Ok(texts.iter().map(|text| self.embed_text(text)).collect())
    }
}
