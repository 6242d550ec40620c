//! Training rows of the units of a case's file, for the trees of the curator.

use foveal_relevance::curation::{Curator, SourceFile};
use foveal_syntax::parse_file;

use super::training_rows::TrainingRows;
use crate::case::CurationCase;
use crate::seeded_random::SeededRandom;

/// The most units without a gold line that are trained on; their weights make up for the others.
const UNITS_MAX: usize = 100;
/// The weight of a case of a conversation relative to one of a commit, of which there are many
/// more.
const SESSION_WEIGHT: f32 = 2.0;

/// Returns a row per unit of the case's file, with the weight of its lines; `None` without gold
/// lines. Every case has the same weight: its gold lines sum to 1, and so do the others.
pub(crate) fn unit_rows(curator: &Curator, case: &CurationCase) -> Option<TrainingRows> {
    let gold = case.gold_lines.as_ref().filter(|gold| !gold.is_empty())?;
    let parsed = parse_file(&case.path, &case.content_before);
    let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
    let table = curator.signal_table(&file, &case.question());
    let gold_counts: Vec<usize> = table
        .units
        .iter()
        .map(|unit| gold.iter().filter(|line| (unit.first.0..=unit.last.0).contains(line)).count())
        .collect();
    let (with, mut without): (Vec<usize>, Vec<usize>) =
        (0..gold_counts.len()).partition(|unit| gold_counts[*unit] > 0);
    let all: u32 = without.iter().map(|unit| table.units[*unit].line_count()).sum();
    SeededRandom::new(0, &case.id).shuffle(&mut without);
    without.truncate(UNITS_MAX);
    let sampled: u32 = without.iter().map(|unit| table.units[*unit].line_count()).sum();
    let lines = f32::from(u16::try_from(parsed.line_count).unwrap_or(u16::MAX));
    let share = all as f32 / sampled.max(1) as f32;
    let case_weight = if case.conversation.is_some() { SESSION_WEIGHT } else { 1.0 };
    let mut rows = TrainingRows::default();
    for unit in with.into_iter().chain(without) {
        rows.rows.push(table.columns.iter().map(|column| column[unit]).collect());
        let count = table.units[unit].line_count() as f32;
        let gold_count = gold_counts[unit] as f32;
        rows.gold.push(gold_count / gold.len() as f32 * case_weight);
        let scale = if gold_count > 0.0 { 1.0 } else { share };
        rows.rest.push((count - gold_count) / lines * scale * case_weight);
    }
    Some(rows)
}
