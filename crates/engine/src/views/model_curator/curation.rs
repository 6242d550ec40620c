//! The lines that a model chose of a file, and the defects of its answers.

use std::fmt;

use crate::views::LineSelection;
use crate::views::line_selection::KeptLineRanges;
use foveal_transcript::LineNumber;

/// The reason why an answer is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnusableAnswer {
    /// The answer has no JSON object with `line_ranges`.
    NoRanges,
    /// No range has lines of the file.
    NoLines,
}

impl fmt::Display for UnusableAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnusableAnswer::NoRanges => "the answer holds no JSON object with `line_ranges`",
            UnusableAnswer::NoLines => "no range of the answer has lines of the file",
        })
    }
}

/// The lines that a model chose of a file, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curation {
    /// The lines, ascending, ranges apart from each other.
    pub view: LineSelection,
    /// The model's reasons, in its order.
    pub reasons: Vec<RangeReason>,
    /// The model's summary of its choice.
    pub summary: Option<Box<str>>,
    /// Lines of the read.
    pub lines: u32,
    /// The number of them that the view keeps.
    pub lines_kept: u32,
}

/// The model's reason for one range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeReason {
    /// First line.
    pub first: LineNumber,
    /// Last line, inclusive.
    pub last: LineNumber,
    /// The model's words.
    pub text: Box<str>,
}

impl Curation {
    /// Creates a curation that keeps none of `lines`.
    pub(super) fn empty(lines: u32) -> Self {
        let (view, reasons) = (LineSelection::default(), Vec::new());
        Self { view, reasons, summary: None, lines, lines_kept: 0 }
    }

    /// Joins the curations of a file's parts, given in order.
    pub(super) fn from_split_read(parts: Vec<Self>) -> Self {
        let mut all = Self::empty(0);
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

    /// Removes lines that are not in `among`, which the model was not asked about.
    pub(super) fn restrict_to(mut self, among: &KeptLineRanges) -> Self {
        let clipped = |(first, last): &(LineNumber, LineNumber)| {
            let both = among.0.iter().map(|range| (range.0.max(*first), range.1.min(*last)));
            both.filter(|(first, last)| first <= last).collect::<Vec<_>>()
        };
        self.view.lines = self.view.lines.iter().flat_map(clipped).collect();
        self.lines_kept = self.view.lines.iter().map(|(first, last)| last.0 - first.0 + 1).sum();
        self
    }

    /// Returns the percentage of lines that the view keeps.
    pub fn preserved_percentage(&self) -> f64 {
        100.0 * f64::from(self.lines_kept) / f64::from(self.lines.max(1))
    }
}
