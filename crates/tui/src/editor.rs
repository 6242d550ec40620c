//! The multi-line text editor, with a history of earlier messages.

use std::ops::Range;

use foveal_screen::is_hidden_char;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::key_press::{KeyCode, KeyPress};
use crate::text_layout::display_width;

/// Bytes of the text at most.
const BYTES_MAX: usize = 1 << 20;

/// The number of messages in the history at most.
const HISTORY_MAX: usize = 500;

/// A text with a cursor.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    text: String,
    /// The byte offset of the cursor, on a grapheme boundary.
    cursor: usize,
    /// Earlier messages, oldest first.
    history: Vec<String>,
    /// The index of the shown message in the history, and the draft that it replaced.
    history_position: Option<(usize, String)>,
    /// Columns of a row in the last frame.
    columns: usize,
}

/// The text in rows, with the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditorRows {
    /// The displayed text of each row.
    pub(crate) rows: Vec<String>,
    /// The row and column of the cursor.
    pub(crate) cursor: (usize, usize),
}

impl Editor {
    pub(crate) fn new(history: Vec<String>) -> Self {
        let mut editor = Self { columns: 80, ..Self::default() };
        history.into_iter().for_each(|text| editor.add_to_history(text));
        editor
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn clear_text(&mut self) {
        self.set_text(String::new());
    }

    fn set_text(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
    }

    /// Removes and returns the text, and adds it to the history.
    pub(crate) fn take_text(&mut self) -> String {
        self.history_position = None;
        let text = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.add_to_history(text.clone());
        text
    }

    fn add_to_history(&mut self, text: String) {
        if text.trim().is_empty() || self.history.last() == Some(&text) {
            return;
        }
        if self.history.len() == HISTORY_MAX {
            self.history.remove(0);
        }
        self.history.push(text);
    }

    /// Inserts a text at the cursor, with normalised line ends and without control characters.
    /// Returns `false` where it would exceed the size limit.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text: String =
            text.chars().filter(|sign| !sign.is_control() || matches!(sign, '\n' | '\t')).collect();
        if self.text.len() + text.len() > BYTES_MAX {
            return false;
        }
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
        true
    }

    /// Returns the word before the cursor that begins with `sign`, with its byte range. Blanks or
    /// the start of the text delimit words.
    pub(crate) fn word_before_cursor(&self, sign: char) -> Option<(Range<usize>, &str)> {
        let before = &self.text[..self.cursor];
        let from = before.rfind([' ', '\n', '\t']).map_or(0, |at| at + 1);
        let word = before[from..].strip_prefix(sign)?;
        Some((from..self.cursor, word))
    }

    /// Replaces a byte range, and moves the cursor behind the new text.
    pub(crate) fn replace_range(&mut self, range: Range<usize>, text: &str) {
        self.cursor = range.start + text.len();
        self.text.replace_range(range, text);
    }

