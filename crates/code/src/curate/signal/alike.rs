//! Words that are a word of the question cut short or longer: `auth` for `authorization`.

use super::Signal;
use super::words::scores;
use crate::curate::scene::{Scene, rank, relative};

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: Some(1),
    fill,
};

/// Rows around a unit that count as near.
const NEAR: usize = 6;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let (counted, idf) = &scene.alike;
    let count = scene.rows.len();
    let of_units = |around: usize| {
        let range = |unit: &crate::curate::unit::Unit| {
            unit.first.saturating_sub(around)..(unit.end + around).min(count)
        };
        let ranges: Vec<_> = scene.units.iter().map(range).collect();
        relative(&scores(counted, &ranges, idf))
    };
    let ranges: Vec<_> = scene.parsed.entities.iter().map(|of| scene.rows_of(of)).collect();
    let entities = scores(counted, &ranges, idf);
    let all: f32 = idf.iter().sum::<f32>().max(1e-6);
    let in_task = |term: &usize| scene.asked.in_task[*term];
    let task: f32 = (0..idf.len()).filter(in_task).map(|term| idf[term]).sum::<f32>().max(1e-6);
    let sum = |terms: &[usize]| terms.iter().map(|term| idf[*term]).sum::<f32>();
    let (mut named, mut told, mut of_task) = (Vec::new(), Vec::new(), Vec::new());
    for entity in &scene.parsed.entities {
        let mut terms = scene.alike_in(&entity.name);
        terms.sort_unstable();
        terms.dedup();
        named.push(sum(&terms) / all);
        terms.extend(scene.alike_in_doc(entity));
        terms.sort_unstable();
        terms.dedup();
        told.push(sum(&terms) / all);
        terms.retain(in_task);
        of_task.push(sum(&terms) / task);
    }
    vec![
        of_units(0),
        of_units(NEAR),
        scene.of_entity(&relative(&entities), 0.0),
        scene.of_entity(&rank(&entities), 1.0),
        scene.of_entity(&named, 0.0),
        scene.of_entity(&told, 0.0),
        scene.of_entity(&of_task, 0.0),
    ]
}
