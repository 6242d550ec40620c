//! A tool result, line by line, as values.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use foveal_transcript::LineNumber;

/// One line of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedLine {
    /// Byte range of the whole line in the result, without the line break.
    pub whole: Range<u32>,
    /// Byte range of the file's own text in it, after any gutter (`  12→`, `12:`, `a.rs:12:`).
    pub text: Range<u32>,
    /// The file it is from, as an index into [`Printed::paths`].
    pub path: Option<u16>,
    /// Its number in that file. Only lines with a path have one.
    pub number: Option<LineNumber>,
}

impl PrintedLine {
    /// The file's own text of this line in `content`, the result it was found in; empty for
    /// any other content that does not hold it.
    pub fn text_in<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.text.start as usize..self.text.end as usize).unwrap_or_default()
    }

    /// The whole line in `content`, gutter included; empty as for [`PrintedLine::text_in`].
    pub fn whole_in<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.whole.start as usize..self.whole.end as usize).unwrap_or_default()
    }
}

/// A tool result, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Printed {
    /// The files lines are from, each once.
    pub paths: Vec<String>,
    /// Every line of the result, in order.
    pub lines: Vec<PrintedLine>,
    /// What of it foveal itself has written, as far as its structure tells.
    #[serde(default)]
    pub prior_shaping: PriorShaping,
}

/// What of a result foveal has written that shaped it before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PriorShaping {
    /// Nothing that can be recognised.
    #[default]
    None,
    /// Headings of files.
    Heading,
    /// Notes in place of lines.
    Notes,
}
