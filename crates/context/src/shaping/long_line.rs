//! Rule `long_line`: of a very long line (minified code, data) head and tail are kept. A text of many
//! lines in a JSON string is no long line.

use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;

use super::draft::{Draft, Gap};

const RULE: &str = "long_line";

/// Escaped line breaks from which on a line is a text of several lines.
const BREAKS_MIN: usize = 4;

/// Whether a line is JSON with a text of several lines in a string, none of which is itself too long.
fn holds_lines(line: &str, bytes_max: usize) -> bool {
    let (mut lines, mut longest) = (0, 0);
    for part in line.split("\\n") {
        lines += 1;
        longest = longest.max(part.len());
    }
    lines > BREAKS_MIN && longest <= bytes_max
}

/// Longest part of a line that counts as a line of a text in it.
const PART_BYTES_MAX: usize = 1_000;

/// Whether most of a draft is text in JSON strings: its lines are few and long, and nothing of them
/// would be left.
pub(super) fn is_text(draft: &Draft<'_>) -> bool {
    let shown = (0..draft.len()).filter(|at| draft.keeps(*at));
    let of_text = shown.filter(|at| holds_lines(draft.text(*at), PART_BYTES_MAX));
    of_text.map(|at| draft.shown_len(at)).sum::<usize>() * 2 > draft.shown_total()
}

/// Leaves out the middle of every kept line that shows more than `bytes_max` bytes. Three
/// quarters of what is kept are its start, which tells what the line is.
pub fn cap(draft: &mut Draft<'_>, bytes_max: usize) {
    let handle = draft.handle();
    for at in 0..draft.len() {
        if draft.shown_len(at) <= bytes_max || holds_lines(draft.text(at), bytes_max) {
            continue;
        }
        let text = draft.text(at);
        let base = draft.line(at).text.start;
        let head = text.floor_char_boundary(bytes_max / 4 * 3);
        let tail = text.ceil_char_boundary(text.len().saturating_sub(bytes_max / 4));
        if head < tail {
            draft.replace_in_line(RULE, at, base + head as u32..base + tail as u32, |bytes| {
                let counts = Counts { bytes: bytes as u32, ..Counts::default() };
                let note = Note::new(NoteKind::LineCut);
                Gap::new(ShapeKind::Excerpt, Note { counts, handle: Some(handle), ..note })
            });
        }
    }
}
