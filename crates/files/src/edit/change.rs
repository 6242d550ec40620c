//! What is asked of a text, and what was done to it.

use std::fmt;
use std::ops::Range;

use foveal_transcript::LineSpan;

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What stands there now.
    pub old: String,
    /// What is to stand there.
    pub new: String,
    /// Whether every place is meant, or the only one.
    pub replace_all: bool,
}

/// How the old text of an edit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// As it was spelled.
    Exact,
    /// With other white space, which the new text was given too.
    WhiteSpace(Differences),
}

impl How {
    /// Whether the old text stands there as it was spelled, but for line endings.
    pub fn is_spelled(self) -> bool {
        match self {
            How::Exact => true,
            How::WhiteSpace(Differences { line_endings: _, trailing, tabs, indentation }) => {
                !(trailing || tabs || indentation)
            }
        }
    }
}

/// One replaced place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The bytes of the text before that are gone.
    pub bytes: Range<usize>,
    /// The bytes of the text after that stand there instead.
    pub new_bytes: Range<usize>,
    /// The whole lines of the text before that are touched.
    pub before: LineSpan,
    /// The whole lines of the text after that are touched.
    pub after: LineSpan,
}

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The text after.
    pub text: String,
    /// The replaced places, in the order of the text; at least one.
    pub changed: Vec<Change>,
    /// How the old text was found.
    pub how: How,
}

/// In what the old text differs from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Differences {
    /// `\n` for `\r\n`, or none at the end of the file.
    pub line_endings: bool,
    /// Blanks at the end of lines.
    pub trailing: bool,
    /// Tabs for spaces, in the indentation or between words.
    pub tabs: bool,
    /// All lines further in or out.
    pub indentation: bool,
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            (self.line_endings, "line endings"),
            (self.trailing, "trailing blanks"),
            (self.tabs, "tabs and spaces"),
            (self.indentation, "indentation"),
        ];
        let mut gap = "";
        for (_, name) in named.into_iter().filter(|(is, _)| *is) {
            write!(f, "{gap}{name}")?;
            gap = ", ";
        }
        Ok(())
    }
}

/// Bytes of a text, and what stands there instead.
pub(super) type Replacement = (Range<usize>, String);

/// What a search with changed white space gives.
pub(super) type Loose = Option<(Vec<Replacement>, Differences)>;
