//! What is measured, and its sums.

use foveal_context::tokens::{Tokenizer, Tokens};

use crate::case::{Budget, Case};
use crate::kept::{KeptLines, lines_of, marks};

/// Tokens of every line of a file, each counted for itself (o200k). The sum differs from the
/// count of the whole text by what few tokens reach over a line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTokens(Vec<Tokens>);

impl LineTokens {
    /// Counts the lines of `text`.
    pub fn of(text: &str) -> Self {
        Self(lines_of(text).map(|line| Tokenizer::O200k.count(line)).collect())
    }
}

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
    /// How long the curator took, in microseconds.
    pub micros: u64,
    /// Whether the ranges are ascending, apart, inside the file and within the budget.
    pub sound: bool,
}

impl Measurement {
    /// Compares what was `kept` in `micros` microseconds. `tokens` are those of the case's
    /// file.
    pub fn of(
        case: &Case,
        budget: Budget,
        tokens: &LineTokens,
        kept: KeptLines,
        micros: u64,
    ) -> Self {
        let lines = u32::try_from(tokens.0.len()).unwrap_or(u32::MAX);
        let (marks, sound) = marks(&kept, lines);
        let lines_kept = marks.iter().filter(|mark| **mark).count() as u32;
        let marked = tokens.0.iter().zip(&marks).filter(|(_, mark)| **mark);
        let gold = case.gold_lines.as_ref().filter(|gold| !gold.is_empty()).map(|gold| {
            let is_kept = |line: &u32| {
                let place = (*line as usize).checked_sub(1);
                place.and_then(|place| marks.get(place)).copied().unwrap_or(false)
            };
            (gold.len() as u32, gold.iter().filter(|line| is_kept(line)).count() as u32)
        });
        Self {
            lines,
            lines_kept,
            tokens: tokens.0.iter().copied().sum(),
            tokens_kept: marked.map(|(tokens, _)| *tokens).sum(),
            gold,
            micros,
            sound: sound && lines_kept <= budget.lines_max(lines),
            kept,
        }
    }
}

/// Sums over cases, for one curator under one budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Cases.
    pub cases: u32,
    /// Those of them that have gold lines.
    pub cases_with_gold: u32,
    /// Measurements whose ranges or budget are not as promised.
    pub unsound: u32,
    all_kept: u32,
    gold: u64,
    gold_kept: u64,
    recalls: f64,
    line_shares: f64,
    token_shares: f64,
    micros: Vec<u64>,
}

impl Figures {
    /// Adds a measurement.
    pub fn add(&mut self, one: &Measurement) {
        self.cases += 1;
        self.unsound += u32::from(!one.sound);
        self.line_shares += ratio(f64::from(one.lines_kept), f64::from(one.lines)).unwrap_or(1.0);
        self.token_shares += ratio(one.tokens_kept.0 as f64, one.tokens.0 as f64).unwrap_or(1.0);
        self.micros.push(one.micros);
        if let Some((gold, kept)) = one.gold {
            self.cases_with_gold += 1;
            self.all_kept += u32::from(gold == kept);
            self.gold += u64::from(gold);
            self.gold_kept += u64::from(kept);
            self.recalls += f64::from(kept) / f64::from(gold);
        }
    }

    /// Gold recall: the share of a case's gold lines that is kept, the mean over all cases;
    /// from 0 to 1, `None` without gold lines.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.recalls, f64::from(self.cases_with_gold))
    }

    /// The share of the gold lines of all cases together that is kept.
    pub fn recall_pooled(&self) -> Option<f64> {
        ratio(self.gold_kept as f64, self.gold as f64)
    }

    /// The share of cases of which every gold line is kept.
    pub fn all_kept(&self) -> Option<f64> {
        ratio(f64::from(self.all_kept), f64::from(self.cases_with_gold))
    }

    /// The share of a file's lines that is kept, the mean over all cases.
    pub fn lines_kept(&self) -> Option<f64> {
        ratio(self.line_shares, f64::from(self.cases))
    }

    /// The share of a file's tokens that is kept, the mean over all cases.
    pub fn tokens_kept(&self) -> Option<f64> {
        ratio(self.token_shares, f64::from(self.cases))
    }

    /// The time that `share` of the calls, from 0 to 1, needed at most, in microseconds.
    pub fn micros(&self, share: f64) -> Option<u64> {
        let mut micros = self.micros.clone();
        micros.sort_unstable();
        let place = (share.clamp(0.0, 1.0) * micros.len() as f64).ceil() as usize;
        micros.get(place.saturating_sub(1)).copied()
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
