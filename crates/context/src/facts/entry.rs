//! What is known about one entry: tokens, lines, effects.

use std::ops::Range;
use std::sync::Arc;

use super::call::CallFacts;
use super::edits::EditFacts;
use super::hash::{LineHash, LineId};
use crate::call_texts::argument_texts;
use crate::lines::{ExcerptSource, Printed, PriorShaping};
use crate::tokens::Tokens;
use foveal_effects::EffectKind;
use foveal_transcript::{Block, ContentHash, Entry, Handle};

/// One line in the text arguments of a response's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLine {
    /// Which call of the response.
    pub call: u16,
    /// Which of [`argument_texts`](crate::call_texts::argument_texts) of that call.
    pub text: u16,
    /// Byte range in that text, without the line break.
    pub range: Range<u32>,
}

/// What is known about one entry.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Tokens of [`Entry::prompt_text`].
    pub tokens: Tokens,
    /// The lines of a tool result; empty for other entries.
    pub printed: Printed,
    /// The text of each line that others can be compared with: of a tool result its
    /// printed lines, of a model's response the lines in [`Facts::arguments`].
    pub ids: Vec<LineId>,
    /// Hash of a tool result's whole content.
    pub whole: Option<LineHash>,
    /// Hash of a tool result's whole content, by which it can be kept; `None` for other entries.
    pub content: Option<ContentHash>,
    /// The content that foveal shortened to this tool result before, where that is known for sure.
    pub excerpt_source: Option<ExcerptSource>,
    /// The lines of long texts in a response's call arguments (files written, edits made).
    pub arguments: Vec<ArgumentLine>,
    /// The call a tool result answers, where it is known.
    pub call: Option<Arc<CallFacts>>,
    /// See [`Facts::kind`]. It is looked at with every request, as is the next, and calls are far away
    /// in memory.
    pub(crate) kind: EffectKind,
    /// Whether that call reads all of a file.
    pub(crate) reads_whole: bool,
    /// For a model's response: what each of its calls does.
    pub calls: Vec<Arc<CallFacts>>,
    /// Responses up to this entry, itself included.
    pub turn: u32,
    /// For a model's response: the long texts of its edits.
    pub edits: EditFacts,
    /// Whether foveal itself shaped the result before: one of its tools or hooks.
    pub is_own: bool,
    /// Whether nothing can stand in place of the result.
    pub is_fixed: bool,
    /// Whether the client flagged the result as an error.
    pub is_error: bool,
    /// Whether a tool result holds what a terminal would not have left on the screen.
    pub noisy: bool,
    /// Keys of the files that a message other than a tool result names.
    pub names: Vec<LineHash>,
    /// Keys of the files that the calls of [`Facts::call`] and [`Facts::calls`] read or write. They
    /// are looked up with every request too.
    pub files: Box<[LineHash]>,
}

impl Facts {
    /// The effect kind of a tool result's call; `Other` where the call is unknown.
    #[inline]
    pub fn kind(&self) -> EffectKind {
        self.kind
    }

    /// Content address of a tool result.
    pub fn handle(&self) -> Option<Handle> {
        self.content.map(|content| content.handle())
    }

    /// Whether the call asked for text as it is.
    pub fn is_verbatim(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.effect.verbatim)
    }

    /// Whether notes of foveal's stand in the result already.
    pub fn has_own_notes(&self) -> bool {
        self.is_own && self.printed.prior_shaping == PriorShaping::Notes
    }

    /// The label of a tool result's call.
    pub fn label(&self) -> &str {
        self.call.as_ref().map_or("tool", |call| call.label.as_str())
    }
}

/// Texts with fewer lines are not worth pointing at.
const ARGUMENT_LINES_MIN: usize = 4;

pub(super) fn argument_lines(entry: &Entry) -> (Vec<ArgumentLine>, Vec<LineHash>) {
    let mut lines = Vec::new();
    let mut hashes = Vec::new();
    for (call, call_at) in entry.calls().zip(0..u16::MAX) {
        for (text, text_at) in argument_texts(call).into_iter().zip(0..u16::MAX) {
            if text.bytes().filter(|byte| *byte == b'\n').count() + 1 < ARGUMENT_LINES_MIN {
                continue;
            }
            let mut start = 0u32;
            for line in text.split('\n') {
                let end = start + line.len() as u32;
                lines.push(ArgumentLine { call: call_at, text: text_at, range: start..end });
                hashes.push(LineHash::of(line));
                start = end + 1;
            }
            // Keeps a match from running on into the next text.
            lines.push(ArgumentLine { call: u16::MAX, text: u16::MAX, range: 0..0 });
            hashes.push(LineHash(0));
        }
    }
    (lines, hashes)
}

/// The text of line `at` of `entry`, as counted by [`Facts::ids`].
pub fn line_text<'a>(entry: &'a Entry, facts: &Facts, at: usize) -> Option<&'a str> {
    if let Some(result) = entry.result() {
        return facts.printed.lines.get(at).map(|line| line.text_in(&result.content));
    }
    let line = facts.arguments.get(at)?;
    let call = entry.calls().nth(usize::from(line.call))?;
    let text = *argument_texts(call).get(usize::from(line.text))?;
    text.get(line.range.start as usize..line.range.end as usize)
}

/// The texts of an entry that a model reads as such: text blocks, the texts in call
/// arguments, and a result's content.
pub fn visible_texts(entry: &Entry) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &entry.blocks {
        match block {
            Block::Text(text) => texts.push(text.as_str()),
            Block::Call(call) => texts.extend(argument_texts(call)),
            Block::Result(result) => texts.push(&result.content),
            Block::Reasoning(_) | Block::Opaque { .. } => {}
        }
    }
    texts
}
