//! Texts as tools show them: with the number of each line in front, the name of its file, or the
//! mark of a difference. What stands in several lines is found in the text without these.

use std::ops::Range;

use crate::secret::{GUESS, Secret, joined};
use crate::{gutters, scanner, sides, words};

/// What takes away one sort of what tools put in front of lines.
type Look = fn(&[u8]) -> Vec<View>;

/// Each is taken once, whatever is left when the other was: a text is read a few times at most.
const LOOKS: [Look; 2] = [gutters::views, sides::views];

/// All secrets of a text in order, none overlapping another, whatever stands in front of its lines.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    joined(find_by(text, &LOOKS))
}

fn find_by(text: &[u8], looks: &[Look]) -> Vec<Secret> {
    let plain = scanner::find(text);
    let mut is_told = vec![false; plain.len()];
    let mut found = Vec::new();
    for (at, look) in looks.iter().enumerate() {
        let others = [&looks[..at], &looks[at + 1..]].concat();
        for view in look(text) {
            // What nothing but its chance speaks for is data if the lines around it are alike,
            // which only the view tells.
            let from = plain.partition_point(|secret| secret.range.start < view.start());
            for (is_told, secret) in is_told[from..].iter_mut().zip(&plain[from..]) {
                if secret.range.start >= view.end() {
                    break;
                }
                *is_told |= secret.is_guess() && view.has(secret.range.end - 1);
            }
            for Secret { range, kind, .. } in joined(find_by(&view.text, &others)) {
                // What stands in front may say what a word is, or belong to it.
                let is_one =
                    |place: &Range<usize>| kind != GUESS || !words::is_harmless(text, place);
                let places = view.places(range).into_iter().filter(is_one);
                found.extend(places.map(|place| Secret::new(place, kind)));
            }
        }
    }
    found.extend(
        plain.into_iter().zip(is_told).filter_map(|(it, is_told)| (!is_told).then_some(it)),
    );
    found
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

/// Whether a line of a text, with what is behind it, is such.
pub(crate) fn any_line(text: &[u8], is_such: impl Fn(&[u8]) -> bool) -> bool {
    let starts = memchr::memchr_iter(b'\n', text).map(|feed| feed + 1);
    std::iter::once(0).chain(starts).any(|start| is_such(&text[start..]))
}

/// Some lines of a text without what stands in front of them.
#[derive(Default)]
pub(crate) struct View {
    text: Vec<u8>,
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
    fn start(&self) -> usize {
        self.lines.first().map_or(0, |line| line.whole)
    }

    fn end(&self) -> usize {
        self.lines.last().map_or(0, |line| line.body + self.text.len() - line.start)
    }

    /// Whether it has what stands at `at` in the text that is looked at.
    fn has(&self, at: usize) -> bool {
        let next = self.lines.partition_point(|line| line.whole <= at);
        let Some(line) = next.checked_sub(1).map(|at| &self.lines[at]) else { return false };
        let end = self.lines.get(next).map_or(self.text.len(), |next| next.start);
        (line.body..line.body + end - line.start).contains(&at)
    }

    /// Where a part of the view stands in the text that is looked at: in one place, unless lines
    /// stand in between that the view has not.
    fn places(&self, range: Range<usize>) -> Vec<Range<usize>> {
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
