//! What is learned from one case.

use foveal_bench::{Case, Seeded};
use foveal_code::curate::{Curator, SourceFile};
use foveal_code::parse;

/// Units without a gold line that are learned from; their weights make up for the others.
const UNITS_MAX: usize = 100;
/// What a case of a conversation counts beside one of a commit, of which there are many more.
const SESSION_WEIGHT: f32 = 2.0;

/// Units of one file with the weight of their lines. Every case weighs the same: its gold
/// lines 1 together, and so do the others.
pub(crate) struct Sampled {
    /// A row of columns for each unit.
    pub(crate) rows: Vec<Vec<f32>>,
    /// The weight of the gold lines of each unit.
    pub(crate) gold: Vec<f32>,
    /// The weight of its other lines.
    pub(crate) rest: Vec<f32>,
}

impl Sampled {
    /// Learns from `case`; `None` without gold lines.
    pub(crate) fn of(curator: &Curator, case: &Case) -> Option<Self> {
        let gold = case.gold_lines.as_ref().filter(|gold| !gold.is_empty())?;
        let parsed = parse(&case.path, &case.content_before);
        let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
        let table = curator.table(&file, &case.question());
        let held: Vec<usize> = table
            .units
            .iter()
            .map(|unit| {
                gold.iter().filter(|line| (unit.first.0..=unit.last.0).contains(line)).count()
            })
            .collect();
        let (with, mut without): (Vec<usize>, Vec<usize>) =
            (0..held.len()).partition(|unit| held[*unit] > 0);
        let all: u32 = without.iter().map(|unit| table.units[*unit].count()).sum();
        Seeded::new(0, &case.id).shuffle(&mut without);
        without.truncate(UNITS_MAX);
        let taken: u32 = without.iter().map(|unit| table.units[*unit].count()).sum();
        let lines = f32::from(u16::try_from(parsed.line_count).unwrap_or(u16::MAX));
        let share = all as f32 / taken.max(1) as f32;
        let mut sampled = Self { rows: Vec::new(), gold: Vec::new(), rest: Vec::new() };
        for unit in with.into_iter().chain(without) {
            sampled.rows.push(table.columns.iter().map(|column| column[unit]).collect());
            let count = table.units[unit].count() as f32;
            let kept = held[unit] as f32;
            let weight = if case.conversation.is_some() { SESSION_WEIGHT } else { 1.0 };
            sampled.gold.push(kept / gold.len() as f32 * weight);
            let scale = if kept > 0.0 { 1.0 } else { share };
            sampled.rest.push((count - kept) / lines * scale * weight);
        }
        Some(sampled)
    }
}
