//! BM25 of the question's words at several scales: the unit, its surroundings, its
//! statement, its entity.

use super::Signal;
use crate::curate::scene::{Counted, Scene, rank, relative};

pub(super) const SIGNAL: Signal = Signal {
    name: "words",
    columns: &[
        "unit",
        "unit relative",
        "unit rank",
        "near relative",
        "near",
        "statement relative",
        "entity relative",
        "entity rank",
        "entity",
        "before",
        "after",
        "task unit",
        "task near",
        "covered",
        "best in entity",
        "task entity",
        "wide relative",
    ],
    speaks: Some(3),
    fill,
};

const K1: f32 = 1.2;
const B: f32 = 0.6;
/// Rows around a unit that count as near.
const NEAR: usize = 6;
const WIDE: usize = 20;

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let count = scene.rows.len();
    let task: Vec<f32> = scene
        .idf
        .iter()
        .zip(&scene.asked.in_task)
        .map(|(idf, is)| if *is { *idf } else { 0.0 })
        .collect();
    let of_units = |idf: &[f32], around: usize| {
        let ranges: Vec<_> = scene
            .units
            .iter()
            .map(|unit| unit.first.saturating_sub(around)..(unit.end + around).min(count))
            .collect();
        scores(&scene.counted, &ranges, idf)
    };
    let unit = of_units(&scene.idf, 0);
    let near = of_units(&scene.idf, NEAR);
    let wide = of_units(&scene.idf, WIDE);
    let statements: Vec<_> = scene
        .units
        .iter()
        .map(|unit| match unit.statement {
            Some(at) => {
                let lines = scene.parsed.blocks[at].lines;
                let rows = crate::curate::unit::rows_of(lines);
                rows.start.min(count)..rows.end.min(count)
            }
            None => unit.rows(),
        })
        .collect();
    let statement = scores(&scene.counted, &statements, &scene.idf);
    let entity = entities(scene, &scene.idf);
    let task_entity = relative(&entities(scene, &task));
    let all: f32 = scene.idf.iter().sum::<f32>().max(1e-6);
    let before = shifted(&unit, 1);
    let after: Vec<f32> = unit.iter().skip(1).copied().chain([0.0]).take(unit.len()).collect();
    let mut best = vec![0.0_f32; scene.parsed.entities.len()];
    for (unit, score) in scene.units.iter().zip(&unit) {
        if let Some(at) = unit.entity {
            best[at.get()] = best[at.get()].max(*score);
        }
    }
    let most = unit.iter().copied().fold(1e-6, f32::max);
    let over =
        |values: &[f32], by: f32| values.iter().map(|value| value / by).collect::<Vec<f32>>();
    vec![
        over(&unit, all),
        relative(&unit),
        rank(&unit),
        relative(&near),
        over(&near, all),
        relative(&statement),
        scene.of_entity(&relative(&entity), 0.0),
        scene.of_entity(&rank(&entity), 1.0),
        scene.of_entity(&over(&entity, all), 0.0),
        over(&before, most),
        over(&after, most),
        relative(&of_units(&task, 0)),
        relative(&of_units(&task, NEAR)),
        covered(scene),
        scene.of_entity(&over(&best, most), 0.0),
        scene.of_entity(&task_entity, 0.0),
        relative(&wide),
    ]
}

fn shifted(values: &[f32], by: usize) -> Vec<f32> {
    std::iter::repeat_n(0.0, by).chain(values.iter().copied()).take(values.len()).collect()
}

/// BM25 of every entity, with all that is in it.
pub(in crate::curate) fn entities(scene: &Scene<'_>, idf: &[f32]) -> Vec<f32> {
    let ranges: Vec<_> = scene.parsed.entities.iter().map(|entity| scene.rows_of(entity)).collect();
    scores(&scene.counted, &ranges, idf)
}

/// BM25 of ranges of rows with these terms, with `idf` as the weight of each asked term.
pub(super) fn scores(
    counted: &[Counted],
    ranges: &[std::ops::Range<usize>],
    idf: &[f32],
) -> Vec<f32> {
    let mut lengths_until = vec![0.0_f32; counted.len() + 1];
    for (at, row) in counted.iter().enumerate() {
        lengths_until[at + 1] = lengths_until[at] + row.length as f32;
    }
    let length =
        |range: &std::ops::Range<usize>| lengths_until[range.end] - lengths_until[range.start];
    let mean = ranges.iter().map(length).sum::<f32>() / ranges.len().max(1) as f32;
    let mut counts = vec![0.0_f32; idf.len()];
    let mut seen = Vec::new();
    let mut found: Vec<f32> = Vec::with_capacity(ranges.len());
    let mut before = None;
    for range in ranges {
        // Many units are of one statement, which may be all of the file.
        if let (Some(score), true) = (found.last().copied(), before == Some(range)) {
            found.push(score);
            continue;
        }
        before = Some(range);
        for term in counted[range.clone()].iter().flat_map(|row| &row.asked) {
            if counts[*term] == 0.0 {
                seen.push(*term);
            }
            counts[*term] += 1.0;
        }
        let floor = K1 * (1.0 - B + B * length(range) / mean.max(1.0));
        seen.sort_unstable();
        let mut score = 0.0;
        for term in seen.drain(..) {
            score += idf[term] * counts[term] * (K1 + 1.0) / (counts[term] + floor);
            counts[term] = 0.0;
        }
        found.push(score);
    }
    found
}

/// The share of a unit's own terms that is asked.
fn covered(scene: &Scene<'_>) -> Vec<f32> {
    scene.each(|unit| {
        let rows = &scene.counted[unit.rows()];
        let asked: usize = rows.iter().map(|row| row.asked.len()).sum();
        let all: usize = rows.iter().map(|row| row.length).sum();
        asked as f32 / all.max(1) as f32
    })
}
