//! What is measured of one case.

use foveal_context::tokens::Tokens;

use crate::case::{Budget, Case};
use crate::facts::FileFacts;
use crate::kept::{KeptLines, marks};

/// What one curator kept of one case under one budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The ranges, as the curator gave them.
    pub kept: KeptLines,
    /// Lines of the file.
    pub lines: u32,
    /// Lines kept.
    pub lines_kept: u32,
    /// Tokens of the file.
    pub tokens: Tokens,
    /// Tokens of the lines kept.
    pub tokens_kept: Tokens,
    /// Gold lines and how many of them are kept; `None` where the case has none.
    pub gold: Option<(u32, u32)>,
    /// Short functions that gold lines touch, and how many of them are kept whole.
    pub functions: (u32, u32),
    /// How long the curator took, in microseconds.
    pub micros: u64,
    /// Whether the ranges are ascending, apart, inside the file and within the budget.
    pub sound: bool,
}

impl Measurement {
    /// Compares what was `kept` in `micros` microseconds. `file` is what is
    /// known of the case's file.
    pub fn of(case: &Case, budget: Budget, file: &FileFacts, kept: KeptLines, micros: u64) -> Self {
        let lines = file.line_count();
        let (marks, sound) = marks(&kept, lines);
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
            sound: sound && lines_kept <= budget.lines_max(lines),
            kept,
        }
    }
}
