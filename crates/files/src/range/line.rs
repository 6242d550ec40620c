//! Lines of a file, and how much of them is given.

use foveal_transcript::LineNumber;

/// How much is given.
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// Bytes in the file of one line; of longer ones only the beginning is given.
    pub line_bytes_max: usize,
    /// Bytes in the file of all lines together.
    pub bytes_max: usize,
}

impl Default for LineLimits {
    fn default() -> Self {
        Self { line_bytes_max: 64 * 1024, bytes_max: 4 * 1024 * 1024 }
    }
}

/// One line, without its ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub number: LineNumber,
    /// Its text, or a part of it.
    pub text: String,
    /// Bytes of the file that the text is made of.
    pub bytes: u64,
    /// Bytes of the file that were left out at the end of the line.
    pub left_out_bytes: u64,
}

/// Lines one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The lines; fewer than asked for where the file ends or the limit is reached.
    pub lines: Vec<Line>,
    /// The line to go on with, where the limit was reached before the last line.
    pub next: Option<LineNumber>,
}
