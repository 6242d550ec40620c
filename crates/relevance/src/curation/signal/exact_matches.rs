//! The signal of exact matches with the query's identifiers, words and quoted strings.

use std::collections::HashMap;

use super::RelevanceSignal;
use crate::bm25::inverse_document_frequency;
use crate::curation::curation_input::{CurationInput, relative_to_max, row_identifiers};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "identifier",
    columns: &[
        "unit",
        "unit relative",
        "near relative",
        "entity relative",
        "string",
        "string near",
        "word",
        "word near",
    ],
    reason_column: Some(1),
    compute: compute_columns,
};

/// The number of rows around a unit that count as near.
const NEAR_ROWS: usize = 5;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let exact = row_weights(scene, |word| scene.query_terms.identifiers.get(word).copied());
    let words = row_weights(scene, |word| {
        scene
            .query_terms
            .words
            .get(word)
            .or_else(|| scene.query_terms.words.get(&word.to_lowercase()))
            .copied()
    });
    let strings: Vec<f32> = scene
        .rows
        .iter()
        .map(|row| {
            let held = scene
                .query_terms
                .strings
                .iter()
                .filter(|(string, _)| row.contains(string.as_str()));
            held.map(|(_, weight)| *weight).fold(0.0, f32::max)
        })
        .collect();
    let unit = combine_nearby_rows(scene, &exact, 0, |a, b| a + b);
    let mut entity = vec![0.0_f32; scene.parsed.entities.len()];
    for (at, of) in scene.parsed.entities.iter().enumerate() {
        entity[at] = exact[scene.entity_rows(of)].iter().copied().fold(0.0, f32::max);
    }
    vec![
        unit.clone(),
        relative_to_max(&unit),
        relative_to_max(&combine_nearby_rows(scene, &exact, NEAR_ROWS, |a, b| a + b)),
        scene.units_from_entities(&relative_to_max(&entity), 0.0),
        combine_nearby_rows(scene, &strings, 0, f32::max),
        combine_nearby_rows(scene, &strings, NEAR_ROWS, f32::max),
        relative_to_max(&combine_nearby_rows(scene, &words, 0, |a, b| a + b)),
        relative_to_max(&combine_nearby_rows(scene, &words, NEAR_ROWS, |a, b| a + b)),
    ]
}

/// Returns for every row the weight of the query's words in it; words rare in the file count more.
fn row_weights(scene: &CurationInput<'_>, weight: impl Fn(&str) -> Option<f32>) -> Vec<f32> {
    let mut having: HashMap<&str, (usize, f32)> = HashMap::new();
    let mut held: Vec<Vec<&str>> = Vec::with_capacity(scene.rows.len());
    for row in &scene.rows {
        let mut found: Vec<&str> = Vec::new();
        for word in row_identifiers(row) {
            if found.contains(&word) {
                continue;
            }
            if let Some(known) = having.get_mut(word) {
                known.0 += 1;
                found.push(word);
            } else if let Some(weight) = weight(word) {
                having.insert(word, (1, weight));
                found.push(word);
            }
        }
        held.push(found);
    }
    let value = |word: &&str| {
        let (count, weight) = having[word];
        weight * inverse_document_frequency(scene.rows.len(), count)
    };
    held.iter().map(|words| words.iter().map(value).sum()).collect()
}

fn combine_nearby_rows(
    scene: &CurationInput<'_>,
    rows: &[f32],
    around: usize,
    join: impl Fn(f32, f32) -> f32,
) -> Vec<f32> {
    scene.map_units(|unit| {
        let end = (unit.end + around).min(rows.len());
        rows[unit.first.saturating_sub(around)..end].iter().copied().fold(0.0, &join)
    })
}
