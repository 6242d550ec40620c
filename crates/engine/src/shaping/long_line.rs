//! Rule `long_line`: a very long line (minified code, data) keeps its head and tail. A JSON string
//! that holds a text of many lines is exempt.

use crate::message_shape::ShapeKind;
use crate::note::{Counts, Note, NoteKind};

use super::draft::{DraftGap, ShapeDraft};

const RULE: &str = "long_line";

/// Number of escaped line breaks above which a line is a text of several lines.
const BREAKS_MIN: usize = 4;

/// Returns whether a line is JSON with a text of several lines in a string, none of which is too
/// long itself.
fn has_multiline_string(line: &str, bytes_max: usize) -> bool {
    let (mut lines, mut longest) = (0, 0);
    for part in line.split("\\n") {
        lines += 1;
        longest = longest.max(part.len());
    }
    lines > BREAKS_MIN && longest <= bytes_max
}

/// Longest part of a line that counts as a line of a text in it.
const PART_BYTES_MAX: usize = 1_000;

/// Returns whether most of a draft is text in JSON strings: its lines are few and long, and an
/// excerpt would keep none of them.
pub(super) fn is_json_encoded_text(draft: &ShapeDraft<'_>) -> bool {
    let shown = (0..draft.len()).filter(|at| draft.is_visible(*at));
    let of_text = shown.filter(|at| has_multiline_string(draft.line_text(*at), PART_BYTES_MAX));
    of_text.map(|at| draft.visible_len(at)).sum::<usize>() * 2 > draft.total_visible_len()
}

/// Omits the middle of every kept line that shows more than `bytes_max` bytes. Three quarters of
/// the kept bytes are the start, which identifies the line.
pub fn shorten_long_lines(draft: &mut ShapeDraft<'_>, bytes_max: usize) {
    let handle = draft.handle();
    for at in 0..draft.len() {
        if draft.visible_len(at) <= bytes_max
            || has_multiline_string(draft.line_text(at), bytes_max)
        {
            continue;
        }
        let text = draft.line_text(at);
        let base = draft.result_line(at).text.start;
        let head = text.floor_char_boundary(bytes_max / 4 * 3);
        let tail = text.ceil_char_boundary(text.len().saturating_sub(bytes_max / 4));
        if head < tail {
            draft.replace_in_line(RULE, at, base + head as u32..base + tail as u32, |bytes| {
                let counts = Counts { bytes: bytes as u32, ..Counts::default() };
                let note = Note::new(NoteKind::LineCut);
                DraftGap::new(ShapeKind::Excerpt, Note { counts, handle: Some(handle), ..note })
            });
        }
    }
}
