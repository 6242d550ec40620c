//! Measures how well queries find functions by the first paragraph of their doc comment.
//!
//! ```text
//! cargo run --release -p foveal-relevance --example docstring -- WORK/eval_*.jsonl
//! ```
//!
//! `models/pairs.py` writes the files: one JSON object per line, with `query`, `code` and `name`.
//! Each query ranks all functions of its file. Prints MRR@10 and recall@10; equal scores share the
//! mean of their places.

use std::collections::HashMap;
use std::process::ExitCode;

use foveal_relevance::bm25::{Bm25Settings, TextIndex, WeightedField};
use foveal_relevance::embedding::{QuantizedVector, StaticModel, VectorTable};
use foveal_relevance::ranking::{DocumentId, RankedDocument, top_documents};
use foveal_relevance::score_fusion::{
    NAME_REPETITIONS, VECTORS_WEIGHT, WeightedRanking, fuse_by_score,
};

struct Pair {
    query: String,
    code: String,
    name: String,
}

/// The score of every function for one query by one ranking method.
type Scores = Vec<f32>;

#[derive(Default)]
struct Measure {
    reciprocal: f64,
    recalled: f64,
    queries: f64,
}

impl Measure {
    fn take(&mut self, scores: &[f32], own: usize) {
        let better = scores.iter().filter(|score| **score > scores[own]).count() as f64;
        let equal = scores.iter().filter(|score| **score == scores[own]).count() as f64;
        let place = better + (equal - 1.0) / 2.0 + 1.0;
        self.queries += 1.0;
        if place <= 10.0 {
            self.reciprocal += 1.0 / place;
            self.recalled += 1.0;
        }
    }
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: docstring PAIRS.jsonl…");
        return ExitCode::FAILURE;
    }
    for path in paths {
        let Some(pairs) = read(&path) else {
            eprintln!("{path}: not a file of pairs");
            return ExitCode::FAILURE;
        };
        println!("{path}: {} pairs", pairs.len());
        for (name, measure) in measured(&pairs) {
            let of = |sum: f64| sum / measure.queries;
            println!("  {name:<36} {:.3} {:.3}", of(measure.reciprocal), of(measure.recalled));
        }
    }
    ExitCode::SUCCESS
}

fn read(path: &str) -> Option<Vec<Pair>> {
    let text = std::fs::read_to_string(path).ok()?;
    let pair = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Pair { query: text("query")?, code: text("code")?, name: text("name")? })
    };
    text.lines().map(pair).collect::<Option<Vec<_>>>().filter(|pairs| !pairs.is_empty())
}

fn measured(pairs: &[Pair]) -> Vec<(String, Measure)> {
    let model = StaticModel::built_in();
    let quantized = |text: &str| QuantizedVector::from_vector(&model.embed_text(text));
    let mut vectors = [0, 1].map(|_| VectorTable::new(model.dimensions()));
    let mut texts = [TextIndex::new(), TextIndex::new()];
    for pair in pairs {
        vectors[0].push(&quantized(&pair.code));
        // The code already contains the name once.
        let again = format!("{}\n", pair.name).repeat(NAME_REPETITIONS);
        vectors[1].push(&quantized(&format!("{again}{}", pair.code)));
        let code = WeightedField { text: &pair.code, weight: 1.0 };
        texts[0].push(&[code]);
        texts[1].push(&[code, WeightedField { text: &pair.name, weight: NAME_REPETITIONS as f32 }]);
    }
    let mut table: Vec<(String, Measure)> = Vec::new();
    for (own, pair) in pairs.iter().enumerate() {
        let question = quantized(&pair.query);
        let lexical = texts.each_ref().map(|t| t.scores(&pair.query, Bm25Settings::default()));
        let meaning = vectors.each_ref().map(|v| v.cosines(&question));
        for (place, (name, scores)) in rows(&lexical, &meaning).into_iter().enumerate() {
            if place == table.len() {
                table.push((name, Measure::default()));
            }
            table[place].1.take(&scores, own);
        }
    }
    table
}

/// Returns the scores of all ranking methods, first without and then with triple weight for the
/// name.
fn rows(lexical: &[Scores; 2], meaning: &[Scores; 2]) -> Vec<(String, Scores)> {
    let mut rows = Vec::new();
    for (which, suffix) in [(0, ""), (1, ", names x3")] {
        let (words, cosines) = (&lexical[which], &meaning[which]);
        let count = words.len();
        rows.push((format!("BM25{suffix}"), words.clone()));
        rows.push((format!("vectors{suffix}"), cosines.clone()));
        let lists = [ranked(words), ranked(cosines)];
        let voices = |weight: f32| {
            [(&lists[0], 1.0), (&lists[1], weight)]
                .map(|(ranking, weight)| WeightedRanking { ranking, weight })
        };
        for (flatness, weight) in [(60.0, 1.0), (10.0, 1.0), (10.0, 2.0)] {
            let fused = by_rank(&voices(weight), flatness, count);
            let name = format!("by rank, flatness {flatness}, 1:{weight}{suffix}");
            rows.push((name, scores(&fused, count)));
        }
        for weight in [1.0, 2.0, VECTORS_WEIGHT, 4.0] {
            let fused = fuse_by_score(&voices(weight), count);
            rows.push((format!("by score, 1:{weight}{suffix}"), scores(&fused, count)));
        }
    }
    rows
}

fn ranked(scores: &Scores) -> Vec<RankedDocument> {
    top_documents(scores.iter().copied().enumerate(), scores.len())
}

fn scores(ranking: &[RankedDocument], count: usize) -> Scores {
    let mut scores = vec![0.0; count];
    for ranked in ranking {
        scores[ranked.document.index()] = ranked.score;
    }
    scores
}

/// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a document at 1-based place `p` of
/// a ranking gets `weight / (flatness + p)`. Returns the `limit` best, best first; of equal ones
/// the earlier document first.
///
/// The usual `flatness` is 60; a smaller one gives the first places more weight.
fn by_rank(voices: &[WeightedRanking<'_>], flatness: f32, limit: usize) -> Vec<RankedDocument> {
    let mut sums: HashMap<DocumentId, f32> = HashMap::new();
    for voice in voices {
        for (place, ranked) in (1_u32..).zip(voice.ranking) {
            *sums.entry(ranked.document).or_default() +=
                voice.weight / (flatness.max(0.0) + place as f32);
        }
    }
    top_documents(sums.into_iter().map(|(document, sum)| (document.index(), sum)), limit)
}
