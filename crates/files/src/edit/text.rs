//! A text as lines with their endings.

use std::ops::Range;

use foveal_transcript::LineSpan;

/// A line without its ending, and the ending: `\n`, `\r\n`, or nothing at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
    pub(super) ending: &'static str,
}

impl Line<'_> {
    pub(super) fn text_end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn end(&self) -> usize {
        self.text_end() + self.ending.len()
    }
}

/// The lines of `text`. A last ending begins no further line.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let whole = text.split_inclusive('\n');
    let line = |whole: &'_ str| -> (usize, &'static str) {
        if whole.ends_with("\r\n") {
            (whole.len() - 2, "\r\n")
        } else if whole.ends_with('\n') {
            (whole.len() - 1, "\n")
        } else {
            (whole.len(), "")
        }
    };
    whole
        .map(|whole| {
            let (length, ending) = line(whole);
            let found = Line { start, text: &whole[..length], ending };
            start += whole.len();
            found
        })
        .collect()
}

/// The ending that most lines of `text` have; `\n` where none has one.
pub(super) fn usual_ending(text: &str) -> &'static str {
    let all = memchr_count(text.as_bytes());
    if all == 0 {
        return "\n";
    }
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

fn memchr_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// The pieces of `text` between its line endings, which may be of either kind. There is one
/// more than there are endings.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split('\n').collect();
    let last = pieces.len() - 1;
    for piece in &mut pieces[..last] {
        *piece = piece.strip_suffix('\r').unwrap_or(piece);
    }
    pieces
}

/// Counts lines up to ascending places without reading a text twice.
pub(super) struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 0 }
    }

    /// The index, from 0, of the line that byte `at` is on. `at` must not go back.
    pub(super) fn index_at(&mut self, at: usize) -> usize {
        self.line += memchr_count(&self.text.as_bytes()[self.at..at]);
        self.at = at;
        self.line
    }

    /// The whole lines that `bytes` touches. An empty range touches the line it is on; the
    /// end of the text after a last ending is on no line.
    pub(super) fn span(&mut self, bytes: &Range<usize>) -> LineSpan {
        let start = self.index_at(bytes.start);
        if bytes.is_empty() {
            let after = bytes.start == self.text.len()
                && (self.text.is_empty() || self.text.ends_with('\n'));
            return LineSpan::of_indices(start, if after { start } else { start + 1 });
        }
        let mut last = self.index_at(bytes.end);
        let whole = self.text.as_bytes()[bytes.end - 1] == b'\n';
        if whole {
            last -= 1;
        }
        LineSpan::of_indices(start, last + 1)
    }
}
