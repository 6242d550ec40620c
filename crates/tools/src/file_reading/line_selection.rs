//! The selection of the lines of a text, or of a large file, that fit in an answer.

use foveal_engine::output_budget::OutputBudget;
use foveal_relevance::curation::last_uncut_line_of_text;
use foveal_screen::numbers::PlainCount;
use foveal_syntax::LineRange;
use foveal_transcript::{CancelToken, LineNumber};
use foveal_workspace::{LineLimits, LineRangeReader};

use crate::answer_budget::{BUDGET_MAX, split_rows};
use crate::error::ToolError;
use crate::findings::{NumberedLine, NumberedLines};
use crate::session::CallContext;

/// Most bytes of one line in an answer that gives lines word for word.
const LINE_BYTES_MAX: usize = 100_000;

/// Bytes reserved for notes after the lines.
const NOTES_BYTES: usize = 800;

/// The lines of a file that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestedLines {
    /// The first line, from 1.
    pub(crate) start: u32,
    /// The last line.
    pub(crate) end: u32,
    /// Bytes of the first line to skip.
    pub(crate) from_byte: u64,
}

impl RequestedLines {
    /// Creates a request for whole lines.
    pub(super) fn whole_lines(start: u32, end: u32) -> Self {
        Self { start, end, from_byte: 0 }
    }
}

/// The output budget of one selection of lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct RangeBudget {
    /// The budget of all lines.
    pub(super) output_budget: OutputBudget,
    /// Most bytes of one line.
    pub(super) line_bytes: usize,
}

impl RangeBudget {
    /// Returns the budget of one answer, less a note after the lines.
    pub(super) fn for_answer(work: &CallContext<'_>, path: &str) -> Self {
        let output_budget = work.budget_below_heading(path).reserve_notes(NOTES_BYTES);
        let tokens = usize::try_from(output_budget.tokens.0).unwrap_or(usize::MAX);
        // Leaves room for a part of a line and its notes.
        let most = tokens.min(output_budget.bytes / if output_budget.is_json { 2 } else { 1 });
        Self { output_budget, line_bytes: LINE_BYTES_MAX.min(most / 4 * 3).max(1) }
    }
}

/// Selects the requested lines of the text at `path`, as far as they fit, but at least a part of
/// the first. If they do not all fit, the selection ends with a statement.
pub(super) fn select_from_text(
    path: &str,
    text: &str,
    asked: RequestedLines,
    room: RangeBudget,
) -> NumberedLines {
    let RequestedLines { start, end, from_byte } = asked;
    let (mut taken, mut left) = (NumberedLines::default(), room.output_budget);
    let mut before = usize::try_from(from_byte).unwrap_or(usize::MAX);
    let skipped = usize::try_from(start.saturating_sub(1)).unwrap_or(usize::MAX);
    for (number, line) in (start..=end).zip(split_rows(text).skip(skipped)) {
        let from = line.floor_char_boundary(std::mem::take(&mut before).min(line.len()));
        let rest = &line[from..];
        let mut kept = &rest[..rest.floor_char_boundary(room.line_bytes.min(rest.len()))];
        if taken.last_number().is_none() && !left.fits_text(kept) {
            // The text may be much longer in its encoded form, as escapes in JSON are.
            kept = &kept[..left.fitting_len(kept)];
        }
        let line = NumberedLine {
            number,
            text: kept.to_owned(),
            before: from as u64,
            bytes: kept.len() as u64,
            after: (rest.len() - kept.len()) as u64,
        };
        if !taken.push_if_fits(line, &mut left) {
            if from_byte == 0 {
                truncate_to_statement(&mut taken, path, text, start);
            }
            break;
        }
    }
    taken
}

/// Removes the lines of a last statement that is incomplete, unless nothing else is selected.
fn truncate_to_statement(taken: &mut NumberedLines, path: &str, text: &str, start: u32) {
    let Some(last) = taken.last_number() else { return };
    let kept = LineRange::new(LineNumber(start), LineNumber(last));
    if let Some(end) = last_uncut_line_of_text(path, text, kept).filter(|end| end.0 >= start) {
        taken.truncate_after(end.0);
    }
}

/// Selects lines of a file that is too large to be read whole, and returns where to continue.
pub(super) fn select_from_large_file(
    reader: &mut LineRangeReader,
    path: &str,
    asked: RequestedLines,
    room: RangeBudget,
    cancel: &CancelToken<'_>,
) -> Result<(NumberedLines, Option<u64>), ToolError> {
    let (first, last) = (LineNumber(asked.start), LineNumber(asked.end));
    // This many bytes fit in any encoding.
    let line_bytes_max = room.line_bytes / if room.output_budget.is_json { 3 } else { 1 };
    let limits =
        LineLimits { line_bytes_max, bytes_max: room.output_budget.bytes.min(BUDGET_MAX.bytes) };
    let lines = reader.read_lines_from(first, asked.from_byte, last, &limits, cancel);
    let lines = lines.map_err(ToolError::from_error)?;
    let mut before = asked.from_byte;
    if before > 0 && lines.lines.first().is_some_and(|line| line.bytes == 0) {
        return Err(past_line_end_error(path, asked.start, None));
    }
    let (mut taken, mut left) = (NumberedLines::default(), room.output_budget);
    for line in &lines.lines {
        let number = line.number.0;
        let line = NumberedLine {
            number,
            text: line.text.clone(),
            before: std::mem::take(&mut before),
            bytes: line.bytes,
            after: line.left_out_bytes,
        };
        if !taken.push_if_fits(line, &mut left) {
            return Ok((taken, Some(u64::from(number))));
        }
    }
    Ok((taken, lines.next.map(|next| u64::from(next.0))))
}

/// Returns the error that a line ends before the bytes to skip.
pub(super) fn past_line_end_error(path: &str, line: u32, bytes: Option<u64>) -> ToolError {
    let has = bytes
        .map(|bytes| format!(": it has {}", PlainCount::new(bytes, "byte")))
        .unwrap_or_default();
    ToolError::from_error(format!("line {line} of `{path}` has nothing from that byte on{has}"))
}
