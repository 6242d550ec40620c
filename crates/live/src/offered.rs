//! A tool that gives back what was left out, put into requests and answered behind the client's
//! back: what becomes of requests, and what is kept.

use foveal_context::note::{Lines, Note, NoteKind};
use foveal_transcript::{ContentHash, Handle, ParseHandleError};
use foveal_wire::body::{Answered, Hidden};
use foveal_wire::response::Called;
use serde::{Deserialize, Serialize};

use crate::recorder::Unrecorded;

/// Lines given at once, at most.
const LINES_MAX: usize = 2_000;

/// Bytes given at once: the line that they end in is given whole, up to as many again.
const BYTES_MAX: usize = 100_000;

/// Answers to one beginning of a conversation of which something is kept: who asks the same again
/// may be answered otherwise.
pub(crate) const VARIANTS_MAX: usize = 64;

/// A request that has the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The body: the client's, with the tool, and with the calls that were answered earlier.
    pub body: Vec<u8>,
    /// What its answer is kept under.
    pub place: Place,
    /// Whether something is missing that was hidden of earlier answers, since it cannot be read at
    /// the moment.
    pub is_partial: bool,
}

/// Whether a conversation has the tool cannot be known at the moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("whether the conversation has the tool cannot be known: {0}")]
pub struct Unoffered(#[from] pub Unrecorded);

/// What is kept of an answer is found by the conversation up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(crate) conversation: String,
    pub(crate) root: ContentHash,
    pub(crate) end: ContentHash,
    pub(crate) before: ContentHash,
    /// What is found of the conversation's beginning.
    pub(crate) begins: ContentHash,
    pub(crate) is_first: bool,
}

impl Place {
    /// Whether it is the first answer of its conversation, by which that is known from then on.
    pub fn is_first(&self) -> bool {
        self.is_first
    }
}

/// One round of an answer: what the client was shown of it, and the calls that it was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// What the client was shown.
    pub shown: Vec<String>,
    /// The calls, and what each was told.
    pub calls: Vec<Kept>,
}

/// A call that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    at: usize,
    id: String,
    spelled: String,
    told: Told,
}

/// What a call was told. Contents are kept once, behind their handles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// Lines of a content, without secrets.
    Lines {
        /// Its handle.
        handle: String,
        /// The first line, counted from 1.
        start: usize,
        /// How many.
        count: usize,
    },
    /// Why there is nothing.
    Failed(String),
}

/// A call with its result, and what is kept of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// As it goes to the model.
    pub answered: Answered,
    /// As it is kept.
    pub kept: Kept,
}

/// What is noted of a conversation at its start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Begins {
    /// The tool as each of its requests declares it; `None` where the first went without.
    pub(crate) tool: Option<String>,
    /// What was shown of first answers, the last last: others began with the same words. One that
    /// is empty broke off.
    #[serde(default)]
    pub(crate) answers: Vec<Vec<String>>,
    /// Whether a conversation that begins so went without the tool.
    #[serde(default)]
    pub(crate) has_others: bool,
}

/// What is noted of the answers to one request.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// The last last.
    pub(crate) answers: Vec<Vec<Round>>,
}

/// The arguments of the tool.
#[derive(Debug, Deserialize)]
struct Arguments {
    handle: String,
    start: Option<usize>,
}

/// The handle and the first line that a call asks for.
pub(crate) fn asked(called: &Called) -> Result<(Handle, usize), BadCall> {
    let arguments: Arguments = serde_json::from_str(&called.input)?;
    let handle = arguments.handle.trim().parse::<Handle>()?;
    Ok((handle, arguments.start.unwrap_or(1)))
}

/// What is wrong with a call, as the model is told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadCall {
    #[error("{0}; give a handle as it stands in a note: 12 hex digits")]
    Arguments(#[from] serde_json::Error),
    #[error("{0}; give a handle as it stands in a note: 12 hex digits")]
    Handle(#[from] ParseHandleError),
}

/// The lines from `start` on that are given at once.
pub(crate) fn page(content: &str, handle: Handle, start: usize) -> Told {
    let all = content.lines().count();
    if start == 0 || start > all.max(1) {
        return Told::Failed(format!("there is no line {start}: there are {all}, counted from 1"));
    }
    let (mut bytes, mut count) = (0, 0);
    for line in content.split_inclusive('\n').skip(start - 1).take(LINES_MAX) {
        if bytes + line.len() > BYTES_MAX && count > 0 {
            break;
        }
        (bytes, count) = (bytes + line.len(), count + 1);
    }
    Told::Lines { handle: handle.to_string(), start, count }
}

/// Lines of a content as the model gets them: word for word, and a note where there are more.
pub(crate) fn lines(content: &str, start: usize, count: usize) -> String {
    let all = content.lines().count();
    let lines = content.split_inclusive('\n').skip(start - 1).take(count);
    let mut text: String = lines.collect();
    let last = start + count - 1;
    if text.len() > 2 * BYTES_MAX {
        let rest = text.len() - text.floor_char_boundary(BYTES_MAX);
        text.truncate(text.len() - rest);
        text.push_str(&format!("\n[… {rest} bytes of this line cannot be given]\n"));
    }
    if last < all {
        let lines = vec![Lines(start as u32, last as u32)];
        let note = Note { lines, ..Note::new(NoteKind::PartOf(all as u32)) };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note.to_string());
    }
    text
}

impl Given {
    /// A call, what it is told and the text that this means.
    pub(crate) fn new(called: &Called, told: Told, text: String) -> Self {
        let is_error = matches!(told, Told::Failed(_));
        let Called { id, spelled, at, .. } = called.clone();
        Self {
            answered: Answered { called: called.clone(), text, is_error },
            kept: Kept { at, id, spelled, told },
        }
    }

    /// A call that gets nothing, and why.
    pub fn failed(called: &Called, why: &str) -> Self {
        Self::new(called, Told::Failed(why.to_owned()), why.to_owned())
    }
}

/// The rounds with their texts; `None` where one is no longer kept.
pub(crate) fn hidden(
    rounds: &[Round],
    text: &mut dyn FnMut(&Told) -> Option<String>,
) -> Option<Vec<Hidden>> {
    let hidden = rounds.iter().map(|round| {
        let calls = round.calls.iter().map(|Kept { at, id, spelled, told }| {
            let (id, spelled, input) = (id.clone(), spelled.clone(), String::new());
            let called = Called { id, input, spelled, at: *at };
            let is_error = matches!(told, Told::Failed(_));
            Some(Answered { called, text: text(told)?, is_error })
        });
        Some(Hidden { shown: round.shown.clone(), calls: calls.collect::<Option<_>>()? })
    });
    hidden.collect()
}
