//! How much of a result is worth a pointer.

use std::ops::Range;

use super::BlockMin;
use crate::shaping::draft::Draft;

/// The end of what can be pointed at. What follows the last line break is no line: it would be
/// counted, and having no number it would take the numbers from the note.
pub(super) fn end(draft: &Draft<'_>) -> usize {
    let is_open = !draft.is_empty() && draft.line(draft.len() - 1).whole.is_empty();
    draft.len() - usize::from(is_open)
}

/// What some lines hold.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amount {
    /// Lines that are not blank.
    pub(super) full: usize,
    /// Bytes without indentation.
    pub(super) bytes: usize,
}

impl Amount {
    /// Adds a line.
    pub(super) fn add(&mut self, line: &str) {
        let text = line.trim();
        self.full += usize::from(!text.is_empty());
        self.bytes += text.len() + 1;
    }

    /// Whether so much is worth a pointer to the same file, or to another one.
    pub(super) fn is_enough(self, is_own: bool, minimum: BlockMin) -> bool {
        let bytes_min = if is_own { minimum.bytes } else { minimum.bytes_elsewhere };
        self.full >= minimum.lines && self.bytes >= bytes_min
    }
}

/// Whether a block is worth a pointer to its own file, or to another one.
pub(super) fn is_worth(
    draft: &Draft<'_>,
    lines: &Range<usize>,
    is_own: bool,
    minimum: BlockMin,
) -> bool {
    let mut amount = Amount::default();
    lines.clone().for_each(|at| amount.add(draft.text(at)));
    amount.is_enough(is_own, minimum)
}
