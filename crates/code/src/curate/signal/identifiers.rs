//! Identifiers and quoted strings of the question, letter by letter.

use std::collections::HashMap;

use super::Signal;
use crate::bm25::inverse_document_frequency;
use crate::curate::scene::{Scene, identifiers, relative};

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: Some(1),
    fill,
};

/// Rows around a unit that count as near.
const NEAR: usize = 5;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let exact = of_rows(scene, |word| scene.asked.identifiers.get(word).copied());
    let words = of_rows(scene, |word| {
        scene.asked.words.get(word).or_else(|| scene.asked.words.get(&word.to_lowercase())).copied()
    });
    let strings: Vec<f32> = scene
        .rows
        .iter()
        .map(|row| {
            let held =
                scene.asked.strings.iter().filter(|(string, _)| row.contains(string.as_str()));
            held.map(|(_, weight)| *weight).fold(0.0, f32::max)
        })
        .collect();
    let unit = within(scene, &exact, 0, |a, b| a + b);
    let mut entity = vec![0.0_f32; scene.parsed.entities.len()];
    for (at, of) in scene.parsed.entities.iter().enumerate() {
        entity[at] = exact[scene.rows_of(of)].iter().copied().fold(0.0, f32::max);
    }
    vec![
        unit.clone(),
        relative(&unit),
        relative(&within(scene, &exact, NEAR, |a, b| a + b)),
        scene.of_entity(&relative(&entity), 0.0),
        within(scene, &strings, 0, f32::max),
        within(scene, &strings, NEAR, f32::max),
        relative(&within(scene, &words, 0, |a, b| a + b)),
        relative(&within(scene, &words, NEAR, |a, b| a + b)),
    ]
}

/// For every row the weight of the asked words in it; rare ones count more.
fn of_rows(scene: &Scene<'_>, weight: impl Fn(&str) -> Option<f32>) -> Vec<f32> {
    let mut having: HashMap<&str, (usize, f32)> = HashMap::new();
    let mut held: Vec<Vec<&str>> = Vec::with_capacity(scene.rows.len());
    for row in &scene.rows {
        let mut found: Vec<&str> = Vec::new();
        for word in identifiers(row) {
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

fn within(
    scene: &Scene<'_>,
    rows: &[f32],
    around: usize,
    join: impl Fn(f32, f32) -> f32,
) -> Vec<f32> {
    scene.each(|unit| {
        let end = (unit.end + around).min(rows.len());
        rows[unit.first.saturating_sub(around)..end].iter().copied().fold(0.0, &join)
    })
}
