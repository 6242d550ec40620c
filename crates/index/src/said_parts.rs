//! What models say of files, as it is searched.

use std::collections::BTreeSet;
use std::sync::Arc;

use foveal_code::embed::Vector;

use crate::said::{Said, ThingSummary};
use crate::search::Hit;

/// What is said, ready to be searched.
#[derive(Debug, Default)]
pub(crate) struct SaidParts {
    pub(crate) files: Arc<Vec<(String, Said)>>,
    pub(crate) parts: Vec<SaidPart>,
}

/// What is said of one thing.
#[derive(Debug)]
pub(crate) struct SaidPart {
    pub(crate) path: String,
    pub(crate) summary: ThingSummary,
    pub(crate) terms: BTreeSet<String>,
    /// Where vectors are made at once.
    pub(crate) vector: Option<Vector>,
}

impl SaidPart {
    /// Whether it is about what a hit shows.
    pub(crate) fn is_of(&self, hit: &Hit) -> bool {
        hit.path == self.path && hit.name == self.summary.name
    }

    /// What it has in common with a question, 0 to 1.
    pub(crate) fn likeness(&self, asked: &BTreeSet<String>, vector: Option<&Vector>) -> f32 {
        let shared = asked.intersection(&self.terms).count() as f32;
        let words = shared / asked.len().max(1) as f32;
        let cosine = vector.zip(self.vector.as_ref()).map_or(0.0, |(one, other)| one.cosine(other));
        words.max(cosine)
    }
}
