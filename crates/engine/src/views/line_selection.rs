//! The request to a view source and its answer, as values.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, LineNumber};
use serde::{Deserialize, Serialize};

use super::curation_progress::CurationRecord;
use crate::lines::ResultLine;
use crate::message_shape::ShapeKind;
use crate::note::MachineFileKind;
use crate::reduction_level::ReductionLevel;

/// Largest number of names that the note on one gap lists.
pub const GAP_NAMES_MAX: usize = 6;
/// Largest length of a listed name in bytes; longer names are omitted.
pub const NAME_BYTES_MAX: usize = 60;

/// The kind and size of a requested view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ViewRequest {
    /// The lines that matter to the conversation.
    Curated(CurationAmount),
    /// A summary of a file read long ago, in about this many tokens.
    Summary(Tokens),
}

impl ViewRequest {
    /// Returns an estimate of the tokens left of a read of `tokens`.
    pub(crate) fn estimate_tokens(self, tokens: Tokens) -> u64 {
        match self {
            ViewRequest::Curated(CurationAmount::Adaptive) => tokens.0 * 2 / 5,
            ViewRequest::Curated(CurationAmount::Share(share)) => {
                (tokens.0 as f64 * share.clamp(0.0, 1.0)) as u64
            }
            ViewRequest::Summary(most) => (tokens.0 / 4).min(most.0),
        }
    }

    /// Returns the request for a read that now takes `tokens`: a summary must be smaller than the
    /// read.
    pub(super) fn limit_to_read(self, tokens: Tokens) -> Self {
        match self {
            ViewRequest::Curated(_) => self,
            ViewRequest::Summary(_) => ViewRequest::Summary(Tokens(self.estimate_tokens(tokens))),
        }
    }

    /// Returns the kind of shape that the view leads to.
    pub(crate) fn shape_kind(self) -> ShapeKind {
        match self {
            ViewRequest::Curated(_) => ShapeKind::Curated,
            ViewRequest::Summary(_) => ShapeKind::Summary,
        }
    }
}

/// The share of a file that a curated view keeps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum CurationAmount {
    /// As much as the conversation demands.
    Adaptive,
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
}

/// The lines of a file to show. Ranges may come in any order; lines outside of the read are
/// ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LineSelection {
    /// First and last number of each range of lines to keep, both inclusive.
    pub lines: Vec<(LineNumber, LineNumber)>,
    /// Names defined in lines; notes list those of omitted lines.
    pub names: Vec<LineLabel>,
    /// Remarks that are put before kept lines.
    pub remarks: Vec<LineLabel>,
    /// The kind of the file, if little more than its head and its end is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<MachineFileKind>,
    /// The model that chose the view, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Box<CurationRecord>>,
    /// Whether each line was requested individually and must stay, even without content of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exact: bool,
}

/// A short text that belongs to a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LineLabel {
    /// The line.
    pub line: LineNumber,
    /// The text.
    pub text: Box<str>,
}

/// The view chosen for one read at one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenView {
    /// The result.
    pub entry: EntryIndex,
    /// The level at which the view applies.
    pub level: ReductionLevel,
    /// The file, as an index into [`ResultLines::paths`](crate::lines::ResultLines::paths), if the
    /// result shows several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<u16>,
    /// The request.
    pub wanted: ViewRequest,
    /// The answer.
    pub view: LineSelection,
}

impl ChosenView {
    /// Returns whether the view decides about a line of the result.
    pub(crate) fn covers(&self, line: &ResultLine) -> bool {
        line.number.is_some() && self.file.is_none_or(|file| line.path == Some(file))
    }
}

impl LineSelection {
    /// Returns whether the view keeps `line`.
    pub fn contains_line(&self, line: LineNumber) -> bool {
        self.lines.iter().any(|(first, last)| *first <= line && line <= *last)
    }

    /// Returns the kept lines as sorted ranges, for many look-ups.
    pub(crate) fn kept_ranges(&self) -> KeptLineRanges {
        let mut ranges = self.lines.clone();
        ranges.sort_unstable();
        let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
        for (first, end) in ranges.into_iter().filter(|(first, end)| first <= end) {
            match kept.last_mut() {
                Some((_, last)) if first <= *last => *last = end.max(*last),
                _ => kept.push((first, end)),
            }
        }
        KeptLineRanges(kept)
    }
}

/// Ranges of kept lines, ascending and disjoint.
pub(crate) struct KeptLineRanges(pub(super) Vec<(LineNumber, LineNumber)>);

impl KeptLineRanges {
    pub(crate) fn contains(&self, line: LineNumber) -> bool {
        let before = self.count_ranges_up_to(line).checked_sub(1);
        before.is_some_and(|at| line <= self.0[at].1)
    }

    /// Returns the number of ranges that begin at or before `line`.
    pub(super) fn count_ranges_up_to(&self, line: LineNumber) -> usize {
        self.0.partition_point(|(first, _)| *first <= line)
    }
}

/// Returns whether a note may list the label for a line with this text.
pub(crate) fn is_listable_name(label: &LineLabel, text: &str) -> bool {
    is_safe_in_note(&label.text, NAME_BYTES_MAX) && text.contains(&*label.text)
}

/// Returns whether a text from outside can be put into a note: it must not look like a part of one.
pub(crate) fn is_safe_in_note(text: &str, bytes_max: usize) -> bool {
    !text.is_empty()
        && text.len() <= bytes_max
        && !text.contains(|c: char| c.is_control() || c == '[' || c == ']')
        && !text.contains("expand ")
}
