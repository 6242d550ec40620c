//! Units that use the same names as the units that answer the question best.

use std::collections::HashMap;

use super::{Signal, words};
use crate::curate::scene::{Scene, identifiers, relative};

pub(super) const SIGNAL: Signal = Signal {
    name: "likeness",
    columns: &["like the best", "like the best, near"],
    speaks: Some(1),
    fill,
};

/// Units whose names are looked for again.
const BEST: usize = 8;
/// Rows around a unit that count as near.
const NEAR: usize = 4;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let near = (words::SIGNAL.fill)(scene).swap_remove(3);
    let mut order: Vec<usize> = (0..scene.units.len()).filter(|at| near[*at] > 0.0).collect();
    order.sort_by(|a, b| near[*b].total_cmp(&near[*a]).then(a.cmp(b)));
    let mut having: HashMap<&str, f32> = HashMap::new();
    for word in scene.rows.iter().flat_map(|row| identifiers(row)).filter(|word| word.len() > 2) {
        *having.entry(word).or_default() += 1.0;
    }
    let mut wanted: HashMap<&str, f32> = HashMap::new();
    for at in order.into_iter().take(BEST) {
        let rows = &scene.rows[scene.units[at].rows()];
        for word in rows.iter().flat_map(|row| identifiers(row)).filter(|word| word.len() > 2) {
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
            identifiers(row).filter_map(value).sum()
        })
        .collect();
    let within = |around: usize| {
        scene.each(|unit| {
            let rows = unit.first.saturating_sub(around)..(unit.end + around).min(of_rows.len());
            let length = rows.len() as f32;
            of_rows[rows].iter().sum::<f32>() / length.sqrt()
        })
    };
    vec![relative(&within(0)), relative(&within(NEAR))]
}
