//! What is asked of views and what they answer, as values.

use serde::{Deserialize, Serialize};

use super::watch::ChosenBy;
use crate::level::Level;
use crate::note::FileSort;
use crate::shape::ShapeKind;
use crate::tokens::Tokens;
use foveal_transcript::{EntryIndex, LineNumber};

/// Names told of one gap.
pub const NAMES_MAX: usize = 6;
/// Bytes of a name; longer ones are not told.
pub const NAME_BYTES_MAX: usize = 60;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Wanted {
    /// The lines that matter to the conversation.
    Curated(Amount),
    /// What stands for the file in history, in about so many tokens.
    Summary(Tokens),
}

impl Wanted {
    /// What a read of so many tokens is about left with.
    pub(crate) fn tokens_left(self, tokens: Tokens) -> u64 {
        match self {
            Wanted::Curated(Amount::Adaptive) => tokens.0 * 2 / 5,
            Wanted::Curated(Amount::Share(share)) => {
                (tokens.0 as f64 * share.clamp(0.0, 1.0)) as u64
            }
            Wanted::Summary(most) => (tokens.0 / 4).min(most.0),
        }
    }

    /// The same, of a read that now takes so many tokens: what stands for it must be smaller.
    pub(super) fn of_read(self, tokens: Tokens) -> Self {
        match self {
            Wanted::Curated(_) => self,
            Wanted::Summary(_) => Wanted::Summary(Tokens(self.tokens_left(tokens))),
        }
    }

    /// The kind of replacement that it leads to.
    pub(crate) fn kind(self) -> ShapeKind {
        match self {
            Wanted::Curated(_) => ShapeKind::Curated,
            Wanted::Summary(_) => ShapeKind::Summary,
        }
    }
}

/// How much of a file is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Amount {
    /// As much as the conversation demands.
    Adaptive,
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
}

/// The lines of a file to show. It need not be in order; what is not of the read is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// First and last number of lines to keep, both included.
    pub lines: Vec<(LineNumber, LineNumber)>,
    /// Names that stand in lines, told where these are left out.
    pub names: Vec<Label>,
    /// What is said before lines that are kept.
    pub remarks: Vec<Label>,
    /// What sort of file it is, where little more than its ends is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<FileSort>,
    /// The model that chose it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Box<ChosenBy>>,
    /// Whether each of its lines is wanted for itself, and may not go however little it says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exact: bool,
}

/// A short text that belongs to a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// The line.
    pub line: LineNumber,
    /// The text.
    pub text: Box<str>,
}

/// What was chosen of one read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The result.
    pub entry: EntryIndex,
    /// The level at which it is shown so.
    pub level: Level,
    /// What was asked for.
    pub wanted: Wanted,
    /// What was answered.
    pub view: View,
}

impl View {
    /// Whether a line is to be kept.
    pub fn keeps(&self, line: LineNumber) -> bool {
        self.lines.iter().any(|(first, last)| *first <= line && line <= *last)
    }

    /// The lines to be kept, to be asked of many.
    pub(crate) fn kept(&self) -> KeptRanges {
        let mut ranges = self.lines.clone();
        ranges.sort_unstable();
        let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
        for (first, end) in ranges.into_iter().filter(|(first, end)| first <= end) {
            match kept.last_mut() {
                Some((_, last)) if first <= *last => *last = end.max(*last),
                _ => kept.push((first, end)),
            }
        }
        KeptRanges(kept)
    }
}

/// Ranges of lines, ascending and apart.
pub(crate) struct KeptRanges(pub(super) Vec<(LineNumber, LineNumber)>);

impl KeptRanges {
    pub(crate) fn has(&self, line: LineNumber) -> bool {
        let before = self.ranges_before(line).checked_sub(1);
        before.is_some_and(|at| line <= self.0[at].1)
    }

    /// How many ranges begin at or before a line.
    pub(super) fn ranges_before(&self, line: LineNumber) -> usize {
        self.0.partition_point(|(first, _)| *first <= line)
    }
}

/// Whether a name can be told of a line with this text.
pub(crate) fn is_name_in(label: &Label, text: &str) -> bool {
    is_fit(&label.text, NAME_BYTES_MAX) && text.contains(&*label.text)
}

/// Whether a text from outside can stand in a note: what it says must not look like a part
/// of one.
pub(crate) fn is_fit(text: &str, bytes_max: usize) -> bool {
    !text.is_empty()
        && text.len() <= bytes_max
        && !text.contains(|c: char| c.is_control() || c == '[' || c == ']')
        && !text.contains("expand ")
}
