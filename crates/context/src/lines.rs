//! Lines of tool results as the model reads them: text, and the file and number a tool printed.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::effects::Effect;
use crate::transcript::LineNumber;

/// One line of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedLine {
    /// Byte range of the whole line in the result, without the line break.
    pub whole: Range<u32>,
    /// Byte range of the file's own text in it, after any gutter (`  12→`, `12:`, `a.rs:12:`).
    pub text: Range<u32>,
    /// The file it is from, as an index into [`Printed::paths`].
    pub path: Option<u16>,
    /// Its number in that file.
    pub number: Option<LineNumber>,
}

impl PrintedLine {
    /// The file's own text of this line in `content`, the result it was found in.
    pub fn text_in<'a>(&self, content: &'a str) -> &'a str {
        &content[self.text.start as usize..self.text.end as usize]
    }

    /// The whole line in `content`, gutter included.
    pub fn whole_in<'a>(&self, content: &'a str) -> &'a str {
        &content[self.whole.start as usize..self.whole.end as usize]
    }
}

/// A tool result, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Printed {
    /// The files lines are from.
    pub paths: Vec<String>,
    /// Every line of the result, in order.
    pub lines: Vec<PrintedLine>,
}

/// Splits `content`, the result of a call with `effect`, into lines and finds which file
/// and number each is.
pub fn printed_lines(content: &str, _effect: &Effect) -> Printed {
    let mut printed = Printed::default();
    let mut start = 0u32;
    for line in content.split('\n') {
        let end = start + line.len() as u32;
        printed.lines.push(PrintedLine {
            whole: start..end,
            text: start..end,
            path: None,
            number: None,
        });
        start = end + 1;
    }
    printed
}
