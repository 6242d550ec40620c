//! Takes from a text, or from a large file, the lines for which an answer has room.

use foveal_cancel::Cancel;
use foveal_code::LineRange;
use foveal_code::curate::whole_until_in;
use foveal_context::room::Room;
use foveal_files::{LineLimits, LinesReader};
use foveal_transcript::LineNumber;

use crate::error::ToolError;
use crate::findings::{NumberedLine, NumberedLines};
use crate::room::{WIDEST, rows};
use crate::session::Work;

/// Bytes of one line in an answer that gives lines word for word.
const LINE_BYTES_MAX: usize = 100_000;

/// Bytes kept free for notes behind the lines.
const NOTES_BYTES: usize = 800;

/// Lines of a file that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedLines {
    /// The first, from 1.
    pub(crate) start: u32,
    /// The last.
    pub(crate) end: u32,
    /// Bytes of the first that are passed over.
    pub(crate) from_byte: u64,
}

impl AskedLines {
    /// Whole lines.
    pub(super) fn whole(start: u32, end: u32) -> Self {
        Self { start, end, from_byte: 0 }
    }
}

/// How much of a text is given at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartRoom {
    /// In all.
    pub(super) room: Room,
    /// Bytes of one line.
    pub(super) line_bytes: usize,
}

impl PartRoom {
    /// As much as one answer holds, with a note behind.
    pub(super) fn answer(work: &Work<'_>, path: &str) -> Self {
        let room = work.room_beside_heading(path).beside_notes(NOTES_BYTES);
        let tokens = usize::try_from(room.tokens.0).unwrap_or(usize::MAX);
        // There is room for a part of a line and its notes.
        let most = tokens.min(room.bytes / if room.is_json { 2 } else { 1 });
        Self { room, line_bytes: LINE_BYTES_MAX.min(most / 4 * 3).max(1) }
    }
}

/// The lines of the text of `path` that are asked for, as far as there is room for them; at least some
/// of the first. Where they do not all fit, the last ends a statement.
pub(super) fn of_text(
    (path, text): (&str, &str),
    asked: AskedLines,
    room: PartRoom,
) -> NumberedLines {
    let AskedLines { start, end, from_byte } = asked;
    let (mut taken, mut left) = (NumberedLines::default(), room.room);
    let mut before = usize::try_from(from_byte).unwrap_or(usize::MAX);
    let skipped = usize::try_from(start.saturating_sub(1)).unwrap_or(usize::MAX);
    for (number, line) in (start..=end).zip(rows(text).skip(skipped)) {
        let from = line.floor_char_boundary(std::mem::take(&mut before).min(line.len()));
        let rest = &line[from..];
        let mut kept = &rest[..rest.floor_char_boundary(room.line_bytes.min(rest.len()))];
        if taken.last().is_none() && !left.holds(kept) {
            // What is spelled long, as escapes are in JSON.
            kept = &kept[..left.fitting(kept)];
        }
        let line = NumberedLine {
            number,
            text: kept.to_owned(),
            before: from as u64,
            bytes: kept.len() as u64,
            after: (rest.len() - kept.len()) as u64,
        };
        if !taken.push_within(line, &mut left) {
            if from_byte == 0 {
                end_with_a_statement(&mut taken, (path, text), start);
            }
            break;
        }
    }
    taken
}

/// Leaves out what is taken of a last statement that goes on, unless that is all.
fn end_with_a_statement(taken: &mut NumberedLines, (path, text): (&str, &str), start: u32) {
    let Some(last) = taken.last() else { return };
    let kept = LineRange::new(LineNumber(start), LineNumber(last));
    if let Some(end) = whole_until_in(path, text, kept).filter(|end| end.0 >= start) {
        taken.end_at(end.0);
    }
}

/// Lines of a file that is too large to be read as a whole, and where to go on.
pub(super) fn of_large(
    (reader, path): (&mut LinesReader, &str),
    asked: AskedLines,
    room: PartRoom,
    cancel: &Cancel<'_>,
) -> Result<(NumberedLines, Option<u64>), ToolError> {
    let from = (LineNumber(asked.start), asked.from_byte);
    // As many bytes fit however they are spelled.
    let line_bytes_max = room.line_bytes / if room.room.is_json { 3 } else { 1 };
    let limits = LineLimits { line_bytes_max, bytes_max: room.room.bytes.min(WIDEST.bytes) };
    let lines = reader.lines_from(from, LineNumber(asked.end), &limits, cancel);
    let lines = lines.map_err(ToolError::failed)?;
    let mut before = asked.from_byte;
    if before > 0 && lines.lines.first().is_some_and(|line| line.bytes == 0) {
        return Err(no_bytes(path, asked.start, None));
    }
    let (mut taken, mut left) = (NumberedLines::default(), room.room);
    for line in &lines.lines {
        let number = line.number.0;
        let line = NumberedLine {
            number,
            text: line.text.clone(),
            before: std::mem::take(&mut before),
            bytes: line.bytes,
            after: line.left_out_bytes,
        };
        if !taken.push_within(line, &mut left) {
            return Ok((taken, Some(u64::from(number))));
        }
    }
    Ok((taken, lines.next.map(|next| u64::from(next.0))))
}

/// A line has fewer bytes than are to be passed over.
pub(super) fn no_bytes(path: &str, line: u32, bytes: Option<u64>) -> ToolError {
    let has = bytes.map(|bytes| format!(": it has {bytes} bytes")).unwrap_or_default();
    ToolError::failed(format!("line {line} of `{path}` has nothing from that byte on{has}"))
}
