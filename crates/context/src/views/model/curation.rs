//! What a model chose of a file, or why its answer cannot be used.

use std::fmt;

use crate::views::View;
use crate::views::value::KeptRanges;
use foveal_transcript::LineNumber;

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unusable {
    /// There is no JSON object with `line_ranges` in it.
    NoRanges,
    /// No range has lines of the file.
    NoLines,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unusable::NoRanges => "the answer holds no JSON object with `line_ranges`",
            Unusable::NoLines => "no range of the answer has lines of the file",
        })
    }
}

/// What a model chose of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curation {
    /// The lines, ascending, ranges apart from each other.
    pub view: View,
    /// Why it chose them, in its words and order.
    pub reasons: Vec<Reason>,
    /// What it says of the whole.
    pub summary: Option<Box<str>>,
    /// Lines of the read.
    pub lines: u32,
    /// Of these, in the view.
    pub lines_kept: u32,
}

/// Why a range was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// First line.
    pub first: LineNumber,
    /// Last line, included.
    pub last: LineNumber,
    /// What the model says.
    pub text: Box<str>,
}

impl Curation {
    /// Of so many lines none.
    pub(super) fn of_nothing(lines: u32) -> Self {
        let (view, reasons) = (View::default(), Vec::new());
        Self { view, reasons, summary: None, lines, lines_kept: 0 }
    }

    /// What was chosen of the parts of one file, the first first.
    pub(super) fn joined(parts: Vec<Self>) -> Self {
        let mut all = Self::of_nothing(0);
        for part in parts {
            all.view.lines.extend(part.view.lines);
            all.reasons.extend(part.reasons);
            all.summary = match (all.summary, part.summary) {
                (Some(before), Some(more)) => Some(format!("{before} {more}").into()),
                (before, more) => before.or(more),
            };
            all.lines = all.lines.saturating_add(part.lines);
            all.lines_kept = all.lines_kept.saturating_add(part.lines_kept);
        }
        all
    }

    /// The same without lines that the model was not asked about.
    pub(super) fn within(mut self, among: &KeptRanges) -> Self {
        let clipped = |(first, last): &(LineNumber, LineNumber)| {
            let both = among.0.iter().map(|range| (range.0.max(*first), range.1.min(*last)));
            both.filter(|(first, last)| first <= last).collect::<Vec<_>>()
        };
        self.view.lines = self.view.lines.iter().flat_map(clipped).collect();
        self.lines_kept = self.view.lines.iter().map(|(first, last)| last.0 - first.0 + 1).sum();
        self
    }

    /// Lines kept of a hundred, counted.
    pub fn preserved_percentage(&self) -> f64 {
        100.0 * f64::from(self.lines_kept) / f64::from(self.lines.max(1))
    }
}
