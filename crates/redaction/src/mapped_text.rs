//! A transformed text with a map back to the original.

use std::ops::Range;

/// A text made of parts of an original, each copied or replaced by one byte.
#[derive(Default)]
pub(crate) struct MappedText {
    pub(crate) text: Vec<u8>,
    /// The start of each part in this text, and its range in the original.
    parts: Vec<(usize, Range<usize>)>,
}

impl MappedText {
    /// Appends a copy of a range of `text`.
    pub(crate) fn push(&mut self, text: &[u8], place: Range<usize>) {
        self.parts.push((self.text.len(), place.clone()));
        self.text.extend_from_slice(&text[place]);
    }

    /// Appends the byte that stands for the range `place` of the original.
    pub(crate) fn push_byte(&mut self, sign: u8, place: Range<usize>) {
        self.parts.push((self.text.len(), place));
        self.text.push(sign);
    }

    /// Returns the range of the original that covers a range of this text.
    pub(crate) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let part = |is_before: &dyn Fn(usize) -> bool| {
            let at = self.parts.partition_point(|(here, _)| is_before(*here)).saturating_sub(1);
            let next = self.parts.get(at + 1).map_or(self.text.len(), |(here, _)| *here);
            let (here, there) = &self.parts[at];
            (*here, there.clone(), next - here == there.len())
        };
        let (here, there, is_same) = part(&|here| here <= range.start);
        let start = there.start + if is_same { range.start - here } else { 0 };
        let (here, there, is_same) = part(&|here| here < range.end);
        let end = if is_same { there.start + range.end - here } else { there.end };
        start..end.max(start)
    }
}

/// Returns the lines of a text, each with its line feed.
pub(crate) fn line_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).map(|feed| feed + 1);
    let mut lines: Vec<Range<usize>> =
        ends.map(|end| std::mem::replace(&mut start, end)..end).collect();
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}
