//! One ranking out of several.
//!
//! [`by_rank`] needs no scores that compare; [`by_score`] uses how far apart they are, and
//! is better where they are known: see `models/README.md` for what was measured.

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

/// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a document at place `p` of
/// a ranking, from 1, gets `weight / (flatness + p)` of it. The `limit` best, best first;
/// of equal ones the earlier document.
///
/// A `flatness` of 60 is usual; the smaller it is, the more the first places count.
pub fn by_rank(voices: &[Voice<'_>], flatness: f32, limit: usize) -> Vec<Ranked> {
    let mut sums: HashMap<DocumentId, f32> = HashMap::new();
    for voice in voices {
        for (place, ranked) in (1_u32..).zip(voice.ranking) {
            *sums.entry(ranked.document).or_default() +=
                voice.weight / (flatness.max(0.0) + place as f32);
        }
    }
    best(sums.into_iter().map(|(document, sum)| (document.index(), sum)), limit)
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
