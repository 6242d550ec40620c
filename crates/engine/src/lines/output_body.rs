//! The part of a result that a tool printed, as a value.

use std::ops::Range;

/// The lines that a tool printed, and the client's statements about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutputBody {
    pub(super) lines: Range<usize>,
    /// Whether the result says that the call failed.
    pub(super) failed: bool,
    /// The number of the first line, if the client's heading states it.
    pub(super) first_number: Option<u32>,
    /// Lines that mark the client's omission, with the halves of lines next to them.
    pub(super) gap: Range<usize>,
    /// The number of lines that a client omitted before the first; `None` if it is unknown.
    pub(super) skipped: Option<u32>,
    /// The number of lines before the client's omission, if it states it.
    pub(super) total: Option<u32>,
}

impl OutputBody {
    /// Returns the lines that the tool printed in full.
    pub(super) fn complete_lines(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let gap = self.gap.clone();
        self.lines.clone().filter(move |at| !gap.contains(at))
    }
}

/// Parses the exit code in a line that consists of it.
pub(super) fn parse_exit_code(line: &str) -> Option<&str> {
    let forms = [
        ("<returncode>", "</returncode>"),
        ("[Command exited with code ", "]"),
        ("Exit code ", ""),
        ("Exit code: ", ""),
        ("Process exited with code ", ""),
    ];
    let code = forms.iter().find_map(|(start, end)| line.strip_prefix(start)?.strip_suffix(end))?;
    (!code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
        .then_some(code)
}
