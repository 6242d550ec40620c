//! A text as it is to be read, and where its parts stand in the text as it is.

use std::ops::Range;

/// Parts of a text, each as it stands there or as one sign.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) text: Vec<u8>,
    /// Where each part begins here, and its place there.
    parts: Vec<(usize, Range<usize>)>,
}

impl Reading {
    /// Adds a part of `text` as it stands there.
    pub(crate) fn push(&mut self, text: &[u8], place: Range<usize>) {
        self.parts.push((self.text.len(), place.clone()));
        self.text.extend_from_slice(&text[place]);
    }

    /// Adds the sign that is meant by what stands at `place`.
    pub(crate) fn push_sign(&mut self, sign: u8, place: Range<usize>) {
        self.parts.push((self.text.len(), place));
        self.text.push(sign);
    }

    /// Where a part of this text stands in the other, with whatever stands in between there.
    pub(crate) fn place(&self, range: Range<usize>) -> Range<usize> {
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

/// The lines of a text, each with its feed.
pub(crate) fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).map(|feed| feed + 1);
    let mut lines: Vec<Range<usize>> =
        ends.map(|end| std::mem::replace(&mut start, end)..end).collect();
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}
