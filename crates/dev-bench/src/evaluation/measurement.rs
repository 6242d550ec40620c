//! Measurements of one case.

use foveal_pricing::tokens::Tokens;

use super::file_facts::FileFacts;
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, mark_ranges};

/// A comparison of a curator's choice for a case under a budget with the gold lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurationMeasurement {
    /// The ranges as the curator returned them.
    pub(crate) kept: LineRanges,
    /// The number of lines of the file.
    pub(crate) lines: u32,
    /// The number of kept lines.
    pub(crate) lines_kept: u32,
    /// The tokens of the file.
    pub(crate) tokens: Tokens,
    /// The tokens of the kept lines.
    pub(crate) tokens_kept: Tokens,
    /// The numbers of gold lines and of kept ones; `None` if the case has none.
    pub(crate) gold: Option<(u32, u32)>,
    /// The numbers of short functions that gold lines touch, and of those kept completely.
    pub(crate) functions: (u32, u32),
    /// The time that the curator took, in microseconds.
    pub(crate) micros: u64,
    /// Whether the ranges are ascending, disjoint, inside the file and within the budget.
    pub(crate) is_valid: bool,
}

impl CurationMeasurement {
    /// Compares the lines `kept`, which took `micros` microseconds to choose. `file` describes
    /// the case's file.
    pub(crate) fn new(
        case: &CurationCase,
        budget: LineBudget,
        file: &FileFacts,
        kept: LineRanges,
        micros: u64,
    ) -> Self {
        let lines = file.line_count();
        let (marks, sound) = mark_ranges(&kept, lines);
        let lines_kept = marks.iter().filter(|mark| **mark).count() as u32;
        let marked = file.tokens.iter().zip(&marks).filter(|(_, mark)| **mark);
        let is_kept = |line: &u32| {
            let place = (*line as usize).checked_sub(1);
            place.and_then(|place| marks.get(place)).copied().unwrap_or(false)
        };
        let gold = case.gold_lines.as_ref().filter(|gold| !gold.is_empty()).map(|gold| {
            (gold.len() as u32, gold.iter().filter(|line| is_kept(line)).count() as u32)
        });
        let whole = file.functions.iter().filter(|lines| lines.iter().all(is_kept));
        Self {
            lines,
            lines_kept,
            tokens: file.tokens.iter().copied().sum(),
            tokens_kept: marked.map(|(tokens, _)| *tokens).sum(),
            gold,
            functions: (file.functions.len() as u32, whole.count() as u32),
            micros,
            is_valid: sound && lines_kept <= budget.lines_max(lines),
            kept,
        }
    }
}
