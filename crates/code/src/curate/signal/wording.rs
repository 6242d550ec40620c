//! What sort of change or look the question is about, the same for all units.

use super::{Signal, words};
use crate::curate::scene::Scene;

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: None,
    fill,
};

/// Words, in lower case and without endings, that tell what is done.
const DEEDS: &[&[&str]] = &[
    &["fix", "bug", "correct", "handle", "crash", "error", "wrong", "issue"],
    &["add", "support", "implement", "new", "introduce", "allow", "provide"],
    &["remov", "delet", "drop", "unused", "deprecat"],
    &["renam", "mov", "refactor", "cleanup", "clean", "simplify", "split", "extract"],
    &["doc", "comment", "typo", "readme", "spell", "document", "changelog", "docstr"],
    &["test", "tests"],
];

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let asked = &scene.asked;
    let all: f32 = scene.idf.iter().sum::<f32>().max(1e-6);
    let mut held = vec![false; scene.idf.len()];
    for term in scene.counted.iter().flat_map(|row| &row.asked) {
        held[*term] = true;
    }
    let found = held.iter().filter(|held| **held).count() as f32 / held.len().max(1) as f32;
    let best = words::entities(scene, &scene.idf).into_iter().fold(0.0, f32::max) / all;
    let path = scene.overlap(scene.path).0;
    let same = |value: f32| vec![value; scene.units.len()];
    let mut columns = vec![same((asked.weights.len() as f32).ln_1p()), same(found), same(best)];
    for deeds in DEEDS {
        let does = |word: &&str| asked.terms.get(*word).is_some_and(|term| asked.in_task[*term]);
        columns.push(same(f32::from(deeds.iter().any(does))));
    }
    columns.push(same(path));
    columns.push(same((asked.identifiers.len() as f32).ln_1p()));
    columns
}
