//! Listings as values: numbered lines of files with notes between them.

use std::fmt::{self, Display, Formatter};

use foveal_engine::note::Note;

use foveal_screen::numbers::PlainCount;
use foveal_transcript::LineNumber;

/// A row of a listing. `Display` renders its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingRow {
    /// A file; its lines follow.
    File {
        /// The path.
        path: Box<str>,
        /// The number of lines.
        line_count: u32,
    },
    /// A line of a file.
    Line {
        /// The line number.
        number: LineNumber,
        /// The least width of the number, in columns.
        width: usize,
        /// The text.
        text: Box<str>,
    },
    /// A note about omitted or shown lines.
    Note {
        /// The indentation, in columns.
        indent: usize,
        /// The note.
        note: Note,
    },
}

impl ListingRow {
    /// Returns the text before a line: its number and an arrow. Empty for other rows.
    pub fn gutter(&self) -> String {
        match self {
            Self::Line { number, width, .. } => format!("{:>width$}→", number.0),
            Self::File { .. } | Self::Note { .. } => String::new(),
        }
    }

    /// Returns the number of the first line that the row shows or describes.
    pub fn first_line_number(&self) -> Option<u32> {
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
                write!(f, "{path} ({})", PlainCount::new(*line_count, "line"))
            }
            Self::Line { text, .. } => write!(f, "{}{text}", self.gutter()),
            Self::Note { indent, note } => write!(f, "{:indent$}{note}", ""),
        }
    }
}

/// Renders rows as text, each with a final line break.
pub fn render_rows(rows: &[ListingRow]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}
