//! How near units, their surroundings and their entities are in meaning to the question.

use super::Signal;
use crate::curate::scene::{Scene, rank, relative};
use crate::embed::Vector;

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: Some(2),
    fill,
};

/// Rows around a unit that count as near.
const NEAR: usize = 6;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let sums = Sums::of(scene);
    let (all, task) = (&scene.meant.0, &scene.meant.1);
    let count = scene.rows.len();
    let around = |meant: &Vector, by: usize| {
        scene.each(|unit| {
            sums.cosine(unit.first.saturating_sub(by)..(unit.end + by).min(count), meant)
        })
    };
    let entities = of_entities(scene, all);
    let near = around(all, NEAR);
    vec![
        around(all, 0),
        near.clone(),
        relative(&near),
        scene.of_entity(&entities, 0.0),
        scene.of_entity(&relative(&entities), 0.0),
        scene.of_entity(&rank(&entities), 1.0),
        around(task, NEAR),
        scene.of_entity(&of_entities(scene, task), 0.0),
        rank(&near),
    ]
}

/// The cosine of every entity, all that is in it included.
pub(super) fn of_entities(scene: &Scene<'_>, meant: &Vector) -> Vec<f32> {
    let sums = Sums::of(scene);
    scene.each_entity(|_, entity| sums.cosine(scene.rows_of(entity), meant))
}

/// Sums of the rows' directions up to each row.
struct Sums {
    until: Vec<f32>,
    dimensions: usize,
}

impl Sums {
    fn of(scene: &Scene<'_>) -> Self {
        let dimensions = scene.meant.0.components().len();
        let mut until = vec![0.0_f32; dimensions * (scene.rows.len() + 1)];
        for (row, vector) in scene.vectors.iter().enumerate() {
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
