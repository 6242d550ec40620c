//! Listings as values: lines of files with their numbers, and what stands between them.

use std::fmt::{self, Display, Formatter};

use foveal_context::note::Note;

use crate::LineNumber;

/// A row of a listing. Its text is made once, last, by `Display`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingRow {
    /// A file, whose lines follow.
    File {
        /// Its path.
        path: Box<str>,
        /// How many lines it has.
        line_count: u32,
    },
    /// A line of the file.
    Line {
        /// Its number.
        number: LineNumber,
        /// Columns that the number takes at least.
        width: usize,
        /// Its text.
        text: Box<str>,
    },
    /// What is said of lines that are not shown, or of those that are.
    Note {
        /// Columns before it.
        indent: usize,
        /// The note.
        note: Note,
    },
}

impl ListingRow {
    /// What stands before a line's text.
    pub fn gutter(&self) -> String {
        match self {
            Self::Line { number, width, .. } => format!("{:>width$}→", number.0),
            Self::File { .. } | Self::Note { .. } => String::new(),
        }
    }

    /// The number of the first line that it shows or stands for.
    pub fn first_line(&self) -> Option<u32> {
        match self {
            Self::File { .. } => None,
            Self::Line { number, .. } => Some(number.0),
            Self::Note { note, .. } => note.lines.first().map(|lines| lines.0),
        }
    }
}

impl Display for ListingRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line_count } => {
                let noun = if *line_count == 1 { "line" } else { "lines" };
                write!(f, "{path} ({line_count} {noun})")
            }
            Self::Line { text, .. } => write!(f, "{}{text}", self.gutter()),
            Self::Note { indent, note } => write!(f, "{:indent$}{note}", ""),
        }
    }
}

/// Rows as text, each with a line break behind it.
pub fn text_of(rows: &[ListingRow]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}
