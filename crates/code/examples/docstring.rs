//! How well functions are found by the first paragraph of their doc comment.
//!
//! ```text
//! cargo run --release -p foveal-code --example docstring -- WORK/eval_*.jsonl
//! ```
//!
//! The files are those of `models/pairs.py`: one JSON object a line, with `query`, `code`
//! and `name`. Every query is asked of all functions of its file. MRR@10 and recall@10;
//! equal scores count as the mean of the places they share.

use std::collections::HashMap;
use std::process::ExitCode;

use foveal_code::bm25::{Bm25Settings, Field, TextIndex};
use foveal_code::embed::{QuantizedVector, StaticModel, Vectors};
use foveal_code::fusion::{NAME_REPETITIONS, VECTORS_WEIGHT, Voice, by_score};
use foveal_code::ranked::{DocumentId, Ranked, best};

struct Pair {
    query: String,
    code: String,
    name: String,
}

/// What each way to rank gave for one query: the score of every function.
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
    let quantized = |text: &str| QuantizedVector::of(&model.vector(text));
    let mut vectors = [0, 1].map(|_| Vectors::new(model.dimensions()));
    let mut texts = [TextIndex::new(), TextIndex::new()];
    for pair in pairs {
        vectors[0].push(&quantized(&pair.code));
        // The name stands in the code once already.
        let again = format!("{}\n", pair.name).repeat(NAME_REPETITIONS);
        vectors[1].push(&quantized(&format!("{again}{}", pair.code)));
        let code = Field { text: &pair.code, weight: 1.0 };
        texts[0].push(&[code]);
        texts[1].push(&[code, Field { text: &pair.name, weight: NAME_REPETITIONS as f32 }]);
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

/// Every way to rank, first without and then with the name counting three times.
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
                .map(|(ranking, weight)| Voice { ranking, weight })
        };
        for (flatness, weight) in [(60.0, 1.0), (10.0, 1.0), (10.0, 2.0)] {
            let fused = by_rank(&voices(weight), flatness, count);
            let name = format!("by rank, flatness {flatness}, 1:{weight}{suffix}");
            rows.push((name, scores(&fused, count)));
        }
        for weight in [1.0, 2.0, VECTORS_WEIGHT, 4.0] {
            let fused = by_score(&voices(weight), count);
            rows.push((format!("by score, 1:{weight}{suffix}"), scores(&fused, count)));
        }
    }
    rows
}

fn ranked(scores: &Scores) -> Vec<Ranked> {
    best(scores.iter().copied().enumerate(), scores.len())
}

fn scores(ranking: &[Ranked], count: usize) -> Scores {
    let mut scores = vec![0.0; count];
    for ranked in ranking {
        scores[ranked.document.index()] = ranked.score;
    }
    scores
}

/// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): a document at place `p` of
/// a ranking, from 1, gets `weight / (flatness + p)` of it. The `limit` best, best first;
/// of equal ones the earlier document.
///
/// A `flatness` of 60 is usual; the smaller it is, the more the first places count.
fn by_rank(voices: &[Voice<'_>], flatness: f32, limit: usize) -> Vec<Ranked> {
    let mut sums: HashMap<DocumentId, f32> = HashMap::new();
    for voice in voices {
        for (place, ranked) in (1_u32..).zip(voice.ranking) {
            *sums.entry(ranked.document).or_default() +=
                voice.weight / (flatness.max(0.0) + place as f32);
        }
    }
    best(sums.into_iter().map(|(document, sum)| (document.index(), sum)), limit)
}
