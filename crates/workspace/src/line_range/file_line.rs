//! Lines of a file, and the limits of reading them.

use foveal_transcript::LineNumber;

/// Limits of reading lines.
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// Bytes of the file per line; longer lines are truncated.
    pub line_bytes_max: usize,
    /// Bytes of the file for all lines together.
    pub bytes_max: usize,
}

impl Default for LineLimits {
    fn default() -> Self {
        Self { line_bytes_max: 64 * 1024, bytes_max: 4 * 1024 * 1024 }
    }
}

/// A line without its ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeLine {
    /// The line number.
    pub number: LineNumber,
    /// The text, or a part of it.
    pub text: String,
    /// Bytes of the file that the text was decoded from.
    pub bytes: u64,
    /// Bytes of the file omitted at the end of the line.
    pub left_out_bytes: u64,
}

/// Consecutive lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineBatch {
    /// The lines; fewer than requested at the end of the file or at the limit.
    pub lines: Vec<RangeLine>,
    /// The line to continue with, if the limit was reached before the last line.
    pub next: Option<LineNumber>,
}
