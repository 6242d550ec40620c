//! Text of an answer, and what each line of it is.

use foveal_context::note::Note;

use crate::answer::AnswerRow;

/// Lines of files and what is said of them: as text, and what each line of that is.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypedLines {
    pub(crate) text: String,
    /// One for each line of the text; none where that is not known.
    pub(crate) rows: Vec<AnswerRow>,
}

impl TypedLines {
    /// Puts a line of a file behind what stands before its text.
    pub(super) fn line(&mut self, number: u32, gutter: &str, text: &str) {
        let gutter_len = u32::try_from(gutter.len()).unwrap_or(u32::MAX);
        self.rows.push(AnswerRow::Line { number, gutter: gutter_len });
        self.text.extend([gutter, text, "\n"]);
    }

    /// Puts the path of a file, whose lines follow.
    pub(super) fn file(&mut self, path: &str) {
        self.rows.push(AnswerRow::File);
        self.text.extend([path, "\n"]);
    }

    /// Puts a note, a line of its own.
    pub(super) fn note(&mut self, note: &Note) {
        self.rows.push(AnswerRow::Said);
        self.text.extend([&note.to_string(), "\n"]);
    }

    /// Puts lines that say something.
    pub(super) fn said(&mut self, text: &str) {
        self.rows.extend(text.lines().map(|_| AnswerRow::Said));
        self.text.push_str(text);
    }
}

impl From<String> for TypedLines {
    fn from(text: String) -> Self {
        Self { text, rows: Vec::new() }
    }
}
