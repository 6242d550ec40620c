//! Rule `long_line`: of a very long line (minified code, data) head and tail are kept.

use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;

use super::draft::{Draft, Gap};

const RULE: &str = "long_line";

/// Leaves out the middle of every kept line that shows more than `bytes_max` bytes. Three
/// quarters of what is kept are its start, which tells what the line is.
pub fn cap(draft: &mut Draft<'_>, bytes_max: usize) {
    let handle = draft.handle();
    for at in 0..draft.len() {
        if draft.shown_len(at) <= bytes_max {
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
