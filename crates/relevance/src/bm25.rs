//! BM25 over texts in memory: an inverted index and its scores.
//!
//! After Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
//! The fields of a document are weighted before saturation. The inverse document frequency is the
//! variant that stays positive, `ln(1 + (N - n + 0.5) / (n + 0.5))`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::ranking::{DocumentId, RankedDocument, top_documents};
use crate::terms::search_terms;

/// The parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bm25Settings {
    /// The saturation of term frequency: 0 ignores repetitions. Usually 1.2.
    pub k1: f32,
    /// The normalisation by document length, 0 to 1. Usually 0.75.
    pub b: f32,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// A part of a document and the weight of its terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedField<'a> {
    /// The text, as [`search_terms`] splits it.
    pub text: &'a str,
    /// The weight of one occurrence: 1 for plain text, more for a name. Not negative.
    pub weight: f32,
}

struct Posting {
    document: DocumentId,
    frequency: f32,
}

/// An inverted index over documents that are numbered in order of insertion.
#[derive(Default)]
pub struct TextIndex {
    postings: HashMap<String, Vec<Posting>>,
    /// The weighted number of terms of each document.
    lengths: Vec<f32>,
    length_sum: f64,
}

impl TextIndex {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Adds a document and returns its id, the number of documents before it.
    pub fn push(&mut self, fields: &[WeightedField<'_>]) -> DocumentId {
        let document = DocumentId::from_index(self.lengths.len());
        let mut frequencies: HashMap<String, f32> = HashMap::new();
        let mut length = 0.0;
        for field in fields {
            for term in search_terms(field.text) {
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

    /// Returns the score of every document for `query`, in document order; 0 if no term is shared.
    ///
    /// A repeated term of the query counts once.
    pub fn scores(&self, query: &str, settings: Bm25Settings) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        let mut wanted = search_terms(query);
        wanted.sort_unstable();
        wanted.dedup();
        let mean = self.mean_length();
        for term in &wanted {
            let Some(postings) = self.postings.get(term) else { continue };
            let weight = inverse_document_frequency(self.lengths.len(), postings.len());
            for posting in postings {
                let index = posting.document.index();
                let length = self.lengths[index] / mean;
                scores[index] += weight * saturated_frequency(posting.frequency, length, settings);
            }
        }
        scores
    }

    /// Returns the `limit` best documents that share a term with `query`, best first; of equal ones
    /// the earlier first.
    pub fn search(&self, query: &str, settings: Bm25Settings, limit: usize) -> Vec<RankedDocument> {
        let scores = self.scores(query, settings);
        top_documents(scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0), limit)
    }

    fn mean_length(&self) -> f32 {
        let mean = self.length_sum / self.lengths.len().max(1) as f64;
        // If all documents have weight 0, the mean would be 0 and each length a division by zero.
        mean.max(f64::from(f32::MIN_POSITIVE)) as f32
    }
}

/// Returns the weight of a term that `containing` of `documents` documents have; always positive.
pub fn inverse_document_frequency(documents: usize, containing: usize) -> f32 {
    let (all, with) = (documents as f32, containing as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the factor, up to `k1 + 1`, of a term's weight for a document: `frequency` is the
/// weighted count in the document, `length` the document's length relative to the mean.
pub fn saturated_frequency(frequency: f32, length: f32, settings: Bm25Settings) -> f32 {
    let Bm25Settings { k1, b } = settings;
    let floor = k1 * (1.0 - b + b * length);
    if frequency <= 0.0 { 0.0 } else { frequency * (k1 + 1.0) / (frequency + floor) }
}
