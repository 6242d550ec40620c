//! Lines of styled words, broken where they do not fit.

use std::borrow::Cow;

use foveal_screen::in_lines;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns that a tab is shown as.
const TAB: &str = "    ";

/// Where a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    /// Between words, or inside one that fits no line. Blanks at a break go.
    Words,
    /// Anywhere; all blanks stay.
    Anywhere,
}

/// Columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Foreign text as it is shown: what cannot be seen is spelled out, and tabs are blanks.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    match in_lines(text) {
        seen if seen.contains('\t') => seen.replace('\t', TAB).into(),
        seen => seen,
    }
}

/// The beginning of a text that fits so many columns, with `…` where something is cut.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return text.into();
    }
    let mut room = columns.saturating_sub(1);
    let mut end = 0;
    for (at, sign) in text.grapheme_indices(true) {
        let wide = width(sign);
        if wide > room {
            break;
        }
        room -= wide;
        end = at + sign.len();
    }
    format!("{}…", &text[..end]).into()
}

/// Breaks a line of spans into lines of so many columns; `first` stands before the first of them,
/// `rest` before all others. There is always one line.
pub(crate) fn wrap(
    spans: &[Span<'_>],
    columns: usize,
    (first, rest): (&[Span<'static>], &[Span<'static>]),
    breaks: Break,
) -> Vec<Line<'static>> {
    let indent = |spans: &[Span<'static>]| spans.iter().map(Span::width).sum::<usize>();
    let mut wrapper = Wrapper {
        room: columns.saturating_sub(indent(first)).max(1),
        room_of_rest: columns.saturating_sub(indent(rest)).max(1),
        rest,
        line: first.to_vec(),
        used: 0,
        word: Vec::new(),
        word_columns: 0,
        lines: Vec::new(),
    };
    for span in spans {
        for sign in span.content.graphemes(true) {
            let is_blank = sign == " ";
            match breaks {
                Break::Words if is_blank => {
                    wrapper.end_word();
                    wrapper.blank(span.style);
                }
                Break::Words => wrapper.put_in_word(sign, span.style),
                Break::Anywhere => wrapper.put(sign, span.style),
            }
        }
    }
    wrapper.end_word();
    wrapper.end_line();
    wrapper.lines
}

struct Wrapper<'a> {
    /// Columns of this line behind its indentation, and of those that follow.
    room: usize,
    room_of_rest: usize,
    rest: &'a [Span<'static>],
    line: Vec<Span<'static>>,
    used: usize,
    word: Vec<(String, Style)>,
    word_columns: usize,
    lines: Vec<Line<'static>>,
}

impl Wrapper<'_> {
    fn put_in_word(&mut self, sign: &str, style: Style) {
        self.word_columns += width(sign);
        match self.word.last_mut() {
            Some((text, last)) if *last == style => text.push_str(sign),
            _ => self.word.push((sign.to_owned(), style)),
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let columns = std::mem::take(&mut self.word_columns);
        if columns > self.room.saturating_sub(self.used) && self.used > 0 {
            self.end_line();
        }
        if columns <= self.room {
            self.used += columns;
            for (text, style) in word {
                self.push(&text, style);
            }
            return;
        }
        for (text, style) in word {
            for sign in text.graphemes(true) {
                self.put(sign, style);
            }
        }
    }

    fn blank(&mut self, style: Style) {
        if self.used < self.room {
            self.used += 1;
            self.push(" ", style);
        }
    }

    /// Puts a sign into the line, or into the next one.
    fn put(&mut self, sign: &str, style: Style) {
        let columns = width(sign);
        if self.used + columns > self.room && self.used > 0 {
            self.end_line();
        }
        self.used += columns;
        self.push(sign, style);
    }

    fn push(&mut self, text: &str, style: Style) {
        match self.line.last_mut() {
            Some(last) if last.style == style && self.used > width(text) => {
                last.content.to_mut().push_str(text);
            }
            _ => self.line.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn end_line(&mut self) {
        let next = self.rest.to_vec();
        let mut line = std::mem::replace(&mut self.line, next);
        if let Some(last) = line.last_mut() {
            let kept = last.content.trim_end_matches(' ').len();
            last.content.to_mut().truncate(kept);
        }
        self.lines.push(Line::from(line));
        self.used = 0;
        self.room = self.room_of_rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, breaks: Break, expected: &[&str]) {
        let spans = [Span::raw(text.to_owned())];
        let prefix = [Span::raw("> ")];
        let lines = wrap(&spans, columns, (&prefix, &prefix), breaks);
        let told: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{text:?} in {columns}");
    }

    #[test]
    fn lines_break_between_words() {
        check("one two three", 10, Break::Words, &["> one two", "> three"]);
        check("", 10, Break::Words, &[">"]);
        check("abcdefghij", 6, Break::Words, &["> abcd", "> efgh", "> ij"]);
        check("a  b", 10, Break::Words, &["> a  b"]);
        check("漢字漢字", 6, Break::Words, &["> 漢字", "> 漢字"]);
        check("x", 1, Break::Words, &["> x"]);
    }

    #[test]
    fn code_keeps_its_blanks() {
        check("  let a;", 8, Break::Anywhere, &[">   let", "> a;"]);
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("漢字漢", 5), "漢字…");
    }
}
