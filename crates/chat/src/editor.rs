//! What the person types: several lines, with what was said before.

use std::ops::Range;

use foveal_screen::is_hidden;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::key::{Key, KeyCode};
use crate::lines::width;

/// Bytes that can be typed or pasted.
const BYTES_MAX: usize = 1 << 20;

/// Texts that are remembered.
const HISTORY_MAX: usize = 500;

/// A text under way, with a cursor.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    text: String,
    /// A byte of the text, between two signs.
    cursor: usize,
    /// What was said before, the oldest first.
    history: Vec<String>,
    /// The place in it, and what was typed before it was gone through.
    browsing: Option<(usize, String)>,
    /// Columns of a row, as it was drawn last.
    columns: usize,
}

/// A text in rows, and where the cursor is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// What each row shows.
    pub(crate) rows: Vec<String>,
    /// The row and column of the cursor.
    pub(crate) cursor: (usize, usize),
}

impl Editor {
    pub(crate) fn new(history: Vec<String>) -> Self {
        let mut editor = Self { columns: 80, ..Self::default() };
        history.into_iter().for_each(|text| editor.remember(text));
        editor
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.set(String::new());
    }

    fn set(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
    }

    /// Takes the text, and remembers it.
    pub(crate) fn take(&mut self) -> String {
        self.browsing = None;
        let text = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.remember(text.clone());
        text
    }

    fn remember(&mut self, text: String) {
        if text.trim().is_empty() || self.history.last() == Some(&text) {
            return;
        }
        if self.history.len() == HISTORY_MAX {
            self.history.remove(0);
        }
        self.history.push(text);
    }

    /// Puts a text in at the cursor, line ends as they are here; whether there was room. Control
    /// characters of a terminal are no text: they are left out.
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

    /// The word before the cursor that begins with `sign`, behind a blank or at the beginning.
    pub(crate) fn word_with(&self, sign: char) -> Option<(Range<usize>, &str)> {
        let before = &self.text[..self.cursor];
        let from = before.rfind([' ', '\n', '\t']).map_or(0, |at| at + 1);
        let word = before[from..].strip_prefix(sign)?;
        Some((from..self.cursor, word))
    }

    /// Puts a text in place of another.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.cursor = range.start + text.len();
        self.text.replace_range(range, text);
    }

    /// Takes a key; whether it was one for a text.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        let by_word = key.ctrl || key.alt;
        match key.code {
            KeyCode::Char(sign) if !key.ctrl && !key.alt => {
                return self.insert(sign.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter if key.alt || key.shift => return self.insert("\n"),
            KeyCode::Char('j') if key.ctrl => return self.insert("\n"),
            KeyCode::Char('a') if key.ctrl => self.cursor = self.line_start(),
            KeyCode::Char('e') if key.ctrl => self.cursor = self.line_end(),
            KeyCode::Char('b') if key.alt => self.cursor = self.word_left(),
            KeyCode::Char('f') if key.alt => self.cursor = self.word_right(),
            KeyCode::Char('w') if key.ctrl => self.remove(self.word_left()..self.cursor),
            KeyCode::Char('u') if key.ctrl => self.remove(self.line_start()..self.cursor),
            KeyCode::Char('k') if key.ctrl => self.remove(self.cursor..self.line_end()),
            KeyCode::Char('d') if key.alt => self.remove(self.cursor..self.word_right()),
            KeyCode::Backspace if by_word => self.remove(self.word_left()..self.cursor),
            KeyCode::Backspace => self.remove(self.left()..self.cursor),
            KeyCode::Delete => self.remove(self.cursor..self.right()),
            KeyCode::Left if by_word => self.cursor = self.word_left(),
            KeyCode::Right if by_word => self.cursor = self.word_right(),
            KeyCode::Left => self.cursor = self.left(),
            KeyCode::Right => self.cursor = self.right(),
            KeyCode::Home => self.cursor = self.line_start(),
            KeyCode::End => self.cursor = self.line_end(),
            KeyCode::Up if !by_word => self.up(),
            KeyCode::Down if !by_word => self.down(),
            _ => return false,
        }
        true
    }

    fn remove(&mut self, range: Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn left(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0)
    }

    fn right(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_left(&self) -> usize {
        let before =
            self.text[..self.cursor].trim_end_matches(|sign: char| !sign.is_alphanumeric());
        before.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let after = &self.text[self.cursor..];
        let rest = after.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        let rest = rest.trim_start_matches(char::is_alphanumeric);
        self.text.len() - rest.len()
    }

    /// A row up; from the first one, to what was said before.
    fn up(&mut self) {
        let places = self.places();
        let (row, column) = self.place_of_cursor(&places);
        if row > 0 {
            self.cursor = self.in_row(&places[row - 1], column);
            return;
        }
        let (at, typed) = match self.browsing.take() {
            Some((at, typed)) => (at, typed),
            None => (self.history.len(), self.text.clone()),
        };
        let next = at.saturating_sub(1);
        if let Some(text) = self.history.get(next).filter(|_| at > 0) {
            self.set(text.clone());
        }
        self.browsing = (!self.history.is_empty()).then_some((next, typed));
    }

    /// A row down; from the last one, to what was said after that, or typed.
    fn down(&mut self) {
        let places = self.places();
        let (row, column) = self.place_of_cursor(&places);
        if let Some(below) = places.get(row + 1) {
            self.cursor = self.in_row(below, column);
            return;
        }
        let Some((at, typed)) = self.browsing.take() else { return };
        match self.history.get(at + 1) {
            Some(text) => {
                self.set(text.clone());
                self.browsing = Some((at + 1, typed));
            }
            None => self.set(typed),
        }
    }

    /// The bytes of each row. A row holds what fits; a line break ends one.
    fn places(&self) -> Vec<Range<usize>> {
        let columns = self.columns.max(2);
        let mut rows = Vec::new();
        let (mut start, mut used) = (0, 0);
        for (at, sign) in self.text.grapheme_indices(true) {
            if sign == "\n" {
                rows.push(start..at);
                (start, used) = (at + 1, 0);
                continue;
            }
            let wide = width(&seen(sign));
            if used + wide > columns && used > 0 {
                rows.push(start..at);
                (start, used) = (at, 0);
            }
            used += wide;
        }
        rows.push(start..self.text.len());
        // The cursor behind a full row stands in the next one.
        if used >= columns {
            rows.push(self.text.len()..self.text.len());
        }
        rows
    }

    fn place_of_cursor(&self, rows: &[Range<usize>]) -> (usize, usize) {
        let row = rows.iter().rposition(|row| row.start <= self.cursor).unwrap_or(0);
        let start = rows.get(row).map_or(0, |row| row.start);
        (row, columns_of(&self.text[start..self.cursor]))
    }

    fn in_row(&self, row: &Range<usize>, column: usize) -> usize {
        let mut used = 0;
        for (at, sign) in self.text[row.clone()].grapheme_indices(true) {
            used += width(&seen(sign));
            if used > column {
                return row.start + at;
            }
        }
        row.end
    }

    /// The text in rows of so many columns.
    pub(crate) fn rows(&mut self, columns: usize) -> Rows {
        self.columns = columns;
        let places = self.places();
        let cursor = self.place_of_cursor(&places);
        let row = |place: &Range<usize>| {
            self.text[place.clone()].graphemes(true).map(seen).collect::<String>()
        };
        Rows { rows: places.iter().map(row).collect(), cursor }
    }
}

/// A sign as it is shown.
fn seen(sign: &str) -> std::borrow::Cow<'_, str> {
    match sign {
        "\t" => "    ".into(),
        _ if sign.chars().any(is_hidden) => foreign(sign),
        _ => sign.into(),
    }
}

