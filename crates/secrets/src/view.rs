//! Some lines of a text without what stands in front of them, and where they stand in it.

use std::ops::Range;

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

/// Whether a line of a text, with what is behind it, is such.
pub(crate) fn any_line(text: &[u8], is_such: impl Fn(&[u8]) -> bool) -> bool {
    let starts = memchr::memchr_iter(b'\n', text).map(|feed| feed + 1);
    std::iter::once(0).chain(starts).any(|start| is_such(&text[start..]))
}

/// Some lines of a text without what stands in front of them.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) text: Vec<u8>,
    lines: Vec<Line>,
}

/// A line of a view.
struct Line {
    /// Where it begins in the view.
    start: usize,
    /// Where it begins in the text that is looked at, and where behind what is in front of it.
    whole: usize,
    body: usize,
}

impl View {
    /// Adds the line of `text` at `line` without the first `skip` bytes of it.
    pub(crate) fn push(&mut self, text: &[u8], line: Range<usize>, skip: usize) {
        let body = (line.start + skip).min(line.end);
        self.lines.push(Line { start: self.text.len(), whole: line.start, body });
        self.text.extend_from_slice(&text[body..line.end]);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Where its first line begins in the text that is looked at, and its last one ends.
    pub(crate) fn start(&self) -> usize {
        self.lines.first().map_or(0, |line| line.whole)
    }

    pub(crate) fn end(&self) -> usize {
        self.lines.last().map_or(0, |line| line.body + self.text.len() - line.start)
    }

    /// Whether it has what stands at `at` in the text that is looked at.
    pub(crate) fn has(&self, at: usize) -> bool {
        let next = self.lines.partition_point(|line| line.whole <= at);
        let Some(line) = next.checked_sub(1).map(|at| &self.lines[at]) else { return false };
        let end = self.lines.get(next).map_or(self.text.len(), |next| next.start);
        (line.body..line.body + end - line.start).contains(&at)
    }

    /// Where a part of the view stands in the text that is looked at: in one place, unless lines
    /// stand in between that the view has not.
    pub(crate) fn places(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        let first = self.lines.partition_point(|line| line.start <= range.start).saturating_sub(1);
        for (at, line) in self.lines.iter().enumerate().skip(first) {
            if line.start >= range.end {
                break;
            }
            let next = self.lines.get(at + 1).map_or(self.text.len(), |next| next.start);
            let from = range.start.max(line.start) - line.start;
            let place = line.body + from..line.body + range.end.min(next) - line.start;
            match places.last_mut() {
                Some(last) if last.end == line.whole => last.end = place.end,
                _ => places.push(place),
            }
        }
        places
    }
}