    /// Handles a key. Returns `false` if the key does not edit text.
    pub(crate) fn handle_key(&mut self, key: KeyPress) -> bool {
        let by_word = key.ctrl || key.alt;
        match key.code {
            KeyCode::Char(sign) if !key.ctrl && !key.alt => {
                return self.insert(sign.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter if key.alt || key.shift => return self.insert("\n"),
            KeyCode::Char('j') if key.ctrl => return self.insert("\n"),
            KeyCode::Char('a') if key.ctrl => self.cursor = self.line_start(),
            KeyCode::Char('e') if key.ctrl => self.cursor = self.line_end(),
            KeyCode::Char('b') if key.alt => self.cursor = self.word_start_offset(),
            KeyCode::Char('f') if key.alt => self.cursor = self.word_end_offset(),
            KeyCode::Char('w') if key.ctrl => {
                self.remove_range(self.word_start_offset()..self.cursor);
            }
            KeyCode::Char('u') if key.ctrl => self.remove_range(self.line_start()..self.cursor),
            KeyCode::Char('k') if key.ctrl => self.remove_range(self.cursor..self.line_end()),
            KeyCode::Char('d') if key.alt => self.remove_range(self.cursor..self.word_end_offset()),
            KeyCode::Backspace if by_word => {
                self.remove_range(self.word_start_offset()..self.cursor);
            }
            KeyCode::Backspace => self.remove_range(self.previous_grapheme()..self.cursor),
            KeyCode::Delete => self.remove_range(self.cursor..self.next_grapheme()),
            KeyCode::Left if by_word => self.cursor = self.word_start_offset(),
            KeyCode::Right if by_word => self.cursor = self.word_end_offset(),
            KeyCode::Left => self.cursor = self.previous_grapheme(),
            KeyCode::Right => self.cursor = self.next_grapheme(),
            KeyCode::Home => self.cursor = self.line_start(),
            KeyCode::End => self.cursor = self.line_end(),
            KeyCode::Up if !by_word => self.move_cursor_up(),
            KeyCode::Down if !by_word => self.move_cursor_down(),
            _ => return false,
        }
        true
    }

    fn remove_range(&mut self, range: Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn previous_grapheme(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0)
    }

    fn next_grapheme(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_start_offset(&self) -> usize {
        let before =
            self.text[..self.cursor].trim_end_matches(|sign: char| !sign.is_alphanumeric());
        before.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_end_offset(&self) -> usize {
        let after = &self.text[self.cursor..];
        let rest = after.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        let rest = rest.trim_start_matches(char::is_alphanumeric);
        self.text.len() - rest.len()
    }

    /// Moves the cursor up a row, or from the first row to the previous message of the history.
    fn move_cursor_up(&mut self) {
        let places = self.row_ranges();
        let (row, column) = self.cursor_position(&places);
        if row > 0 {
            self.cursor = self.offset_at_column(&places[row - 1], column);
            return;
        }
        let (at, typed) = match self.history_position.take() {
            Some((at, typed)) => (at, typed),
            None => (self.history.len(), self.text.clone()),
        };
        let next = at.saturating_sub(1);
        if let Some(text) = self.history.get(next).filter(|_| at > 0) {
            self.set_text(text.clone());
        }
        self.history_position = (!self.history.is_empty()).then_some((next, typed));
    }

    /// Moves the cursor down a row, or from the last row to the next message of the history, and at
    /// last to the draft.
    fn move_cursor_down(&mut self) {
        let places = self.row_ranges();
        let (row, column) = self.cursor_position(&places);
        if let Some(below) = places.get(row + 1) {
            self.cursor = self.offset_at_column(below, column);
            return;
        }
        let Some((at, typed)) = self.history_position.take() else { return };
        match self.history.get(at + 1) {
            Some(text) => {
                self.set_text(text.clone());
                self.history_position = Some((at + 1, typed));
            }
            None => self.set_text(typed),
        }
    }

    /// Returns the byte range of each row. Rows end at line breaks and at the width of the view.
    fn row_ranges(&self) -> Vec<Range<usize>> {
        let columns = self.columns.max(2);
        let mut rows = Vec::new();
        let (mut start, mut used) = (0, 0);
        for (at, sign) in self.text.grapheme_indices(true) {
            if sign == "\n" {
                rows.push(start..at);
                (start, used) = (at + 1, 0);
                continue;
            }
            let wide = display_width(&printable_grapheme(sign));
            if used + wide > columns && used > 0 {
                rows.push(start..at);
                (start, used) = (at, 0);
            }
            used += wide;
        }
        rows.push(start..self.text.len());
        // Behind a full row the cursor stands in the next one.
        if used >= columns {
            rows.push(self.text.len()..self.text.len());
        }
        rows
    }

    fn cursor_position(&self, rows: &[Range<usize>]) -> (usize, usize) {
        let row = rows.iter().rposition(|row| row.start <= self.cursor).unwrap_or(0);
        let start = rows.get(row).map_or(0, |row| row.start);
        (row, printable_width(&self.text[start..self.cursor]))
    }

    fn offset_at_column(&self, row: &Range<usize>, column: usize) -> usize {
        let mut used = 0;
        for (at, sign) in self.text[row.clone()].grapheme_indices(true) {
            used += display_width(&printable_grapheme(sign));
            if used > column {
                return row.start + at;
            }
        }
        row.end
    }

    /// Lays the text out in rows of `columns` columns.
    pub(crate) fn layout_rows(&mut self, columns: usize) -> EditorRows {
        self.columns = columns;
        let places = self.row_ranges();
        let cursor = self.cursor_position(&places);
        let row = |place: &Range<usize>| {
            self.text[place.clone()].graphemes(true).map(printable_grapheme).collect::<String>()
        };
        EditorRows { rows: places.iter().map(row).collect(), cursor }
    }
}

/// Returns a grapheme in printable form.
fn printable_grapheme(sign: &str) -> std::borrow::Cow<'_, str> {
    match sign {
        "\t" => "    ".into(),
        _ if sign.chars().any(is_hidden_char) => escape_grapheme(sign),
        _ => sign.into(),
    }
}

fn escape_grapheme(sign: &str) -> std::borrow::Cow<'_, str> {
    foveal_screen::escape_one_line(sign)
}

fn printable_width(text: &str) -> usize {
    text.graphemes(true).map(|sign| display_width(&printable_grapheme(sign))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `keys` and compares the text, in which `|` is the cursor. `before` is the history.
    fn check(before: &[&str], keys: &[KeyPress], expected: &str) {
        let mut editor = Editor::new(before.iter().map(|text| (*text).to_owned()).collect());
        editor.columns = 10;
        for key in keys {
            editor.handle_key(*key);
        }
        let (head, tail) = editor.text.split_at(editor.cursor);
        assert_eq!(format!("{head}|{tail}"), expected);
    }

    fn typed(text: &str) -> Vec<KeyPress> {
        text.chars()
            .map(|sign| match sign {
                '\n' => KeyPress::ctrl('j'),
                sign => KeyPress::from_code(KeyCode::Char(sign)),
            })
            .collect()
    }

    const UP: KeyPress = KeyPress::from_code(KeyCode::Up);
    const DOWN: KeyPress = KeyPress::from_code(KeyCode::Down);
    const LEFT: KeyPress = KeyPress::from_code(KeyCode::Left);

    #[test]
    fn keys_change_the_text() {
        check(&[], &typed("ab c"), "ab c|");
        check(&[], &[typed("ab cd"), vec![KeyPress::ctrl('w')]].concat(), "ab |");
        check(
            &[],
            &[typed("ab cd"), vec![KeyPress::ctrl('a'), KeyPress::alt(KeyCode::Right)]].concat(),
            "ab| cd",
        );
        check(&[], &[typed("äö\u{301}"), vec![LEFT]].concat(), "ä|ö\u{301}");
        check(&[], &[typed("ab\ncd"), vec![KeyPress::ctrl('u')]].concat(), "ab\n|");
        check(&[], &[typed("ab\ncd"), vec![LEFT, UP]].concat(), "a|b\ncd");
        check(
            &[],
            &[typed("ab"), vec![KeyPress { shift: true, ..KeyPress::from_code(KeyCode::Enter) }]]
                .concat(),
            "ab\n|",
        );
    }

    #[test]
    fn long_lines_have_several_rows() {
        let text = "0123456789abc";
        check(&[], &[typed(text), vec![UP]].concat(), "012|3456789abc");
        let mut editor = Editor::new(Vec::new());
        assert!(editor.insert("0123456789"));
        let rows = editor.layout_rows(10);
        assert_eq!(
            rows,
            EditorRows { rows: vec!["0123456789".into(), String::new()], cursor: (1, 0) }
        );
        assert!(editor.insert("\u{202e}\u{1b}\tx"));
        assert_eq!(editor.layout_rows(30).rows, ["0123456789\\u202e    x"]);
    }

    #[test]
    fn what_was_said_before_comes_back() {
        check(&["one", "two"], &[typed("x"), vec![UP]].concat(), "two|");
        check(&["one", "two"], &[typed("x"), vec![UP, UP, UP]].concat(), "one|");
        check(&["one", "two"], &[typed("x"), vec![UP, UP, DOWN]].concat(), "two|");
        check(&["one", "two"], &[typed("x"), vec![UP, DOWN]].concat(), "x|");
        check(&[], &[typed("x"), vec![UP, DOWN]].concat(), "x|");
    }

    #[test]
    fn a_paste_is_text() {
        let mut editor = Editor::new(Vec::new());
        assert!(editor.insert("a\r\nb\rc\u{7}"));
        assert_eq!(editor.text(), "a\nb\nc");
        assert!(!editor.insert(&"x".repeat(BYTES_MAX)));
        assert_eq!(editor.word_before_cursor('@'), None);
        assert!(editor.insert(" @src/a"));
        assert_eq!(
            editor.word_before_cursor('@').map(|(range, word)| (range.start, word)),
            Some((6, "src/a"))
        );
    }
}
