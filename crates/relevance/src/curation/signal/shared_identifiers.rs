//! The signal of identifiers shared with the units that match the query best.

use std::collections::HashMap;

use super::{RelevanceSignal, query_words};
use crate::curation::curation_input::{CurationInput, relative_to_max, row_identifiers};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "likeness",
    columns: &["like the best", "like the best, near"],
    reason_column: Some(1),
    compute: compute_columns,
};

/// The number of best units whose identifiers are compared.
const BEST_UNITS: usize = 8;
/// The number of rows around a unit that count as near.
const NEAR_ROWS: usize = 4;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let near = (query_words::SIGNAL.compute)(scene).swap_remove(3);
    let mut order: Vec<usize> = (0..scene.units.len()).filter(|at| near[*at] > 0.0).collect();
    order.sort_by(|a, b| near[*b].total_cmp(&near[*a]).then(a.cmp(b)));
    let mut having: HashMap<&str, f32> = HashMap::new();
    for word in scene.rows.iter().flat_map(|row| row_identifiers(row)).filter(|word| word.len() > 2)
    {
        *having.entry(word).or_default() += 1.0;
    }
    let mut wanted: HashMap<&str, f32> = HashMap::new();
    for at in order.into_iter().take(BEST_UNITS) {
        let rows = &scene.rows[scene.units[at].rows()];
        for word in rows.iter().flat_map(|row| row_identifiers(row)).filter(|word| word.len() > 2) {
            let known = wanted.entry(word).or_default();
            *known = known.max(near[at]);
        }
    }
    let count = scene.rows.len() as f32;
    let of_rows: Vec<f32> = scene
        .rows
        .iter()
        .map(|row| {
            let value =
                |word: &str| Some(wanted.get(word)? * (1.0 + count / having.get(word)?).ln());
            row_identifiers(row).filter_map(value).sum()
        })
        .collect();
    let within = |around: usize| {
        scene.map_units(|unit| {
            let rows = unit.first.saturating_sub(around)..(unit.end + around).min(of_rows.len());
            let length = rows.len() as f32;
            of_rows[rows].iter().sum::<f32>() / length.sqrt()
        })
    };
    vec![relative_to_max(&within(0)), relative_to_max(&within(NEAR_ROWS))]
}
