//! The part of a file that fits in one answer.

use foveal_engine::output_budget::OutputBudget;
use foveal_engine::views::{
    CurationAmount, LineSelection, ProgressListener, ReadContext, ViewRequest, ViewSource,
};
use foveal_pricing::tokens::{Tokens, estimate_tokens};
use foveal_relevance::curated_view_source::LINES_CURATED_MAX;
use foveal_relevance::curation::last_uncut_line_of_text;
use foveal_syntax::{BYTES_PARSED_MAX, LineRange};
use foveal_transcript::LineNumber;
use foveal_workspace::TextFile;

use crate::read_view::ReadView;

/// The output budget if the client states none; no prompt has room for many such answers.
pub(crate) const BUDGET_MAX: OutputBudget =
    OutputBudget { bytes: 400_000, ..OutputBudget::UNBOUNDED };

/// Most bytes of a curated view of a long file, or of its structure, with notes.
const VIEW_BYTES_MAX: usize = 100_000;

/// Estimated bytes of a line number, and of a note between lines.
const NUMBER_BYTES: usize = 6;
const NOTE_BYTES: usize = 80;
const NUMBER_TOKENS: Tokens = Tokens(4);
const NOTE_TOKENS: Tokens = Tokens(30);

/// Bytes of the text around a view: its heading, and the note on omitted lines.
const NOTES_BYTES: usize = 500;

/// Bytes of one line that count, since the engine cuts longer lines when it shapes.
pub(crate) const LINE_BYTES: usize = 1_000;

/// Most attempts to choose a smaller view if one is too large. Each takes as long as the first: a
/// second for the longest files.
const TRIES_MAX: u32 = 3;

/// The part of the budget that a view aims at, so that a second choice is seldom needed.
const TARGET_FILL: f64 = 0.95;

/// Estimated lines of a run in a view of a long file: a short function.
const RUN_LINES: usize = 5;

/// Returns the most bytes of a view, with notes.
pub(crate) fn view_bytes_max(room: OutputBudget) -> usize {
    room.code_bytes().min(VIEW_BYTES_MAX)
}

/// Returns whether a text does not fit in one answer.
pub(crate) fn exceeds_answer(text: &str, room: OutputBudget) -> bool {
    text.len() > BUDGET_MAX.bytes
        || has_many_lines(text)
        || line_sizes(text).sum::<usize>() > room.bytes
        || !fits_tokens(text, room)
}

/// Returns whether a file of these bytes and lines does not fit in one answer, without reading it.
pub(crate) fn exceeds_budget(room: OutputBudget, bytes: u64, lines: u32) -> bool {
    let numbers = u64::from(lines) * NUMBER_BYTES as u64;
    bytes + numbers > room.code_bytes() as u64 || lines as usize > room.lines
}

/// Returns whether the tokens suffice for a text with a number before each line.
fn fits_tokens(text: &str, room: OutputBudget) -> bool {
    let mut left = room.tokens;
    let mut fits = |line: &str| {
        let needed = line_tokens(line);
        let fits = needed <= left;
        left = left - needed;
        fits
    };
    // No text has more tokens than bytes.
    let bytes = text.len() as u64;
    bytes.saturating_mul(NUMBER_TOKENS.0 + 1) <= room.tokens.0 || split_rows(text).all(&mut fits)
}

/// Returns the tokens of a line in a view, with its number.
fn line_tokens(line: &str) -> Tokens {
    estimate_tokens(&line[..line.floor_char_boundary(LINE_BYTES)]) + NUMBER_TOKENS
}

fn has_many_lines(text: &str) -> bool {
    split_rows(text).nth(LINES_CURATED_MAX).is_some()
}

/// Returns whether a text is short enough to be parsed, and so curated, while the model waits. That
/// takes about a second for the longest.
pub(crate) fn is_parseable(text: &TextFile) -> bool {
    text.text().len() <= BYTES_PARSED_MAX && !has_many_lines(text.text())
}

/// Returns the view of a read that `curator` chooses, within the output budget.
pub(crate) fn choose_view(
    curator: &dyn ViewSource,
    watch: ProgressListener<'_>,
    read: &ReadContext<'_>,
    wanted: ViewRequest,
    room: OutputBudget,
) -> Option<LineSelection> {
    let most = view_bytes_max(room);
    let sizes: Vec<usize> = line_sizes(read.text).collect();
    let mut view =
        curator.choose_view_with_progress(read, initial_target(wanted, &sizes, most), watch)?;
    for _ in 0..TRIES_MAX {
        let (lines, bytes) = view_size(&view, &sizes);
        if bytes <= most {
            break;
        }
        let aimed = most as f64 * TARGET_FILL;
        let share = lines as f64 / sizes.len().max(1) as f64 * aimed / bytes as f64;
        let smaller = ViewRequest::Curated(CurationAmount::Share(share));
        view = curator.choose_view_with_progress(read, smaller, watch)?;
    }
    Some(view)
}

