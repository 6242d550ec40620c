//! How much of a file one answer holds.

use foveal_code::curate::whole_until_in;
use foveal_code::{BYTES_PARSED_MAX, LINES_CURATED_MAX, LineRange};
use foveal_context::room::Room;
use foveal_context::tokens::{Tokens, estimate};
use foveal_context::views::{Amount, Read, View, Views, Wanted, Watch};
use foveal_files::TextFile;
use foveal_transcript::LineNumber;

use crate::read_view::ReadView;

/// Room for an answer where nobody says how much there is; no prompt has room for many of them.
pub(crate) const WIDEST: Room = Room { bytes: 400_000, ..Room::UNBOUNDED };

/// Bytes that are shown of a longer file that is curated, or of its structure; notes included.
const VIEW_BYTES_MAX: usize = 100_000;

/// Bytes that a number before a line takes, and a note between lines, about.
const NUMBER_BYTES: usize = 6;
const NOTE_BYTES: usize = 80;
const NUMBER_TOKENS: Tokens = Tokens(4);
const NOTE_TOKENS: Tokens = Tokens(30);

/// Bytes of what stands around a view: its heading, and the note on what is left out.
const NOTES_BYTES: usize = 500;

/// Bytes of one line that count: the engine cuts longer ones in what it shapes.
pub(crate) const LINE_BYTES: usize = 1_000;

/// How often a view that is too large is chosen anew, smaller. Each time takes as long as the first:
/// a second for the longest files.
const TRIES_MAX: u32 = 3;

/// Of the room for a view, the part that is aimed at, so that it seldom has to be chosen again.
const AIM: f64 = 0.95;

/// Lines that stand together in a view of a long file, about: a short function.
const RUN_LINES: usize = 5;

/// Bytes that a view of a file may take, notes included.
pub(crate) fn view_bytes(room: Room) -> usize {
    room.code_bytes().min(VIEW_BYTES_MAX)
}

/// Whether a text is more than one answer holds.
pub(crate) fn is_long(text: &str, room: Room) -> bool {
    text.len() > WIDEST.bytes
        || has_many_lines(text)
        || sizes(text).sum::<usize>() > room.bytes
        || !has_tokens(text, room)
}

/// The same of a file that is not read, by its bytes and lines.
pub(crate) fn is_more_than(room: Room, bytes: u64, lines: u32) -> bool {
    let numbers = u64::from(lines) * NUMBER_BYTES as u64;
    bytes + numbers > room.code_bytes() as u64 || lines as usize > room.lines
}

/// Whether there are tokens enough for a text with a number before each line.
fn has_tokens(text: &str, room: Room) -> bool {
    let mut left = room.tokens;
    let mut fits = |line: &str| {
        let needed = tokens_of(line);
        let fits = needed <= left;
        left = left - needed;
        fits
    };
    // No text has more tokens than bytes.
    let bytes = text.len() as u64;
    bytes.saturating_mul(NUMBER_TOKENS.0 + 1) <= room.tokens.0 || rows(text).all(&mut fits)
}

/// The tokens that a line takes in a view, its number included.
fn tokens_of(line: &str) -> Tokens {
    estimate(&line[..line.floor_char_boundary(LINE_BYTES)]) + NUMBER_TOKENS
}

fn has_many_lines(text: &str) -> bool {
    rows(text).nth(LINES_CURATED_MAX).is_some()
}

/// Whether a text is short enough to be parsed, and so to be curated while someone waits: that
/// takes about a second for so much.
pub(crate) fn is_parsed(text: &TextFile) -> bool {
    text.text().len() <= BYTES_PARSED_MAX && !has_many_lines(text.text())
}

