//! The signal of lines that the conversation mentions by number.

use super::RelevanceSignal;
use crate::curation::curation_input::CurationInput;

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "line told",
    columns: &["told", "told in entity"],
    reason_column: Some(0),
    compute: compute_columns,
};

/// The distance in rows at which a mentioned line counts half.
const HALF_DISTANCE_ROWS: f32 = 6.0;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let told: Vec<usize> = scene
        .question
        .told
        .iter()
        .filter(|told| told.may_be_in_file(scene.path))
        .map(|told| (told.line.0 as usize).saturating_sub(1))
        .filter(|row| *row < scene.rows.len())
        .collect();
    let mut entities = vec![0.0_f32; scene.parsed.entities.len()];
    for row in &told {
        if let Some(at) = scene.units[scene.unit_of[*row]].entity {
            entities[at.as_usize()] = 1.0;
        }
    }
    let near = scene.map_units(|unit| {
        let distance = |row: &usize| {
            let row = *row;
            if row < unit.first { unit.first - row } else { row.saturating_sub(unit.end - 1) }
        };
        let least = told.iter().map(distance).min();
        least.map_or(0.0, |rows| HALF_DISTANCE_ROWS / (HALF_DISTANCE_ROWS + rows as f32))
    });
    vec![near, scene.units_from_entities(&entities, 0.0)]
}
