//! The signal of embedding similarity between the query and units, their surroundings and entities.

use super::RelevanceSignal;
use crate::curation::curation_input::{CurationInput, rank_shares, relative_to_max};
use crate::embedding::Vector;

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "meaning",
    columns: &[
        "unit",
        "near",
        "near relative",
        "entity",
        "entity relative",
        "entity rank",
        "task near",
        "task entity",
        "near rank",
    ],
    reason_column: Some(2),
    compute: compute_columns,
};

/// The number of rows around a unit that count as near.
const NEAR_ROWS: usize = 6;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let sums = EmbeddingSums::new(scene);
    let (all, task) = (&scene.query_vectors.0, &scene.query_vectors.1);
    let count = scene.rows.len();
    let around = |meant: &Vector, by: usize| {
        scene.map_units(|unit| {
            sums.cosine(unit.first.saturating_sub(by)..(unit.end + by).min(count), meant)
        })
    };
    let entities = entity_cosines(scene, all);
    let near = around(all, NEAR_ROWS);
    vec![
        around(all, 0),
        near.clone(),
        relative_to_max(&near),
        scene.units_from_entities(&entities, 0.0),
        scene.units_from_entities(&relative_to_max(&entities), 0.0),
        scene.units_from_entities(&rank_shares(&entities), 1.0),
        around(task, NEAR_ROWS),
        scene.units_from_entities(&entity_cosines(scene, task), 0.0),
        rank_shares(&near),
    ]
}

/// Returns the cosine of every entity, with its inner entities.
pub(super) fn entity_cosines(scene: &CurationInput<'_>, meant: &Vector) -> Vec<f32> {
    let sums = EmbeddingSums::new(scene);
    scene.map_entities(|_, entity| sums.cosine(scene.entity_rows(entity), meant))
}

/// Prefix sums of the rows' embeddings.
struct EmbeddingSums {
    until: Vec<f32>,
    dimensions: usize,
}

impl EmbeddingSums {
    fn new(scene: &CurationInput<'_>) -> Self {
        let dimensions = scene.query_vectors.0.components().len();
        let mut until = vec![0.0_f32; dimensions * (scene.rows.len() + 1)];
        for (row, vector) in scene.row_vectors.iter().enumerate() {
            let (before, here) = until.split_at_mut((row + 1) * dimensions);
            let before = &before[row * dimensions..];
            for ((sum, before), part) in here.iter_mut().zip(before).zip(vector.components()) {
                *sum = before + part;
            }
        }
        Self { until, dimensions }
    }

    fn cosine(&self, rows: std::ops::Range<usize>, meant: &Vector) -> f32 {
        let at = |row: usize| &self.until[row * self.dimensions..(row + 1) * self.dimensions];
        let (mut product, mut square) = (0.0, 0.0);
        for ((end, start), meant) in at(rows.end).iter().zip(at(rows.start)).zip(meant.components())
        {
            let part = end - start;
            product += part * meant;
            square += part * part;
        }
        if square > 1e-9 { product / square.sqrt() } else { 0.0 }
    }
}
