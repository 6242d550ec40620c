//! BM25 over texts in memory: an inverted index and its scores.
//!
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
//! (2009), with the fields of a document weighted before saturation, and the inverse
//! document frequency that stays positive, `ln(1 + (N - n + 0.5) / (n + 0.5))`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::ranked::{DocumentId, Ranked, best};
use crate::terms::terms;

/// How term frequency and length count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bm25Settings {
    /// How soon repetitions stop to count: 0 is at once. Usual: 1.2.
    pub k1: f32,
    /// How much a long document is held against it, 0 to 1. Usual: 0.75.
    pub b: f32,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// A part of a document: its text, and how often each of its terms counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field<'a> {
    /// The text, as [`terms`] reads it.
    pub text: &'a str,
    /// What one occurrence counts; 1 for plain text, more for a name. Not negative.
    pub weight: f32,
}

struct Posting {
    document: DocumentId,
    frequency: f32,
}

/// An inverted index over documents numbered in the order in which they came.
#[derive(Default)]
pub struct TextIndex {
    postings: HashMap<String, Vec<Posting>>,
    /// Weighted number of terms of each document.
    lengths: Vec<f32>,
    length_sum: f64,
}

impl TextIndex {
    /// An index without documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Takes in one document; its number is the count of those before it.
    pub fn push(&mut self, fields: &[Field<'_>]) -> DocumentId {
        let document = DocumentId::of_index(self.lengths.len());
        let mut frequencies: HashMap<String, f32> = HashMap::new();
        let mut length = 0.0;
        for field in fields {
            for term in terms(field.text) {
                *frequencies.entry(term).or_default() += field.weight;
                length += field.weight;
            }
        }
        for (term, frequency) in frequencies {
            self.postings.entry(term).or_default().push(Posting { document, frequency });
        }
        self.lengths.push(length);
        self.length_sum += f64::from(length);
        document
    }

    /// The score of every document for `query`, in their order; 0 where no term is shared.
    ///
    /// A term counts once, however often the query repeats it.
    pub fn scores(&self, query: &str, settings: Bm25Settings) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mut wanted = terms(query);
        wanted.sort_unstable();
        wanted.dedup();
        let mean = self.mean_length();
        for term in &wanted {
            let Some(postings) = self.postings.get(term) else { continue };
            let weight = inverse_document_frequency(self.lengths.len(), postings.len());
            for posting in postings {
                let index = posting.document.index();
                let length = self.lengths[index] / mean;
                scores[index] += weight * saturated(posting.frequency, length, settings);
            }
        }
        scores
    }

    /// The `limit` best documents that share a term with `query`, best first; of equal
    /// ones the earlier.
    pub fn search(&self, query: &str, settings: Bm25Settings, limit: usize) -> Vec<Ranked> {
        let scores = self.scores(query, settings);
        best(scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0), limit)
    }

    fn mean_length(&self) -> f32 {
        let mean = self.length_sum / self.lengths.len().max(1) as f64;
        // Documents of weight 0 alone would make every length a division by zero.
        mean.max(f64::from(f32::MIN_POSITIVE)) as f32
    }
}

/// What a term counts that is in `containing` of `documents` documents; always positive.
pub fn inverse_document_frequency(documents: usize, containing: usize) -> f32 {
    let (all, with) = (documents as f32, containing as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// The share of a term's weight that a document gets, up to `k1 + 1`: `frequency` is the
/// weighted count there, `length` the document's length relative to the mean.
pub fn saturated(frequency: f32, length: f32, settings: Bm25Settings) -> f32 {
    let Bm25Settings { k1, b } = settings;
    let floor = k1 * (1.0 - b + b * length);
    if frequency <= 0.0 { 0.0 } else { frequency * (k1 + 1.0) / (frequency + floor) }
}
