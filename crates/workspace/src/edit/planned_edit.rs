//! Edits and their results as values.

use std::fmt;
use std::ops::Range;

use foveal_transcript::LineSpan;

/// One requested replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace.
    pub old: String,
    /// The replacement.
    pub new: String,
    /// Whether to replace all matches; otherwise the match must be unique.
    pub replace_all: bool,
}

/// How the old text of an edit matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMatch {
    /// Byte by byte.
    Exact,
    /// But for white space; the new text was adapted accordingly.
    WhiteSpace(WhitespaceDifferences),
}

impl EditMatch {
    /// Returns whether the text contains the old text verbatim, but for line endings.
    pub fn is_verbatim(self) -> bool {
        match self {
            EditMatch::Exact => true,
            EditMatch::WhiteSpace(WhitespaceDifferences {
                line_endings: _,
                trailing,
                tabs,
                indentation,
            }) => !(trailing || tabs || indentation),
        }
    }
}

/// One replaced range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// The replaced bytes of the text before.
    pub bytes: Range<usize>,
    /// The replacing bytes of the text after.
    pub new_bytes: Range<usize>,
    /// The lines that the range touches in the text before.
    pub before: LineSpan,
    /// The lines that the range touches in the text after.
    pub after: LineSpan,
}

/// The result of one edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEdit {
    /// The text after the edit.
    pub text: String,
    /// The replaced ranges in ascending order; at least one.
    pub changed: Vec<TextChange>,
    /// How the old text matched.
    pub how: EditMatch,
}

/// The kinds of white space in which the old text differs from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WhitespaceDifferences {
    /// `\n` for `\r\n`, or a missing ending at the end of the file.
    pub line_endings: bool,
    /// Trailing blanks.
    pub trailing: bool,
    /// Tabs for spaces, in the indentation or between words.
    pub tabs: bool,
    /// The indentation of all lines.
    pub indentation: bool,
}

impl fmt::Display for WhitespaceDifferences {
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

/// A range of bytes and its replacement.
pub(super) type TextReplacement = (Range<usize>, String);

/// The replacements of a match but for white space, with the differences, if there is one.
pub(super) type WhitespaceMatch = Option<(Vec<TextReplacement>, WhitespaceDifferences)>;
