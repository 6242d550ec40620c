//! A text as lines with their endings.

use std::ops::Range;

use foveal_transcript::LineSpan;

/// A line without its ending, and the ending: `\n`, `\r\n`, or none at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextLine<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
    pub(super) ending: &'static str,
}

impl TextLine<'_> {
    pub(super) fn text_end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn end(&self) -> usize {
        self.text_end() + self.ending.len()
    }
}

/// Returns the lines of `text`. A final ending does not begin another line.
pub(super) fn lines(text: &str) -> Vec<TextLine<'_>> {
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
            let found = TextLine { start, text: &whole[..length], ending };
            start += whole.len();
            found
        })
        .collect()
}

/// Returns the ending of most lines of `text`, or `\n` if there is none.
pub(super) fn dominant_ending(text: &str) -> &'static str {
    let all = count_newlines(text.as_bytes());
    if all == 0 {
        return "\n";
    }
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

fn count_newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Splits `text` at its line endings of either kind. There is one piece more than endings.
pub(super) fn split_lines(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split('\n').collect();
    let last = pieces.len() - 1;
    for piece in &mut pieces[..last] {
        *piece = piece.strip_suffix('\r').unwrap_or(piece);
    }
    pieces
}

/// A counter of lines up to ascending offsets that scans the text once.
pub(super) struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 0 }
    }

    /// Returns the index, from 0, of the line of byte `at`, which must not decrease.
    pub(super) fn line_index_at(&mut self, at: usize) -> usize {
        self.line += count_newlines(&self.text.as_bytes()[self.at..at]);
        self.at = at;
        self.line
    }

    /// Returns the span of the lines that `bytes` touches. An empty range touches its line; the end
    /// of the text after a final ending is on no line.
    pub(super) fn line_span(&mut self, bytes: &Range<usize>) -> LineSpan {
        let start = self.line_index_at(bytes.start);
        if bytes.is_empty() {
            let after = bytes.start == self.text.len()
                && (self.text.is_empty() || self.text.ends_with('\n'));
            return LineSpan::from_indices(start, if after { start } else { start + 1 });
        }
        let mut last = self.line_index_at(bytes.end);
        let whole = self.text.as_bytes()[bytes.end - 1] == b'\n';
        if whole {
            last -= 1;
        }
        LineSpan::from_indices(start, last + 1)
    }
}
