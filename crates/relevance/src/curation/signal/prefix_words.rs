//! The signal of prefix matches between words of the query and the file, as `auth` and
//! `authorization`.

use super::RelevanceSignal;
use super::query_words::range_scores;
use crate::curation::curation_input::{CurationInput, rank_shares, relative_to_max};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "like words",
    columns: &[
        "unit relative",
        "near relative",
        "entity relative",
        "entity rank",
        "name asked",
        "name or doc asked",
        "name or doc of task",
    ],
    reason_column: Some(1),
    compute: compute_columns,
};

/// The number of rows around a unit that count as near.
const NEAR_ROWS: usize = 6;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let (counted, idf) = &scene.prefix_matches;
    let count = scene.rows.len();
    let of_units = |around: usize| {
        let range = |unit: &crate::curation::unit::CurationUnit| {
            unit.first.saturating_sub(around)..(unit.end + around).min(count)
        };
        let ranges: Vec<_> = scene.units.iter().map(range).collect();
        relative_to_max(&range_scores(counted, &ranges, idf))
    };
    let ranges: Vec<_> = scene.parsed.entities.iter().map(|of| scene.entity_rows(of)).collect();
    let entities = range_scores(counted, &ranges, idf);
    let all: f32 = idf.iter().sum::<f32>().max(1e-6);
    let in_task = |term: &usize| scene.query_terms.in_task[*term];
    let task: f32 = (0..idf.len()).filter(in_task).map(|term| idf[term]).sum::<f32>().max(1e-6);
    let sum = |terms: &[usize]| terms.iter().map(|term| idf[*term]).sum::<f32>();
    let (mut named, mut told, mut of_task) = (Vec::new(), Vec::new(), Vec::new());
    for entity in &scene.parsed.entities {
        let mut terms = scene.terms_in_text(&entity.name);
        terms.sort_unstable();
        terms.dedup();
        named.push(sum(&terms) / all);
        terms.extend(scene.terms_in_doc(entity));
        terms.sort_unstable();
        terms.dedup();
        told.push(sum(&terms) / all);
        terms.retain(in_task);
        of_task.push(sum(&terms) / task);
    }
    vec![
        of_units(0),
        of_units(NEAR_ROWS),
        scene.units_from_entities(&relative_to_max(&entities), 0.0),
        scene.units_from_entities(&rank_shares(&entities), 1.0),
        scene.units_from_entities(&named, 0.0),
        scene.units_from_entities(&told, 0.0),
        scene.units_from_entities(&of_task, 0.0),
    ]
}
