//! How much of a file one answer holds.

use foveal_code::BYTES_PARSED_MAX;
use foveal_context::views::{Amount, View, Wanted};
use foveal_files::TextFile;
use foveal_transcript::LineNumber;

use crate::read_view::ReadView;

/// Bytes of a file in one answer; no prompt has room for many of them.
pub(crate) const ANSWER_BYTES_MAX: usize = 400_000;

/// Lines of a file that is curated; more take too long, and too much memory.
const LINES_MAX: usize = 100_000;

/// Bytes that are shown of a longer file that is curated, or of its structure; notes included.
pub(crate) const VIEW_BYTES_MAX: usize = 100_000;

/// Bytes that a number before a line takes, and a note between lines, about.
const NUMBER_BYTES: usize = 9;
const NOTE_BYTES: usize = 80;

/// Bytes of one line that count: the engine cuts longer ones in what it shapes.
pub(crate) const LINE_BYTES: usize = 1_000;

/// Whether a text is more than one answer holds.
pub(crate) fn is_long(text: &str) -> bool {
    text.len() > ANSWER_BYTES_MAX || has_many_lines(text)
}

fn has_many_lines(text: &str) -> bool {
    rows(text).nth(LINES_MAX).is_some()
}

/// Whether a text is short enough to be parsed, and so to be curated while someone waits: that
/// takes about a second for so much.
pub(crate) fn is_parsed(text: &TextFile) -> bool {
    text.text().len() <= BYTES_PARSED_MAX && !has_many_lines(text.text())
}

/// How much is wanted of a text: of a long one no more lines than an answer has room for,
/// should each stand alone between notes.
pub(crate) fn room_for(wanted: Wanted, text: &str) -> Wanted {
    match wanted {
        Wanted::Curated(_) if is_long(text) => {
            let (lines, bytes) =
                sizes(text).fold((0, 0), |(lines, all), bytes| (lines + 1, all + bytes));
            let most = VIEW_BYTES_MAX as f64 / (bytes + lines * NOTE_BYTES).max(1) as f64;
            Wanted::Curated(Amount::Share(most.min(1.0)))
        }
        wanted => wanted,
    }
}

/// The bytes that each line of a text takes in a view.
fn sizes(text: &str) -> impl Iterator<Item = usize> {
    rows(text).map(|line| line.len().min(LINE_BYTES) + 1 + NUMBER_BYTES)
}

/// The lines of a view of `text` for which an answer has room, in order; of a long text that
/// nobody chose from, its beginning. `Lines` may stand above for the most part.
pub(crate) fn within_room(view: Option<View>, text: &str, read_view: &ReadView) -> Option<View> {
    if !is_long(text) {
        return view;
    }
    let mut left = match read_view {
        ReadView::Lines(_) => ANSWER_BYTES_MAX,
        ReadView::Auto { .. } | ReadView::Curated | ReadView::Whole => VIEW_BYTES_MAX,
    };
    let mut view = view.unwrap_or_else(|| View {
        lines: vec![(LineNumber(1), LineNumber(u32::MAX))],
        ..View::default()
    });
    view.lines.sort_unstable();
    let rows: Vec<usize> = sizes(text).collect();
    let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in &view.lines {
        let last = last.0.min(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        for number in first.0.max(1)..=last {
            let follows = kept.last().is_some_and(|(_, end)| end.0 + 1 == number);
            let bytes = rows[number as usize - 1] + if follows { 0 } else { NOTE_BYTES };
            if bytes > left {
                break 'ranges;
            }
            left -= bytes;
            match kept.last_mut() {
                Some((_, end)) if end.0 + 1 == number => end.0 = number,
                _ => kept.push((LineNumber(number), LineNumber(number))),
            }
        }
    }
    view.lines = kept;
    Some(view)
}

/// The lines of a text, without the `\n` at their ends.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = &str> + Clone {
    // What stands before a `\n` is the line's own: `\r\n` at the end of lines is no `\r\n` here.
    text.split_terminator('\n')
}