/// What `curator` chooses of a read, in no more lines than there is room for.
pub(crate) fn curated(
    (curator, watch): (&dyn Views, Watch<'_>),
    read: &Read<'_>,
    wanted: Wanted,
    room: Room,
) -> Option<View> {
    let most = view_bytes(room);
    let sizes: Vec<usize> = sizes(read.text).collect();
    let mut view = curator.view_watched(read, at_first(wanted, &sizes, most), watch)?;
    for _ in 0..TRIES_MAX {
        let (lines, bytes) = size_of(&view, &sizes);
        if bytes <= most {
            break;
        }
        let aimed = most as f64 * AIM;
        let share = lines as f64 / sizes.len().max(1) as f64 * aimed / bytes as f64;
        let smaller = Wanted::Curated(Amount::Share(share));
        view = curator.view_watched(read, smaller, watch)?;
    }
    Some(view)
}

/// How much is wanted of a file with lines of these `sizes` before anything is known of it: of
/// one that is longer than any answer, no more than fits in `most` bytes in short runs of lines, and
/// in the largest view should each line stand alone.
fn at_first(wanted: Wanted, sizes: &[usize], most: usize) -> Wanted {
    let bytes: usize = sizes.iter().sum();
    match wanted {
        Wanted::Curated(_) if bytes > WIDEST.bytes => {
            let alone = bytes + sizes.len() * NOTE_BYTES;
            let in_runs = bytes + sizes.len() * NOTE_BYTES / RUN_LINES;
            let fits = most as f64 * AIM / in_runs as f64;
            let share = (VIEW_BYTES_MAX as f64 / alone as f64).min(fits);
            Wanted::Curated(Amount::Share(match wanted {
                Wanted::Curated(Amount::Share(most)) => share.min(most),
                Wanted::Curated(Amount::Adaptive) | Wanted::Summary(_) => share,
            }))
        }
        wanted => wanted,
    }
}

/// Lines of a view, and the bytes that it takes with a note for each gap.
fn size_of(view: &View, sizes: &[usize]) -> (usize, usize) {
    let (mut lines, mut bytes) = (0, (view.lines.len() + 1) * NOTE_BYTES);
    for (first, last) in &view.lines {
        let (first, last) = (first.0.max(1) as usize - 1, (last.0 as usize).min(sizes.len()));
        let kept = sizes.get(first..last).unwrap_or_default();
        lines += kept.len();
        bytes += kept.iter().sum::<usize>();
    }
    (lines, bytes)
}

/// The bytes that each line of a text takes in a view.
fn sizes(text: &str) -> impl Iterator<Item = usize> {
    rows(text).map(|line| line.len().min(LINE_BYTES) + 1 + NUMBER_BYTES)
}

/// The lines of a view of `text` for which there is room, in order; of a long text that nobody
/// chose from, its beginning. `Lines` may stand above for the most part.
/// It ends with a statement, and with a short function where that takes little away.
pub(crate) fn within_room(
    view: Option<View>,
    (path, text): (&str, &str),
    read_view: &ReadView,
    room: Room,
) -> Option<View> {
    if !is_long(text, room) {
        return view;
    }
    let mut left = match read_view {
        ReadView::Lines(_) => room.code_bytes(),
        ReadView::Auto { .. } | ReadView::Curated | ReadView::Whole => view_bytes(room),
    };
    let mut view = view.unwrap_or_else(|| View {
        lines: vec![(LineNumber(1), LineNumber(u32::MAX))],
        ..View::default()
    });
    view.lines.sort_unstable();
    let mut tokens = room.beside_notes(NOTES_BYTES).tokens;
    let all: Vec<&str> = rows(text).collect();
    let rows: Vec<usize> = sizes(text).collect();
    let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in &view.lines {
        let last = last.0.min(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        for number in first.0.max(1)..=last {
            let follows = kept.last().is_some_and(|(_, end)| end.0 + 1 == number);
            let bytes = rows[number as usize - 1] + if follows { 0 } else { NOTE_BYTES };
            let needed =
                tokens_of(all[number as usize - 1]) + if follows { Tokens(0) } else { NOTE_TOKENS };
            if bytes > left || needed > tokens {
                end_with_a_statement(&mut kept, path, text);
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

/// Takes from the end of what is kept what is part of a statement that goes on, unless nothing
/// else is kept.
fn end_with_a_statement(kept: &mut Vec<(LineNumber, LineNumber)>, path: &str, text: &str) {
    let is_alone = kept.len() == 1;
    let Some((first, last)) = kept.last_mut() else { return };
    let Some(end) = whole_until_in(path, text, LineRange::new(*first, *last)) else { return };
    if end >= *first {
        *last = end;
    } else if !is_alone {
        kept.pop();
    }
}

/// The lines of a text, without the `\n` at their ends.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = &str> + Clone {
    // What stands before a `\n` is the line's own: `\r\n` at the end of lines is no `\r\n` here.
    text.split_terminator('\n')
}
