//! Facts about one entry: tokens, lines, effects.

use std::ops::Range;
use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{ContentBlock, ContentHash, Handle, TranscriptEntry};

use super::call::CallFacts;
use super::line_hash::{LineHash, LineId};
use crate::call_texts::argument_texts;
use crate::lines::{ExcerptSource, PriorShaping, ResultLines};

/// A line in the text arguments of a response's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLine {
    /// Index of the call in the response.
    pub call: u16,
    /// Index into the [`argument_texts`](crate::call_texts::argument_texts) of that call.
    pub text: u16,
    /// Byte range in that text, without the line break.
    pub range: Range<u32>,
}

/// Facts about one entry.
#[derive(Debug, Clone, Default)]
pub struct EntryFacts {
    /// Tokens of [`TranscriptEntry::prompt_text`].
    pub tokens: Tokens,
    /// The lines of a tool result; empty for other entries.
    pub printed: ResultLines,
    /// The text ids of the lines that can be compared: the printed lines of a tool result, or the
    /// lines in [`EntryFacts::arguments`] of a response.
    pub line_ids: Vec<LineId>,
    /// Number of lines at the start of a tool result with which foveal introduces an answer that it
    /// gave before.
    pub(crate) reuse_note_lines: usize,
    /// Hash of a tool result's [`EntryFacts::answer`], to find equal results.
    pub whole_hash: Option<LineHash>,
    /// Hash of a tool result's whole content under which it is stored; `None` for other entries.
    pub content_hash: Option<ContentHash>,
    /// The content of which foveal made this tool result an excerpt, if known for sure.
    pub excerpt_source: Option<ExcerptSource>,
    /// The lines of long texts in a response's call arguments (files written, edits made).
    pub arguments: Vec<ArgumentLine>,
    /// The call that a tool result answers, if known.
    pub call: Option<Arc<CallFacts>>,
    /// See [`EntryFacts::kind`]. This and the next field are copies, since every request reads them
    /// and calls are far away in memory.
    pub(crate) kind: EffectKind,
    /// Whether the call reads all of a file.
    pub(crate) reads_whole_file: bool,
    /// The facts of each call of a response.
    pub calls: Vec<Arc<CallFacts>>,
    /// Number of responses up to this entry, itself included.
    pub turn: u32,
    /// Whether a response makes an edit with a long text. Such a response counts among all
    /// expected uses, of which a rewrite may lose a share; the response itself stays.
    pub has_long_edit: bool,
    /// Whether a tool or hook of foveal shaped the result before.
    pub was_shaped_by_foveal: bool,
    /// Whether the result must not be replaced.
    pub is_fixed: bool,
    /// Whether the client flagged the result as an error.
    pub is_error: bool,
    /// Whether a tool result holds characters that a terminal would have overwritten or
    /// interpreted.
    pub has_terminal_noise: bool,
    /// Keys of the files that a message other than a tool result names.
    pub mentioned_files: Vec<LineHash>,
    /// Keys of the files that [`EntryFacts::call`] and [`EntryFacts::calls`] read or write. Every
    /// request reads them, too.
    pub files: Box<[LineHash]>,
}

impl EntryFacts {
    /// Returns the effect kind of a tool result's call; `Other` if the call is unknown.
    #[inline]
    pub fn kind(&self) -> EffectKind {
        self.kind
    }

    /// Returns the content address of a tool result.
    pub fn handle(&self) -> Option<Handle> {
        self.content_hash.map(|content| content.handle())
    }

    /// Returns whether the call asks for unchanged text.
    pub fn is_verbatim(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.effect.verbatim)
    }

    /// Returns whether the result already holds notes of foveal.
    pub fn has_foveal_notes(&self) -> bool {
        self.was_shaped_by_foveal && self.printed.prior_shaping == PriorShaping::Notes
    }

    /// Returns `content`, the result of this entry, without the lines with which foveal introduces
    /// an answer that it gave before.
    pub(crate) fn answer<'a>(&self, content: &'a str) -> &'a str {
        match self.printed.lines.get(self.reuse_note_lines) {
            Some(first) => content.get(first.whole.start as usize..).unwrap_or_default(),
            None => content,
        }
    }

    /// Returns the label of a tool result's call.
    pub fn label(&self) -> &str {
        self.call.as_ref().map_or("tool", |call| call.label.as_str())
    }
}

/// Fewest lines of a text that are worth a pointer.
const ARGUMENT_LINES_MIN: usize = 4;

pub(super) fn extract_argument_lines(
    entry: &TranscriptEntry,
) -> (Vec<ArgumentLine>, Vec<LineHash>) {
    let mut lines = Vec::new();
    let mut hashes = Vec::new();
    for (call, call_at) in entry.tool_calls().zip(0..u16::MAX) {
        for (text, text_at) in argument_texts(call).into_iter().zip(0..u16::MAX) {
            if text.bytes().filter(|byte| *byte == b'\n').count() + 1 < ARGUMENT_LINES_MIN {
                continue;
            }
            let mut start = 0u32;
            for line in text.split('\n') {
                let end = start + line.len() as u32;
                lines.push(ArgumentLine { call: call_at, text: text_at, range: start..end });
                hashes.push(LineHash::from_text(line));
                start = end + 1;
            }
            // Keeps a match from running on into the next text.
            lines.push(ArgumentLine { call: u16::MAX, text: u16::MAX, range: 0..0 });
            hashes.push(LineHash(0));
        }
    }
    (lines, hashes)
}

/// Returns the text of line `at` of `entry`, an index into [`EntryFacts::line_ids`].
pub fn line_text<'a>(entry: &'a TranscriptEntry, facts: &EntryFacts, at: usize) -> Option<&'a str> {
    if let Some(result) = entry.tool_result() {
        return facts.printed.lines.get(at).map(|line| line.file_text(&result.content));
    }
    let line = facts.arguments.get(at)?;
    let call = entry.tool_calls().nth(usize::from(line.call))?;
    let text = *argument_texts(call).get(usize::from(line.text))?;
    text.get(line.range.start as usize..line.range.end as usize)
}

/// Returns the texts of an entry that a model reads as text: text blocks, the texts in call
/// arguments, and a result's content.
pub fn visible_texts(entry: &TranscriptEntry) -> Vec<&str> {
    let mut texts = Vec::new();
    for block in &entry.blocks {
        match block {
            ContentBlock::Text(text) => texts.push(text.as_str()),
            ContentBlock::Call(call) => texts.extend(argument_texts(call)),
            ContentBlock::Result(result) => texts.push(&result.content),
            ContentBlock::Reasoning(_) | ContentBlock::Opaque { .. } => {}
        }
    }
    texts
}
