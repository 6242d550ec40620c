//! The lines of a tool result, as values.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use foveal_transcript::LineNumber;

/// One line of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultLine {
    /// Byte range of the whole line in the result, without the line break.
    pub whole: Range<u32>,
    /// Byte range of the file's own text in the line, after any gutter (`  12→`, `12:`,
    /// `a.rs:12:`).
    pub text: Range<u32>,
    /// The file of the line, as an index into [`ResultLines::paths`].
    pub path: Option<u16>,
    /// The number of the line in that file. Only lines with a path have one.
    pub number: Option<LineNumber>,
}

impl ResultLine {
    /// Returns the file's own text of this line in `content`, the result that it was parsed from;
    /// empty if another content is too short.
    pub fn file_text<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.text.start as usize..self.text.end as usize).unwrap_or_default()
    }

    /// Returns the whole line in `content`, gutter included; empty as for
    /// [`ResultLine::file_text`].
    pub fn full_text<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.whole.start as usize..self.whole.end as usize).unwrap_or_default()
    }
}

/// The lines of a tool result, with their files and numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResultLines {
    /// The files of the lines, each once.
    pub paths: Vec<String>,
    /// Every line of the result, in order.
    pub lines: Vec<ResultLine>,
    /// The client's prefix of the first line of the output.
    #[serde(default)]
    pub client_prefix: Option<ClientPrefix>,
    /// The parts that foveal itself wrote, as far as the structure shows.
    #[serde(default)]
    pub prior_shaping: PriorShaping,
}

/// A client's words in a line that continues with the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientPrefix {
    /// The line, as an index into [`ResultLines::lines`].
    pub line: u32,
    /// Number of bytes of the client's words.
    pub bytes: u32,
}

impl ResultLines {
    /// Returns the line at `index` in `content` without the client's prefix.
    pub(crate) fn output_line<'a>(&self, index: usize, content: &'a str) -> &'a str {
        let line = self.lines.get(index).map_or("", |line| line.full_text(content));
        line.get(self.client_prefix_len(index)..).unwrap_or_default()
    }

    /// Returns the number of bytes of the client's prefix in the line at `index`.
    pub(crate) fn client_prefix_len(&self, index: usize) -> usize {
        let prefix = self.client_prefix.filter(|prefix| prefix.line as usize == index);
        prefix.map_or(0, |prefix| prefix.bytes as usize)
    }
}

/// The parts of a result that foveal wrote when it shaped the result earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PriorShaping {
    /// No part is recognised.
    #[default]
    None,
    /// Headings of files.
    Heading,
    /// Notes in place of lines.
    Notes,
}
