//! The fusion of several rankings into one.
//!
//! It uses the distances between scores, which works better than ranks alone: see
//! `models/README.md` for the measurements.

use std::collections::HashMap;

use crate::ranking::{DocumentId, RankedDocument, top_documents};

/// The weight of vectors in [`fuse_by_score`], where BM25 has 1; `models/README.md` has the
/// figures.
pub const VECTORS_WEIGHT: f32 = 3.0;

/// The weight of neighbours of the best documents, where words and meaning together have 1. With
/// more, a search finds more of the right files, but ranks the functions in them worse.
pub const NEIGHBOURS_SHARE: f32 = 0.2;

/// How often a function's name is repeated before its text, for BM25 and for vectors: queries for a
/// function use the words of its name.
pub const NAME_REPETITIONS: usize = 2;

/// A ranking and its weight in a fusion.
#[derive(Debug, Clone, Copy)]
pub struct WeightedRanking<'a> {
    /// The documents, best first; each at most once.
    pub ranking: &'a [RankedDocument],
    /// The weight. Equal weights give equal votes.
    pub weight: f32,
}

/// Returns the `limit` documents with the highest weighted sum of scores. Each score is first
/// divided by the best of its ranking, so that the best contributes `weight`; a document missing
/// from a ranking gets 0 from it.
pub fn fuse_by_score(voices: &[WeightedRanking<'_>], limit: usize) -> Vec<RankedDocument> {
    let mut sums: HashMap<DocumentId, f32> = HashMap::new();
    for voice in voices {
        let top = voice.ranking.iter().map(|ranked| ranked.score).fold(0.0, f32::max);
        if top <= 0.0 {
            continue;
        }
        for ranked in voice.ranking {
            *sums.entry(ranked.document).or_default() += voice.weight * ranked.score / top;
        }
    }
    top_documents(sums.into_iter().map(|(document, sum)| (document.index(), sum)), limit)
}
