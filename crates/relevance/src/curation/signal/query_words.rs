//! The signal of BM25 scores of the query's words for units, their surroundings, statements and
//! entities.

use super::RelevanceSignal;
use crate::curation::curation_input::{CurationInput, TermCounts, rank_shares, relative_to_max};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
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
    reason_column: Some(3),
    compute: compute_columns,
};

const K1: f32 = 1.2;
const B: f32 = 0.6;
/// The number of rows around a unit that count as near, and as the wider surroundings.
const NEAR_ROWS: usize = 6;
const WIDE_ROWS: usize = 20;

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let count = scene.rows.len();
    let task: Vec<f32> = scene
        .idf
        .iter()
        .zip(&scene.query_terms.in_task)
        .map(|(idf, is)| if *is { *idf } else { 0.0 })
        .collect();
    let of_units = |idf: &[f32], around: usize| {
        let ranges: Vec<_> = scene
            .units
            .iter()
            .map(|unit| unit.first.saturating_sub(around)..(unit.end + around).min(count))
            .collect();
        range_scores(&scene.row_terms, &ranges, idf)
    };
    let unit = of_units(&scene.idf, 0);
    let near = of_units(&scene.idf, NEAR_ROWS);
    let wide = of_units(&scene.idf, WIDE_ROWS);
    let statements: Vec<_> = scene
        .units
        .iter()
        .map(|unit| match unit.statement {
            Some(at) => {
                let lines = scene.parsed.blocks[at].lines;
                let rows = crate::curation::unit::line_rows(lines);
                rows.start.min(count)..rows.end.min(count)
            }
            None => unit.rows(),
        })
        .collect();
    let statement = range_scores(&scene.row_terms, &statements, &scene.idf);
    let entity = entity_scores(scene, &scene.idf);
    let task_entity = relative_to_max(&entity_scores(scene, &task));
    let all: f32 = scene.idf.iter().sum::<f32>().max(1e-6);
    let before = shift_right(&unit, 1);
    let after: Vec<f32> = unit.iter().skip(1).copied().chain([0.0]).take(unit.len()).collect();
    let mut best = vec![0.0_f32; scene.parsed.entities.len()];
    for (unit, score) in scene.units.iter().zip(&unit) {
        if let Some(at) = unit.entity {
            best[at.as_usize()] = best[at.as_usize()].max(*score);
        }
    }
    let most = unit.iter().copied().fold(1e-6, f32::max);
    let over =
        |values: &[f32], by: f32| values.iter().map(|value| value / by).collect::<Vec<f32>>();
    vec![
        over(&unit, all),
        relative_to_max(&unit),
        rank_shares(&unit),
        relative_to_max(&near),
        over(&near, all),
        relative_to_max(&statement),
        scene.units_from_entities(&relative_to_max(&entity), 0.0),
        scene.units_from_entities(&rank_shares(&entity), 1.0),
        scene.units_from_entities(&over(&entity, all), 0.0),
        over(&before, most),
        over(&after, most),
        relative_to_max(&of_units(&task, 0)),
        relative_to_max(&of_units(&task, NEAR_ROWS)),
        query_term_shares(scene),
        scene.units_from_entities(&over(&best, most), 0.0),
        scene.units_from_entities(&task_entity, 0.0),
        relative_to_max(&wide),
    ]
}

fn shift_right(values: &[f32], by: usize) -> Vec<f32> {
    std::iter::repeat_n(0.0, by).chain(values.iter().copied()).take(values.len()).collect()
}

/// Returns the BM25 score of every entity, with its inner entities.
pub(in crate::curation) fn entity_scores(scene: &CurationInput<'_>, idf: &[f32]) -> Vec<f32> {
    let ranges: Vec<_> =
        scene.parsed.entities.iter().map(|entity| scene.entity_rows(entity)).collect();
    range_scores(&scene.row_terms, &ranges, idf)
}

/// Returns the BM25 scores of ranges of rows, with `idf` as the weights of query terms.
pub(super) fn range_scores(
    counted: &[TermCounts],
    ranges: &[std::ops::Range<usize>],
    idf: &[f32],
) -> Vec<f32> {
    let mut lengths_until = vec![0.0_f32; counted.len() + 1];
    for (at, row) in counted.iter().enumerate() {
        lengths_until[at + 1] = lengths_until[at] + row.term_count as f32;
    }
    let length =
        |range: &std::ops::Range<usize>| lengths_until[range.end] - lengths_until[range.start];
    let mean = ranges.iter().map(length).sum::<f32>() / ranges.len().max(1) as f32;
    let mut counts = vec![0.0_f32; idf.len()];
    let mut seen = Vec::new();
    let mut found: Vec<f32> = Vec::with_capacity(ranges.len());
    let mut before = None;
    for range in ranges {
        // Adjacent units often share one statement, possibly the whole file.
        if let (Some(score), true) = (found.last().copied(), before == Some(range)) {
            found.push(score);
            continue;
        }
        before = Some(range);
        for term in counted[range.clone()].iter().flat_map(|row| &row.term_numbers) {
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

/// Returns the share of each unit's terms that are query terms.
fn query_term_shares(scene: &CurationInput<'_>) -> Vec<f32> {
    scene.map_units(|unit| {
        let rows = &scene.row_terms[unit.rows()];
        let asked: usize = rows.iter().map(|row| row.term_numbers.len()).sum();
        let all: usize = rows.iter().map(|row| row.term_count).sum();
        asked as f32 / all.max(1) as f32
    })
}
