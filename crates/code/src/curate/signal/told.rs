//! Lines of this file that were told by their numbers.

use super::Signal;
use crate::curate::scene::Scene;

pub(super) const SIGNAL: Signal =
    Signal { name: "line told", columns: &["told", "told in entity"], speaks: Some(0), fill };

/// Rows after which a told line counts half.
const HALF: f32 = 6.0;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let told: Vec<usize> = scene
        .question
        .told
        .iter()
        .filter(|told| told.may_be_of(scene.path))
        .map(|told| (told.line.0 as usize).saturating_sub(1))
        .filter(|row| *row < scene.rows.len())
        .collect();
    let mut entities = vec![0.0_f32; scene.parsed.entities.len()];
    for row in &told {
        if let Some(at) = scene.units[scene.unit_of[*row]].entity {
            entities[at.get()] = 1.0;
        }
    }
    let near = scene.each(|unit| {
        let distance = |row: &usize| {
            let row = *row;
            if row < unit.first { unit.first - row } else { row.saturating_sub(unit.end - 1) }
        };
        let least = told.iter().map(distance).min();
        least.map_or(0.0, |rows| HALF / (HALF + rows as f32))
    });
    vec![near, scene.of_entity(&entities, 0.0)]
}
