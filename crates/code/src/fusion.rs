//! One ranking out of several.
//!
//! It uses how far apart scores are, which is better than ranks alone: see `models/README.md`
//! for what was measured.

use std::collections::HashMap;

use crate::ranked::{DocumentId, Ranked, best};

/// What vectors count in [`by_score`] beside BM25 at 1; `models/README.md` has the figures.
pub const VECTORS_WEIGHT: f32 = 3.0;

/// What being a neighbour of the best counts against words and meaning together at 1;
/// BENCHMARKS.md has the figures.
pub const NEIGHBOURS_SHARE: f32 = 0.2;

/// How often a function's name is put before its text, for BM25 and for vectors: who looks
/// for a function uses the words of its name.
pub const NAME_REPETITIONS: usize = 2;

/// A list of documents, best first, and what it counts among others.
#[derive(Debug, Clone, Copy)]
pub struct Voice<'a> {
    /// Best first; each document at most once.
    pub ranking: &'a [Ranked],
    /// 1 for all is an equal vote.
    pub weight: f32,
}

/// The weighted sum of scores, each first divided by the best of its ranking, so that the
/// best counts `weight`. What a ranking does not hold, it gives 0.
pub fn by_score(voices: &[Voice<'_>], limit: usize) -> Vec<Ranked> {
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
    best(sums.into_iter().map(|(document, sum)| (document.index(), sum)), limit)
}
