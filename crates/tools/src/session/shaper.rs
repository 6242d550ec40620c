//! The decision how much of a tool's findings is sent to the model.
//!
//! The owner of the conversation provides the shaper. A session that serves a client by itself has
//! its own, [`TranscriptShaper`](super::TranscriptShaper). An agent or a gateway that shapes whole
//! requests uses [`PassthroughShaper`], so that nothing is shaped twice.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use foveal_engine::message_shape::{Decision, MessageShape};
use foveal_engine::output_budget::OutputBudget;
use foveal_engine::views::{CurationRecord, ProgressListener};
use foveal_transcript::{EntryIndex, Handle, Timestamp};

use crate::answer_budget::split_rows;
use crate::read_view::ReadView;

use super::deliveries::{CallVisibility, SettledCallIds};
use super::line_range_set::LineRangeSet;

/// Decides how much of a tool's findings is sent to the model.
pub trait AnswerShaper: fmt::Debug + Send {
    /// Shapes the answer to a call; a read shows its file in the form of `view`.
    fn shape(&mut self, call: ShapingInput<'_>, content: String, view: ReadView) -> ShapedAnswer;

    /// Restores the calls of a session, in order. Returns false, with nothing counting as shown, if
    /// some are missing.
    fn restore(&mut self, calls: Vec<RestoredCall>) -> bool;

    /// Forgets all shown content: no answer points at it any more.
    fn clear_visibility(&mut self);

    /// Applies the settled calls. Returns the places of the answers that became visible to all
    /// calls and had awaited their delivery.
    fn apply_settled(&mut self, _settled: &SettledCallIds) -> Vec<EntryIndex> {
        Vec::new()
    }

    /// Returns whether `bytes` more would exceed the capacity, so that all content must be
    /// forgotten first.
    fn would_overflow(&self, bytes: usize) -> bool;

    /// Returns the whole content of the latest answer with this handle, while it is in memory.
    fn find_whole_content(&self, handle: Handle) -> Option<&str>;
}

/// A call whose answer is to be shaped.
#[derive(Debug, Clone, Copy)]
pub struct ShapingInput<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments that the tool ran with.
    pub arguments: &'a Value,
    /// The model's question, if it gave one.
    pub question: Option<&'a str>,
    /// Whether the call failed.
    pub is_error: bool,
    /// The folder in which the call's relative paths start.
    pub directory: Option<&'a Path>,
    /// The time of the call.
    pub time: Timestamp,
    /// The limit of the shaped content's size.
    pub output_budget: OutputBudget,
    /// Bytes of notes at the end of the content, which are sent in any case.
    pub trailing_note_bytes: usize,
    /// The earlier answers that the call may point at.
    pub visibility: &'a CallVisibility,
    /// Whether it may point at any answer.
    pub may_point: bool,
    /// Receives the progress of long work, such as a curation by a model.
    pub watch: ProgressListener<'a>,
}

/// A call of an earlier process, with its answer.
#[derive(Debug, Clone)]
pub struct RestoredCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments that the tool ran with.
    pub arguments: Value,
    /// The model's question.
    pub question: Option<String>,
    /// The whole content that the tool found.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The folder in which relative paths started, if it is known.
    pub directory: Option<PathBuf>,
    /// The time of the call.
    pub time: Timestamp,
    /// The answer's place in the transcript.
    pub place: EntryIndex,
    /// The engine's decision on the answer.
    pub decision: Decision,
    /// Whether the client received the answer.
    pub is_delivered: bool,
}

/// An answer as it is sent.
#[derive(Debug, Clone)]
pub struct ShapedAnswer {
    /// The text that is sent.
    pub text: String,
    /// The handle of the whole content.
    pub handle: Handle,
    /// Bytes of the whole content.
    pub bytes: u64,
    /// The reduction; `None` if the content is sent whole.
    pub shape: Option<Arc<MessageShape>>,
    /// The numbers of the lines in the answer.
    pub shown: LineRangeSet,
    /// The numbers of the lines that are left out, wholly or in part, and not pointed at.
    pub left_out: LineRangeSet,
    /// The counts of numbered lines.
    pub lines: LineCounts,
    /// Whether the text is what the model receives; false if the caller reduces it further.
    pub is_final: bool,
    /// The answer's place in the transcript, at which later answers may point; `None` if the answer
    /// may not persist in the prompt.
    pub place: Option<EntryIndex>,
    /// The model that chose the shown lines of a file, if one did.
    pub chosen_by: Option<Box<CurationRecord>>,
}

/// The counts of numbered lines of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines of the whole content.
    pub all: u32,
    /// Lines in the answer.
    pub shown: u32,
}

/// Returns each answer whole, for callers that shape the conversation themselves. Notes of such a
/// session point at no earlier answer, as only the caller knows which content the model still sees.
#[derive(Debug, Clone, Copy, Default)]
pub struct PassthroughShaper;

impl AnswerShaper for PassthroughShaper {
    fn shape(&mut self, _: ShapingInput<'_>, content: String, _: ReadView) -> ShapedAnswer {
        let numbers = split_rows(&content).filter_map(|row| row.split_once('→')?.0.parse().ok());
        let shown = LineRangeSet::from_ranges(numbers.map(|number: u32| (number, number)));
        let count = shown.count();
        ShapedAnswer {
            handle: Handle::from_content(content.as_bytes()),
            bytes: content.len() as u64,
            text: content,
            shape: None,
            shown,
            left_out: LineRangeSet::default(),
            lines: LineCounts { all: count, shown: count },
            is_final: false,
            place: None,
            chosen_by: None,
        }
    }

    fn restore(&mut self, _: Vec<RestoredCall>) -> bool {
        true
    }

    fn clear_visibility(&mut self) {}

    fn would_overflow(&self, _: usize) -> bool {
        false
    }

    fn find_whole_content(&self, _: Handle) -> Option<&str> {
        None
    }
}