/// Returns the first selection target for a file with lines of these `sizes`. For a file longer
/// than any answer, it is the share that fits in `most` bytes in short runs of lines, and in the
/// largest view even if each line stands alone.
fn initial_target(wanted: ViewRequest, sizes: &[usize], most: usize) -> ViewRequest {
    let bytes: usize = sizes.iter().sum();
    match wanted {
        ViewRequest::Curated(_) if bytes > BUDGET_MAX.bytes => {
            let alone = bytes + sizes.len() * NOTE_BYTES;
            let in_runs = bytes + sizes.len() * NOTE_BYTES / RUN_LINES;
            let fits = most as f64 * TARGET_FILL / in_runs as f64;
            let share = (VIEW_BYTES_MAX as f64 / alone as f64).min(fits);
            ViewRequest::Curated(CurationAmount::Share(match wanted {
                ViewRequest::Curated(CurationAmount::Share(most)) => share.min(most),
                ViewRequest::Curated(CurationAmount::Adaptive) | ViewRequest::Summary(_) => share,
            }))
        }
        wanted => wanted,
    }
}

/// Returns the lines of a view, and its bytes with a note for each gap.
fn view_size(view: &LineSelection, sizes: &[usize]) -> (usize, usize) {
    let (mut lines, mut bytes) = (0, (view.lines.len() + 1) * NOTE_BYTES);
    for (first, last) in &view.lines {
        let (first, last) = (first.0.max(1) as usize - 1, (last.0 as usize).min(sizes.len()));
        let kept = sizes.get(first..last).unwrap_or_default();
        lines += kept.len();
        bytes += kept.iter().sum::<usize>();
    }
    (lines, bytes)
}

/// Returns the bytes of each line of a text in a view.
fn line_sizes(text: &str) -> impl Iterator<Item = usize> {
    split_rows(text).map(|line| line.len().min(LINE_BYTES) + 1 + NUMBER_BYTES)
}

/// Truncates a view of `text` to the output budget, in the order of lines. A long text without a
/// view gets its beginning. `ReadView::Lines` may point at visible content for the most part. The
/// view ends with a statement, and with a short function where that removes little.
pub(crate) fn fit_view(
    view: Option<LineSelection>,
    path: &str,
    text: &str,
    read_view: &ReadView,
    room: OutputBudget,
) -> Option<LineSelection> {
    if !exceeds_answer(text, room) {
        return view;
    }
    let mut left = match read_view {
        ReadView::Lines(_) => room.code_bytes(),
        ReadView::Auto { .. } | ReadView::Curated | ReadView::Whole => view_bytes_max(room),
    };
    let mut view = view.unwrap_or_else(|| LineSelection {
        lines: vec![(LineNumber(1), LineNumber(u32::MAX))],
        ..LineSelection::default()
    });
    view.lines.sort_unstable();
    let mut tokens = room.reserve_notes(NOTES_BYTES).tokens;
    let all: Vec<&str> = split_rows(text).collect();
    let rows: Vec<usize> = line_sizes(text).collect();
    let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in &view.lines {
        let last = last.0.min(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        for number in first.0.max(1)..=last {
            let follows = kept.last().is_some_and(|(_, end)| end.0 + 1 == number);
            let bytes = rows[number as usize - 1] + if follows { 0 } else { NOTE_BYTES };
            let needed = line_tokens(all[number as usize - 1])
                + if follows { Tokens(0) } else { NOTE_TOKENS };
            if bytes > left || needed > tokens {
                truncate_to_statement(&mut kept, path, text);
                break 'ranges;
            }
            left -= bytes;
            tokens = tokens - needed;
            match kept.last_mut() {
                Some((_, end)) if end.0 + 1 == number => end.0 = number,
                _ => kept.push((LineNumber(number), LineNumber(number))),
            }
        }
    }
    view.lines = kept;
    Some(view)
}

/// Removes the lines of a last statement that is incomplete, unless nothing else is kept.
fn truncate_to_statement(kept: &mut Vec<(LineNumber, LineNumber)>, path: &str, text: &str) {
    let is_alone = kept.len() == 1;
    let Some((first, last)) = kept.last_mut() else { return };
    let Some(end) = last_uncut_line_of_text(path, text, LineRange::new(*first, *last)) else {
        return;
    };
    if end >= *first {
        *last = end;
    } else if !is_alone {
        kept.pop();
    }
}

/// Returns the lines of a text, without the `\n` at their ends.
pub(crate) fn split_rows(text: &str) -> impl Iterator<Item = &str> + Clone {
    // A `\r` before the `\n` belongs to the line.
    text.split_terminator('\n')
}
