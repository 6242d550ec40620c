//! The signal of the query's intent, with equal values for all units of a file.

use super::{RelevanceSignal, query_words};
use crate::curation::curation_input::CurationInput;

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "wording",
    columns: &[
        "terms",
        "found",
        "best",
        "fixes",
        "adds",
        "removes",
        "renames",
        "documents",
        "tests",
        "words of path",
        "identifiers",
    ],
    reason_column: None,
    compute: compute_columns,
};

/// Stemmed words, in lower case, by the intent that they express.
const INTENT_WORDS: &[&[&str]] = &[
    &["fix", "bug", "correct", "handle", "crash", "error", "wrong", "issue"],
    &["add", "support", "implement", "new", "introduce", "allow", "provide"],
    &["remov", "delet", "drop", "unused", "deprecat"],
    &["renam", "mov", "refactor", "cleanup", "clean", "simplify", "split", "extract"],
    &["doc", "comment", "typo", "readme", "spell", "document", "changelog", "docstr"],
    &["test", "tests"],
];

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let asked = &scene.query_terms;
    let all: f32 = scene.idf.iter().sum::<f32>().max(1e-6);
    let mut held = vec![false; scene.idf.len()];
    for term in scene.row_terms.iter().flat_map(|row| &row.term_numbers) {
        held[*term] = true;
    }
    let found = held.iter().filter(|held| **held).count() as f32 / held.len().max(1) as f32;
    let best = query_words::entity_scores(scene, &scene.idf).into_iter().fold(0.0, f32::max) / all;
    let path = scene.query_overlap(scene.path).0;
    let same = |value: f32| vec![value; scene.units.len()];
    let mut columns = vec![same((asked.weights.len() as f32).ln_1p()), same(found), same(best)];
    for deeds in INTENT_WORDS {
        let does = |word: &&str| asked.terms.get(*word).is_some_and(|term| asked.in_task[*term]);
        columns.push(same(f32::from(deeds.iter().any(does))));
    }
    columns.push(same(path));
    columns.push(same((asked.identifiers.len() as f32).ln_1p()));
    columns
}
