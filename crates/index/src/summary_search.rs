//! Search in model summaries.

use std::collections::BTreeSet;
use std::sync::Arc;

use foveal_relevance::embedding::Vector;

use crate::model_summary::{EntitySummary, ModelSummary};
use crate::search_hit::SearchHit;

/// All model summaries in searchable form.
#[derive(Debug, Default)]
pub(crate) struct SearchableSummaries {
    pub(crate) files: Arc<Vec<(String, ModelSummary)>>,
    pub(crate) entities: Vec<SearchableSummary>,
}

/// The summary of one entity in searchable form.
#[derive(Debug)]
pub(crate) struct SearchableSummary {
    pub(crate) path: String,
    pub(crate) summary: EntitySummary,
    pub(crate) terms: BTreeSet<String>,
    /// The vector of the summary, if the embedder is instant.
    pub(crate) vector: Option<Vector>,
}

impl SearchableSummary {
    /// Returns whether the summary is about the entity of a hit.
    pub(crate) fn describes(&self, hit: &SearchHit) -> bool {
        hit.path == self.path && hit.name == self.summary.name
    }

    /// Returns the similarity to a query, 0 to 1.
    pub(crate) fn similarity(&self, asked: &BTreeSet<String>, vector: Option<&Vector>) -> f32 {
        let shared = asked.intersection(&self.terms).count() as f32;
        let words = shared / asked.len().max(1) as f32;
        let cosine = vector.zip(self.vector.as_ref()).map_or(0.0, |(one, other)| one.cosine(other));
        words.max(cosine)
    }
}
