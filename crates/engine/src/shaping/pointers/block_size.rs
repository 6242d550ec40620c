//! The size of blocks, and whether it justifies a pointer.

use std::ops::Range;

use super::MinBlockSize;
use crate::shaping::draft::ShapeDraft;

/// Returns the end of the lines that pointers may replace. The empty text after the last line break
/// is no line: it would be counted, and without a number it would prevent a range in the note.
pub(super) fn pointable_end(draft: &ShapeDraft<'_>) -> usize {
    let is_open = !draft.is_empty() && draft.result_line(draft.len() - 1).whole.is_empty();
    draft.len() - usize::from(is_open)
}

/// The size of some lines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockSize {
    /// Number of lines that are not blank.
    pub(super) nonblank_lines: usize,
    /// Number of bytes without indentation.
    pub(super) bytes: usize,
}

impl BlockSize {
    /// Adds a line.
    pub(super) fn add_line(&mut self, line: &str) {
        let text = line.trim();
        self.nonblank_lines += usize::from(!text.is_empty());
        self.bytes += text.len() + 1;
    }

    /// Returns whether the size justifies a pointer to the same file, or to another one.
    pub(super) fn reaches_minimum(self, is_own: bool, minimum: MinBlockSize) -> bool {
        let bytes_min = if is_own { minimum.bytes } else { minimum.bytes_elsewhere };
        self.nonblank_lines >= minimum.lines && self.bytes >= bytes_min
    }
}

/// Returns whether a block is worth a pointer to its own file, or to another one.
pub(super) fn is_worth_pointer(
    draft: &ShapeDraft<'_>,
    lines: &Range<usize>,
    is_own: bool,
    minimum: MinBlockSize,
) -> bool {
    let mut amount = BlockSize::default();
    lines.clone().for_each(|at| amount.add_line(draft.line_text(at)));
    amount.reaches_minimum(is_own, minimum)
}