fn foreign(sign: &str) -> std::borrow::Cow<'_, str> {
    foveal_screen::in_one_line(sign)
}

fn columns_of(text: &str) -> usize {
    text.graphemes(true).map(|sign| width(&seen(sign))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types `keys`: words of the house's keys in `<>`, and letters. The cursor is `|`.
    fn check(before: &[&str], keys: &[Key], expected: &str) {
        let mut editor = Editor::new(before.iter().map(|text| (*text).to_owned()).collect());
        editor.columns = 10;
        for key in keys {
            editor.key(*key);
        }
        let (head, tail) = editor.text.split_at(editor.cursor);
        assert_eq!(format!("{head}|{tail}"), expected);
    }

    fn typed(text: &str) -> Vec<Key> {
        text.chars()
            .map(|sign| match sign {
                '\n' => Key::ctrl('j'),
                sign => Key::plain(KeyCode::Char(sign)),
            })
            .collect()
    }

    const UP: Key = Key::plain(KeyCode::Up);
    const DOWN: Key = Key::plain(KeyCode::Down);
    const LEFT: Key = Key::plain(KeyCode::Left);

    #[test]
    fn keys_change_the_text() {
        check(&[], &typed("ab c"), "ab c|");
        check(&[], &[typed("ab cd"), vec![Key::ctrl('w')]].concat(), "ab |");
        check(
            &[],
            &[typed("ab cd"), vec![Key::ctrl('a'), Key::alt(KeyCode::Right)]].concat(),
            "ab| cd",
        );
        check(&[], &[typed("äö\u{301}"), vec![LEFT]].concat(), "ä|ö\u{301}");
        check(&[], &[typed("ab\ncd"), vec![Key::ctrl('u')]].concat(), "ab\n|");
        check(&[], &[typed("ab\ncd"), vec![LEFT, UP]].concat(), "a|b\ncd");
        check(
            &[],
            &[typed("ab"), vec![Key { shift: true, ..Key::plain(KeyCode::Enter) }]].concat(),
            "ab\n|",
        );
    }

    #[test]
    fn long_lines_have_several_rows() {
        let text = "0123456789abc";
        check(&[], &[typed(text), vec![UP]].concat(), "012|3456789abc");
        let mut editor = Editor::new(Vec::new());
        assert!(editor.insert("0123456789"));
        let rows = editor.rows(10);
        assert_eq!(rows, Rows { rows: vec!["0123456789".into(), String::new()], cursor: (1, 0) });
        assert!(editor.insert("\u{202e}\u{1b}\tx"));
        assert_eq!(editor.rows(30).rows, ["0123456789\\u202e    x"]);
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
        assert_eq!(editor.word_with('@'), None);
        assert!(editor.insert(" @src/a"));
        assert_eq!(
            editor.word_with('@').map(|(range, word)| (range.start, word)),
            Some((6, "src/a"))
        );
    }
}
