//! Who decides what the model is sent of what a call found.
//!
//! Whoever holds the conversation gives the shaper: a session that serves a client by itself has
//! its own, [`Shown`](super::Shown); an agent or a gateway that shapes whole requests takes
//! answers [`Unshaped`], so that nothing is shaped twice.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use foveal_context::room::Room;
use foveal_context::shape::{Decision, Shape};
use foveal_context::views::{ChosenBy, Watch};
use foveal_transcript::{EntryIndex, Handle, Timestamp};

use crate::read_view::ReadView;
use crate::room::rows;

use super::deliveries::{CallView, Settled};
use super::seen::Seen;

/// Decides what the model is sent of what a call found.
pub trait Shaper: fmt::Debug + Send {
    /// Answers a call; a read shows `view` of its file.
    fn shape(&mut self, call: ShownCall<'_>, content: String, view: ReadView) -> ShapedAnswer;

    /// Goes on where a session ended: its calls in order. False, and nothing counts as shown,
    /// if some are missing.
    fn resume(&mut self, calls: Vec<EarlierCall>) -> bool;

    /// Forgets all that was shown: nothing is pointed at any more.
    fn forget(&mut self);

    /// The answers of these calls have come to count for every call, or never will. The places
    /// of those that count and awaited it.
    fn settle(&mut self, _settled: &Settled) -> Vec<EntryIndex> {
        Vec::new()
    }

    /// Whether so many bytes more are too many: all is to be forgotten first.
    fn is_full(&self, bytes: usize) -> bool;

    /// The whole of the latest answer with this handle, while it is held.
    fn whole(&self, handle: Handle) -> Option<&str>;
}

/// A call that is answered.
#[derive(Debug, Clone, Copy)]
pub struct ShownCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its arguments as carried out.
    pub arguments: &'a Value,
    /// What the model wants to know, where it says so.
    pub question: Option<&'a str>,
    /// Whether the call failed.
    pub is_error: bool,
    /// The folder that its relative paths start at, where it was carried out.
    pub directory: Option<&'a Path>,
    /// When.
    pub time: Timestamp,
    /// How much of what it found may be sent.
    pub room: Room,
    /// Bytes at its end that are notes, and are sent in any case.
    pub end_bytes: usize,
    /// Which answers it may point at.
    pub view: &'a CallView,
    /// Whether it may point at any.
    pub may_point: bool,
    /// Who waits for it.
    pub watch: Watch<'a>,
}

/// A call of an earlier process, as it was answered.
#[derive(Debug, Clone)]
pub struct EarlierCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments as carried out.
    pub arguments: Value,
    /// What the model wanted to know.
    pub question: Option<String>,
    /// The whole of what was found.
    pub content: String,
    /// Whether that was an error.
    pub is_error: bool,
    /// The folder that relative paths started at, where that is known.
    pub directory: Option<PathBuf>,
    /// When.
    pub time: Timestamp,
    /// Where its answer stood in what was shown.
    pub place: EntryIndex,
    /// What was decided on it.
    pub decision: Decision,
    /// Whether its client got the answer.
    pub is_delivered: bool,
}

/// An answer as it is sent.
#[derive(Debug, Clone)]
pub struct ShapedAnswer {
    /// What is sent.
    pub text: String,
    /// The handle of the whole.
    pub handle: Handle,
    /// Bytes of the whole.
    pub bytes: u64,
    /// What was replaced; `None`: nothing.
    pub shape: Option<Arc<Shape>>,
    /// The numbers of the lines that stand in it.
    pub shown: Seen,
    /// The numbers of lines of which something is left out, rather than pointed at.
    pub left_out: Seen,
    /// Lines with a number that there are, and that stand in it.
    pub lines: LineCounts,
    /// Whether the model is sent this; false: its caller decides what of it is sent.
    pub is_final: bool,
    /// Where the answer stands in what was shown, so that later ones may point at it; `None`: it
    /// may not stay as it is.
    pub place: Option<EntryIndex>,
    /// The model that chose what of a file is shown, if one did.
    pub chosen_by: Option<Box<ChosenBy>>,
}

/// Numbered lines of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    /// Those that there are.
    pub all: u32,
    /// Those that stand in it.
    pub shown: u32,
}

/// Gives every answer whole, for a caller that shapes the conversation itself. No note of such a
/// session points at an earlier answer: only the caller knows what of it the model still sees.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unshaped;

impl Shaper for Unshaped {
    fn shape(&mut self, _: ShownCall<'_>, content: String, _: ReadView) -> ShapedAnswer {
        let numbers = rows(&content).filter_map(|row| row.split_once('→')?.0.parse().ok());
        let shown = Seen::of(numbers.map(|number: u32| (number, number)));
        let count = shown.count();
        ShapedAnswer {
            handle: Handle::of(content.as_bytes()),
            bytes: content.len() as u64,
            text: content,
            shape: None,
            shown,
            left_out: Seen::default(),
            lines: LineCounts { all: count, shown: count },
            is_final: false,
            place: None,
            chosen_by: None,
        }
    }

    fn resume(&mut self, _: Vec<EarlierCall>) -> bool {
        true
    }

    fn forget(&mut self) {}

    fn is_full(&self, _: usize) -> bool {
        false
    }

    fn whole(&self, _: Handle) -> Option<&str> {
        None
    }
}
