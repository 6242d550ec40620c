//! Wrapping of styled lines.

use std::borrow::Cow;

use foveal_screen::escape_lines;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The blanks that replace a tab.
const TAB: &str = "    ";

/// The positions at which a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapMode {
    /// Between words, or inside a word that exceeds the width. Blanks at a break are dropped.
    Words,
    /// Anywhere; all blanks are kept.
    Anywhere,
}

/// Returns the width of a text in columns.
pub(crate) fn display_width(text: &str) -> usize {
    text.width()
}

/// Returns foreign text in printable form: invisible characters are escaped, and tabs become
/// blanks.
pub(crate) fn printable_text(text: &str) -> Cow<'_, str> {
    match escape_lines(text) {
        seen if seen.contains('\t') => seen.replace('\t', TAB).into(),
        seen => seen,
    }
}

/// Returns the beginning of a text that fits `columns`, with `…` where it is cut.
pub(crate) fn truncate_to_width(text: &str, columns: usize) -> Cow<'_, str> {
    if display_width(text) <= columns {
        return text.into();
    }
    let mut room = columns.saturating_sub(1);
    let mut end = 0;
    for (at, sign) in text.grapheme_indices(true) {
        let wide = display_width(sign);
        if wide > room {
            break;
        }
        room -= wide;
        end = at + sign.len();
    }
    format!("{}…", &text[..end]).into()
}

/// Wraps spans into lines of `columns` columns. `first_prefix` precedes the first line,
/// `next_prefix` all others. Returns at least one line.
pub(crate) fn wrap_spans(
    spans: &[Span<'_>],
    columns: usize,
    first_prefix: &[Span<'static>],
    next_prefix: &[Span<'static>],
    breaks: WrapMode,
) -> Vec<Line<'static>> {
    let indent = |spans: &[Span<'static>]| spans.iter().map(Span::width).sum::<usize>();
    let mut wrapper = LineWrapper {
        line_columns: columns.saturating_sub(indent(first_prefix)).max(1),
        next_line_columns: columns.saturating_sub(indent(next_prefix)).max(1),
        next_prefix,
        line: first_prefix.to_vec(),
        used_columns: 0,
        word: Vec::new(),
        word_columns: 0,
        lines: Vec::new(),
    };
    for span in spans {
        for sign in span.content.graphemes(true) {
            let is_blank = sign == " ";
            match breaks {
                WrapMode::Words if is_blank => {
                    wrapper.end_word();
                    wrapper.push_blank(span.style);
                }
                WrapMode::Words => wrapper.push_to_word(sign, span.style),
                WrapMode::Anywhere => wrapper.push_grapheme(sign, span.style),
            }
        }
    }
    wrapper.end_word();
    wrapper.end_line();
    wrapper.lines
}

struct LineWrapper<'a> {
    /// Columns of the open line behind its prefix.
    line_columns: usize,
    /// Columns of the lines after it behind their prefix.
    next_line_columns: usize,
    next_prefix: &'a [Span<'static>],
    line: Vec<Span<'static>>,
    used_columns: usize,
    word: Vec<(String, Style)>,
    word_columns: usize,
    lines: Vec<Line<'static>>,
}

impl LineWrapper<'_> {
    fn push_to_word(&mut self, sign: &str, style: Style) {
        self.word_columns += display_width(sign);
        match self.word.last_mut() {
            Some((text, last)) if *last == style => text.push_str(sign),
            _ => self.word.push((sign.to_owned(), style)),
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let columns = std::mem::take(&mut self.word_columns);
        if columns > self.line_columns.saturating_sub(self.used_columns) && self.used_columns > 0 {
            self.end_line();
        }
        if columns <= self.line_columns {
            self.used_columns += columns;
            for (text, style) in word {
                self.append_span(&text, style);
            }
            return;
        }
        for (text, style) in word {
            for sign in text.graphemes(true) {
                self.push_grapheme(sign, style);
            }
        }
    }

    fn push_blank(&mut self, style: Style) {
        if self.used_columns < self.line_columns {
            self.used_columns += 1;
            self.append_span(" ", style);
        }
    }

    /// Adds a grapheme to the open line, or to a new one.
    fn push_grapheme(&mut self, sign: &str, style: Style) {
        let columns = display_width(sign);
        if self.used_columns + columns > self.line_columns && self.used_columns > 0 {
            self.end_line();
        }
        self.used_columns += columns;
        self.append_span(sign, style);
    }

    fn append_span(&mut self, text: &str, style: Style) {
        match self.line.last_mut() {
            Some(last) if last.style == style && self.used_columns > display_width(text) => {
                last.content.to_mut().push_str(text);
            }
            _ => self.line.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn end_line(&mut self) {
        let next = self.next_prefix.to_vec();
        let mut line = std::mem::replace(&mut self.line, next);
        if let Some(last) = line.last_mut() {
            let kept = last.content.trim_end_matches(' ').len();
            last.content.to_mut().truncate(kept);
        }
        self.lines.push(Line::from(line));
        self.used_columns = 0;
        self.line_columns = self.next_line_columns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: usize, breaks: WrapMode, expected: &[&str]) {
        let spans = [Span::raw(text.to_owned())];
        let prefix = [Span::raw("> ")];
        let lines = wrap_spans(&spans, columns, &prefix, &prefix, breaks);
        let told: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{text:?} in {columns}");
    }

    #[test]
    fn lines_break_between_words() {
        check("one two three", 10, WrapMode::Words, &["> one two", "> three"]);
        check("", 10, WrapMode::Words, &[">"]);
        check("abcdefghij", 6, WrapMode::Words, &["> abcd", "> efgh", "> ij"]);
        check("a  b", 10, WrapMode::Words, &["> a  b"]);
        check("漢字漢字", 6, WrapMode::Words, &["> 漢字", "> 漢字"]);
        check("x", 1, WrapMode::Words, &["> x"]);
    }

    #[test]
    fn code_keeps_its_blanks() {
        check("  let a;", 8, WrapMode::Anywhere, &[">   let", "> a;"]);
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!(truncate_to_width("abc", 3), "abc");
        assert_eq!(truncate_to_width("abcd", 3), "ab…");
        assert_eq!(truncate_to_width("漢字漢", 5), "漢字…");
    }
}
