//! Tests of the inverted index against scores computed from the texts alone.

use foveal_relevance::bm25::{Bm25Settings, TextIndex, WeightedField};
use foveal_relevance::terms::search_terms;
use proptest::prelude::*;

type Document = Vec<(String, f32)>;

fn index(documents: &[Document]) -> TextIndex {
    let mut index = TextIndex::new();
    for document in documents {
        let fields: Vec<WeightedField<'_>> =
            document.iter().map(|(text, weight)| WeightedField { text, weight: *weight }).collect();
        index.push(&fields);
    }
    index
}

fn count(document: &Document, term: Option<&str>) -> f64 {
    let of = |text: &str| {
        search_terms(text).iter().filter(|t| term.is_none_or(|wanted| *t == wanted)).count()
    };
    document.iter().map(|(text, weight)| of(text) as f64 * f64::from(*weight)).sum()
}

/// Applies the formula document by document and term by term.
fn reference(documents: &[Document], query: &str, settings: Bm25Settings) -> Vec<f64> {
    let (k1, b) = (f64::from(settings.k1), f64::from(settings.b));
    let all = documents.len() as f64;
    let mean = documents.iter().map(|d| count(d, None)).sum::<f64>() / all;
    let mut wanted = search_terms(query);
    wanted.sort();
    wanted.dedup();
    let score = |document: &Document| {
        wanted.iter().fold(0.0, |sum, term| {
            let with = documents.iter().filter(|d| count(d, Some(term)) > 0.0).count() as f64;
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            let found = count(document, Some(term));
            let length = 1.0 - b + b * count(document, None) / mean;
            sum + if found > 0.0 {
                rarity * found * (k1 + 1.0) / (found + k1 * length)
            } else {
                0.0
            }
        })
    };
    documents.iter().map(score).collect()
}

#[test]
fn the_rarer_and_the_denser_word_wins() {
    let text = |text: &str| vec![(text.to_owned(), 1.0)];
    let documents = [
        text("open a file"),
        text("open a socket and read"),
        text("read file, file name"),
        text(""),
    ];
    let check = |query: &str, expected: &[u32]| {
        let found = index(&documents).search(query, Bm25Settings::default(), 10);
        let places: Vec<u32> = found.iter().map(|ranked| ranked.document.0).collect();
        assert_eq!(places, expected, "{query}");
    };
    check("files", &[2, 0]);
    check("reading sockets", &[1, 2]);
    check("the", &[]);
    check("absent", &[]);
    check("", &[]);
}

#[test]
fn a_weighted_field_counts_more() {
    let documents = [
        vec![("read".to_owned(), 1.0), ("write".to_owned(), 1.0)],
        vec![("write".to_owned(), 1.0), ("read".to_owned(), 3.0)],
    ];
    let found = index(&documents).search("read", Bm25Settings::default(), 1);
    assert_eq!(found[0].document.0, 1);
}

#[test]
fn nothing_is_found_in_nothing() {
    assert!(TextIndex::new().search("file", Bm25Settings::default(), 3).is_empty());
    let blank = index(&[vec![], vec![("file".to_owned(), 0.0)]]);
    assert_eq!(blank.scores("file", Bm25Settings::default()), [0.0, 0.0]);
}

proptest! {
    #[test]
    fn scores_are_those_of_the_formula(
        documents in prop::collection::vec(
            prop::collection::vec(("[a-e]{1,2}( [a-e]{1,2}){0,6}", prop::sample::select(vec![1.0_f32, 2.0, 2.5])), 1..3),
            1..12,
        ),
        query in "[a-e]{1,2}( [a-e]{1,2}){0,4}",
        k1 in 0.0_f32..3.0,
        b in 0.0_f32..1.0,
    ) {
        let settings = Bm25Settings { k1, b };
        let expected = reference(&documents, &query, settings);
        let found = index(&documents).scores(&query, settings);
        for (score, wanted) in found.iter().zip(&expected) {
            prop_assert!((f64::from(*score) - wanted).abs() < 1e-4 * wanted.max(1.0), "{found:?} {expected:?}");
        }
        let best = index(&documents).search(&query, settings, 3);
        prop_assert!(best.is_sorted_by(|a, b| a >= b));
        prop_assert_eq!(best.len(), found.iter().filter(|score| **score > 0.0).count().min(3));
    }
}
