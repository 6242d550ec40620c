//! `expand`: what was left out of an earlier answer.

use foveal_context::note::{Counts, Giver, Lines, Note, NoteKind};
use foveal_context::room::Room;
use foveal_transcript::Handle;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Repeats, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Expand>(
    "expand",
    "Show what was left out",
    "Get what was left out, by the handle in its note (12 hex digits).",
    Hints::LOOKS,
)
.lean()
.repeated(Repeats::Shaper);

/// Lines given at once where the call says nothing.
const LINES: usize = 2_000;
/// Bytes given at once at most.
const BYTES_MAX: usize = 200_000;
/// Bytes kept free for the note behind them.
const NOTE_BYTES: usize = 200;

/// Arguments of `expand`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expand {
    handle: String,
    /// First line, 1 if not given
    start: Option<usize>,
    end: Option<usize>,
    /// Byte of line `start` to begin at
    from_byte: Option<usize>,
}

impl ToolArguments for Expand {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.handle.trim().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let handle: Handle =
            self.handle.trim().parse().map_err(|error: foveal_transcript::ParseHandleError| {
                ToolError::arguments(TOOL.name, error.to_string())
            })?;
        let Some(content) = work.session.content(handle) else {
            return Err(ToolError::failed(format!(
                "nothing is kept under `{handle}`: it may be too old, or of another machine; do \
                 what gave it again"
            )));
        };
        self.part(&content, work.room_beside_heading("").beside_notes(NOTE_BYTES))
    }
}

impl Expand {
    fn part(&self, content: &str, room: Room) -> Result<Findings, ToolError> {
        let all = content.lines().count();
        let start = self.start.unwrap_or(1);
        let end = self.end.unwrap_or(start.saturating_add(LINES - 1));
        if start == 0 || end < start || start > all.max(1) {
            let what = format!("no lines {start} to {end}: there are {all}, counted from 1");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let mut text = AnswerText::default();
        let mut left = Room { bytes: room.bytes.min(BYTES_MAX), ..room };
        let mut last = start - 1;
        let mut before = self.from_byte.unwrap_or(0);
        for line in content.split_inclusive('\n').skip(start - 1).take(end - start + 1) {
            let from = line.floor_char_boundary(std::mem::take(&mut before).min(line.len()));
            let rest = &line[from..];
            let mut kept = rest;
            if !left.take(rest) {
                if !text.text().is_empty() {
                    break;
                }
                kept = &rest[..left.fitting(rest)];
            }
            text.content(kept);
            last += 1;
            if kept.len() < rest.len() {
                let (bytes, next) = (rest.len() - kept.len(), from + kept.len());
                let counts = Counts { bytes: bytes as u32, ..Counts::default() };
                let (tool, line, from_byte) = (Giver::Expand, last as u32, next as u64);
                let rest = NoteKind::LineRest { tool, line, from_byte };
                text.note_here(Note { counts, ..Note::new(rest) });
                text.end_line();
                return Ok(Findings::text(text));
            }
        }
        if last < all && self.end.is_none_or(|end| last < end) {
            let lines = vec![Lines(start as u32, last as u32)];
            text.note(Note { lines, ..Note::new(NoteKind::PartOf(all as u32)) });
        }
        Ok(Findings::text(text))
    }
}
