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
    /// What the client wrote in front of the output, in its first line.
    #[serde(default)]
    pub client_prefix: Option<ClientPrefix>,
    /// What of it foveal itself has written, as far as its structure tells.
    #[serde(default)]
    pub prior_shaping: PriorShaping,
}

/// Words of a client in a line that goes on with the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientPrefix {
    /// The line, as an index into [`Printed::lines`].
    pub line: u32,
    /// Bytes of the client's words.
    pub bytes: u32,
}

impl Printed {
    /// The line at `index` in `content`, without the client's words before the output.
    pub(crate) fn output_line<'a>(&self, index: usize, content: &'a str) -> &'a str {
        let line = self.lines.get(index).map_or("", |line| line.whole_in(content));
        line.get(self.client_prefix_len(index)..).unwrap_or_default()
    }

    /// Bytes of the line at `index` that a client wrote in front of the output.
    pub(crate) fn client_prefix_len(&self, index: usize) -> usize {
        let prefix = self.client_prefix.filter(|prefix| prefix.line as usize == index);
        prefix.map_or(0, |prefix| prefix.bytes as usize)
    }
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
